"""Lists and counts of passages: reading an agent's, a user's, a session's, or a tenant's."""

import sqlite3
from collections.abc import Iterator
from typing import Final

from wellkept.model.ids import AgentId, TenantId, UserId
from wellkept.model.pages import Position
from wellkept.model.passages import Passage, PassageCounts, PassageOwner, Selection, StoredPassage, Vector
from wellkept.rules.instants import behind
from wellkept.stores.sqlite.connection import snapshot
from wellkept.stores.sqlite.passage_rows import PassageRow, place_of, to_passage
from wellkept.stores.sqlite.statements import statements

_SQL: Final = statements("passages.sql")


def changed(
    db: sqlite3.Connection, owner: PassageOwner, begin: tuple[int, str], *, model: str | None, limit: int
) -> list[StoredPassage]:
    """Give up to `limit` passages from behind a revision and id on."""
    return [
        StoredPassage(
            passage=to_passage(owner, row[:10]),
            revision=row[10],
            entry=row[11],
            vector=None if model is None or row[12] is None else Vector(model=model, data=row[12]),
        )
        for row in db.execute(_SQL["changed_since"], (model, *place_of(owner), *begin, limit))
    ]


def newest(db: sqlite3.Connection, chosen: Selection, *, limit: int, after: Position | None) -> list[Passage]:
    """Give up to `limit` passages, newest first, from after a position."""
    if chosen.ids is not None:
        return _some(db, chosen, limit=limit, after=after)
    agent, begin = (chosen.tenant, chosen.agent), behind(after)
    if chosen.session is not None:
        rows = db.execute(_SQL["session_newest_first"], (*agent, chosen.session, chosen.user, *begin, limit))
    elif chosen.user is not None:
        rows = db.execute(_SQL["user_newest_first"], (*agent, chosen.user, *begin, limit))
    else:
        rows = db.execute(_SQL["agent_newest_first"], (*agent, *begin, limit))
    return [_of_agent(chosen, row) for row in rows]


def _some(db: sqlite3.Connection, chosen: Selection, *, limit: int, after: Position | None) -> list[Passage]:
    with snapshot(db):
        rows = [db.execute(_SQL["named"], (chosen.tenant, id, chosen.agent)).fetchone() for id in set(chosen.ids or ())]
    places = {Position(passage.at, passage.id): passage for passage in (_of_agent(chosen, row) for row in rows if row)}
    found = [
        (place, passage)
        for place, passage in places.items()
        if chosen.user in (None, passage.user_id)
        and chosen.session in (None, passage.session_id)
        and (after is None or place < after)
    ]
    return [passage for _, passage in sorted(found, reverse=True)[:limit]]


def count(db: sqlite3.Connection, tenant: TenantId, agent: AgentId | None) -> PassageCounts:
    """Count a tenant's passages, or those of one of its agents."""
    with snapshot(db):
        passages, users, sessions = db.execute(_SQL["count"], (tenant, agent)).fetchone()
        vectors: dict[str, int] = dict(db.execute(_SQL["count_vectors"], (tenant, agent)))
    return PassageCounts(passages=passages, users=users, sessions=sessions, vectors=vectors)


def without_vector(
    db: sqlite3.Connection, tenant: TenantId, model: str, *, limit: int, after: Passage | None
) -> list[Passage]:
    """Give up to `limit` passages that have no vector of `model`, by agent, user and id, from after one."""
    place = (after.agent_id, after.user_id, after.id) if after else ("", "", "")
    rows: Iterator[tuple[*PassageRow, UserId, AgentId]] = db.execute(
        _SQL["without_vector"], (tenant, *place, model, limit)
    )
    return [to_passage(PassageOwner(tenant, row[11], row[10]), row[:10]) for row in rows]


def _of_agent(chosen: Selection, row: tuple[*PassageRow, UserId]) -> Passage:
    return to_passage(PassageOwner(chosen.tenant, chosen.agent, row[10]), row[:10])
