"""Passages, in SQLite."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from wellkept.contract.passage_store import PassageStore
from wellkept.model.ids import AgentId, PassageId, SessionId, TenantId, UserId
from wellkept.model.pages import Position
from wellkept.model.passages import (
    NewPassage,
    Passage,
    PassageCounts,
    PassageOwner,
    PassagesPut,
    PassageStamp,
    Selection,
    StoredPassage,
    Vector,
)
from wellkept.rules.whole_messages import MessageName, messages_of, rewriting
from wellkept.stores.sqlite import deleted_agents, passage_lists
from wellkept.stores.sqlite.connection import snapshot
from wellkept.stores.sqlite.hops import Hops
from wellkept.stores.sqlite.passage_rows import place_of, to_passage, to_row
from wellkept.stores.sqlite.statements import statements

_SQL: Final = statements("passages.sql")


class SqlitePassages(Hops, PassageStore):
    """The part of the store that keeps passages."""

    async def put_passages(self, owner: PassageOwner, pieces: Sequence[NewPassage]) -> PassagesPut:
        messages = messages_of(owner, pieces)
        return await self._write(lambda db: _put(db, owner, messages, pieces)) if messages else PassagesPut()

    async def put_vectors(self, owner: PassageOwner, vectors: Mapping[PassageId, Vector]) -> int:
        return await self._write(lambda db: _put_vectors(db, owner, vectors)) if vectors else 0

    async def stamp(self, owner: PassageOwner) -> PassageStamp:
        row = await self._read(lambda db: db.execute(_SQL["stamp"], place_of(owner)).fetchone())
        return PassageStamp(*row) if row else PassageStamp()

    async def changed_since(
        self, owner: PassageOwner, revision: int, *, model: str | None, limit: int, after: PassageId | None = None
    ) -> list[StoredPassage]:
        # No id comes before "": behind that place is whatever was written after `revision`.
        begin = (revision + 1, "") if after is None else (revision, after)
        return await self._read(lambda db: passage_lists.changed(db, owner, begin, model=model, limit=limit))

    async def passage_ids(self, owner: PassageOwner) -> frozenset[PassageId]:
        return await self._read(lambda db: frozenset(id for (id,) in db.execute(_SQL["ids"], place_of(owner))))

    async def passages(self, owner: PassageOwner, ids: Sequence[PassageId]) -> dict[PassageId, Passage]:
        return await self._read(lambda db: _found(db, owner, ids)) if ids else {}

    async def listed(self, chosen: Selection, *, limit: int, after: Position | None = None) -> list[Passage]:
        return await self._read(lambda db: passage_lists.newest(db, chosen, limit=limit, after=after))

    async def last_number(self, owner: PassageOwner, session: SessionId) -> int:
        place = (*place_of(owner), session)
        (number,) = await self._read(lambda db: db.execute(_SQL["last_number"], place).fetchone())
        return int(number)

    async def delete_passages(self, chosen: Selection) -> int:
        return await self._write(lambda db: forget(db, chosen))

    async def purge_user_passages(self, tenant: TenantId, user: UserId) -> int:
        return await self._write(lambda db: _purge_user(db, tenant, user))

    async def count_passages(self, tenant: TenantId, agent: AgentId | None = None) -> PassageCounts:
        return await self._read(lambda db: passage_lists.count(db, tenant, agent))

    async def without_vector(
        self, tenant: TenantId, model: str, *, limit: int, after: Passage | None = None
    ) -> list[Passage]:
        return await self._read(lambda db: passage_lists.without_vector(db, tenant, model, limit=limit, after=after))


def forget(db: sqlite3.Connection, chosen: Selection) -> int:
    """Forget passages and their vectors; say how many passages there were."""
    return sum(_forget_of(db, owner, chosen) for owner in _owners(db, chosen))


def _put(
    db: sqlite3.Connection, owner: PassageOwner, messages: Iterable[MessageName], pieces: Sequence[NewPassage]
) -> PassagesPut:
    deleted_agents.refuse(db, owner.tenant, owner.agent)
    place = place_of(owner)
    stored = [
        to_passage(owner, row) for message in messages for row in db.execute(_SQL["of_message"], (*place, *message))
    ]
    plan = rewriting(pieces, stored)
    if plan.changes:
        revision = _next_revision(db, owner, removes=plan.removes)
        db.executemany(_SQL["delete"], [(*place, id, None) for id in (*plan.gone, *plan.replaced)])
        db.executemany(_SQL["insert"], [(*place, *to_row(piece, revision)) for piece in plan.written])
        _write_vectors(db, owner, {piece.passage.id: piece.vector for piece in plan.written if piece.vector})
    return plan.put


def _put_vectors(db: sqlite3.Connection, owner: PassageOwner, vectors: Mapping[PassageId, Vector]) -> int:
    there = [passage.id for passage in _by_id(db, owner, [*vectors])]
    if there:
        revision = _next_revision(db, owner, removes=False)
        db.executemany(_SQL["change"], [(revision, *place_of(owner), id) for id in there])
        _write_vectors(db, owner, {id: vectors[id] for id in there})
    return len(there)


def _write_vectors(db: sqlite3.Connection, owner: PassageOwner, vectors: Mapping[PassageId, Vector]) -> None:
    place = place_of(owner)
    db.executemany(
        _SQL["put_vector"], [(*place, passage, vector.model, vector.data) for passage, vector in vectors.items()]
    )


def _next_revision(db: sqlite3.Connection, owner: PassageOwner, *, removes: bool) -> int:
    (revision,) = db.execute(_SQL["next_revision"], (owner.tenant,)).fetchone()
    db.execute(_SQL["put_stamp"], (*place_of(owner), revision, removes))
    return int(revision)


def _found(db: sqlite3.Connection, owner: PassageOwner, ids: Sequence[PassageId]) -> dict[PassageId, Passage]:
    with snapshot(db):
        return {passage.id: passage for passage in _by_id(db, owner, ids)}


def _by_id(db: sqlite3.Connection, owner: PassageOwner, ids: Sequence[PassageId]) -> Iterator[Passage]:
    for id in ids:
        row = db.execute(_SQL["get"], (*place_of(owner), id)).fetchone()
        if row:
            yield to_passage(owner, row)


def _owners(db: sqlite3.Connection, chosen: Selection) -> list[PassageOwner]:
    """Say whose passages may be chosen."""
    if chosen.user is not None:
        users: set[UserId] = {chosen.user}
    elif chosen.ids is not None:
        places = [(chosen.tenant, id, chosen.agent) for id in chosen.ids]
        users = {user for place in places for (user,) in db.execute(_SQL["user_of"], place)}
    elif chosen.session is not None:
        rows = db.execute(_SQL["users_of_session"], (chosen.tenant, chosen.agent, chosen.session))
        users = {user for (user,) in rows}
    else:
        users = {user for (user,) in db.execute(_SQL["users_of_agent"], (chosen.tenant, chosen.agent))}
    return [PassageOwner(chosen.tenant, chosen.agent, user) for user in users]


def _forget_of(db: sqlite3.Connection, owner: PassageOwner, chosen: Selection) -> int:
    place = place_of(owner)
    if chosen.ids is not None:
        rows = [(*place, id, chosen.session) for id in chosen.ids]
        gone = db.executemany(_SQL["delete"], rows).rowcount if rows else 0
    elif chosen.session is not None:
        gone = db.execute(_SQL["delete_of_session"], (*place, chosen.session)).rowcount
    else:
        gone = db.execute(_SQL["delete_of_owner"], place).rowcount
    if gone:
        _note_removal(db, owner)
    return gone


def _note_removal(db: sqlite3.Connection, owner: PassageOwner) -> None:
    if db.execute(_SQL["has_any"], place_of(owner)).fetchone():
        _next_revision(db, owner, removes=True)
    else:
        db.execute(_SQL["delete_stamp"], place_of(owner))


def _purge_user(db: sqlite3.Connection, tenant: TenantId, user: UserId) -> int:
    agents = [agent for (agent,) in db.execute(_SQL["agents_of_user"], (tenant, user))]
    return sum(forget(db, Selection(tenant=tenant, agent=agent, user=user)) for agent in agents)
