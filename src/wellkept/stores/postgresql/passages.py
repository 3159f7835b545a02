"""Passages, in PostgreSQL."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

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
from wellkept.rules.instants import behind, to_instant, to_number
from wellkept.rules.whole_messages import Rewriting, messages_of, read_metadata, rewriting, spell_metadata
from wellkept.stores.postgresql.deleted_agents import REFUSE, refused
from wellkept.stores.postgresql.hops import Hops, Row, Transaction, Value
from wellkept.stores.postgresql.statements import statements

_SQL: Final = statements("passages.sql")

FORGET: Final = (_SQL["lock_chosen"], _SQL["delete_chosen"])
"""Forgets passages by `agent`, `user_id`, `session` and `ids`, of which NULL takes all; the last says how many."""

ALL_OF_A_SESSION: Final[Mapping[str, Value]] = {"user_id": None, "ids": None}
ALL_OF_AN_AGENT: Final[Mapping[str, Value]] = {"user_id": None, "session": None, "ids": None}


class PostgresPassages(Hops, PassageStore):
    """The part of the store that keeps passages."""

    async def put_passages(self, owner: PassageOwner, pieces: Sequence[NewPassage]) -> PassagesPut:
        messages = messages_of(owner, pieces)
        if not messages:
            return PassagesPut()
        whole: dict[str, Value] = {
            "sessions": [session for session, _, _ in messages],
            "kinds": [str(kind) for _, kind, _ in messages],
            "messages": [message for _, _, message in messages],
        }

        async def work(transaction: Transaction) -> PassagesPut:
            rows = await transaction.run(REFUSE, _SQL["lock"], _SQL["of_messages"], **_place(owner), **whole)
            plan = rewriting(pieces, [_to_passage(owner, row) for row in rows])
            if plan.changes:
                await _rewrite(transaction, owner, plan)
            else:
                await transaction.leave()
            return plan.put

        with refused(owner.agent):
            return await self._transact(owner.tenant, work)

    async def put_vectors(self, owner: PassageOwner, vectors: Mapping[PassageId, Vector]) -> int:
        if not vectors:
            return 0
        values = {**_place(owner), **_vectors(vectors), "removes": False}

        async def work(transaction: Transaction) -> int:
            ((there,),) = await transaction.run(_SQL["lock_owner"], _SQL["count_those"], **values)
            if there:
                await transaction.finish(_SQL["next_revision"], _SQL["rewritten"], _SQL["write_vectors"], **values)
            else:
                await transaction.leave()
            return int(there)

        return await self._transact(owner.tenant, work)

    async def stamp(self, owner: PassageOwner) -> PassageStamp:
        rows = await self._ask(owner.tenant, _SQL["stamp"], **_place(owner))
        return PassageStamp(*rows[0]) if rows else PassageStamp()

    async def changed_since(
        self, owner: PassageOwner, revision: int, *, model: str | None, limit: int, after: PassageId | None = None
    ) -> list[StoredPassage]:
        # Behind every id of that revision, unless one is named.
        above, id = (revision + 1, "") if after is None else (revision, after)
        rows = await self._ask(
            owner.tenant, _SQL["changed_since"], **_place(owner), above=above, after=id, model=model, limit=limit
        )
        return [
            StoredPassage(
                passage=_to_passage(owner, row),
                revision=row[10],
                entry=row[11],
                vector=Vector(model=model, data=row[12]) if model is not None and row[12] is not None else None,
            )
            for row in rows
        ]

    async def passage_ids(self, owner: PassageOwner) -> frozenset[PassageId]:
        return frozenset(PassageId(id) for (id,) in await self._ask(owner.tenant, _SQL["ids"], **_place(owner)))

    async def passages(self, owner: PassageOwner, ids: Sequence[PassageId]) -> dict[PassageId, Passage]:
        if not ids:
            return {}
        rows = await self._ask(owner.tenant, _SQL["get"], **_place(owner), ids=[*ids])
        found = [_to_passage(owner, row) for row in rows]
        return {passage.id: passage for passage in found}

    async def listed(self, chosen: Selection, *, limit: int, after: Position | None = None) -> list[Passage]:
        at, id = behind(after)
        rows = await self._ask(chosen.tenant, _SQL["newest_first"], **_chosen(chosen), at=at, after=id, limit=limit)
        return [_to_passage(PassageOwner(chosen.tenant, chosen.agent, row[10]), row) for row in rows]

    async def last_number(self, owner: PassageOwner, session: SessionId) -> int:
        ((number,),) = await self._ask(owner.tenant, _SQL["last_number"], **_place(owner), session=session)
        return int(number)

    async def delete_passages(self, chosen: Selection) -> int:
        ((count,),) = await self._tell(chosen.tenant, *FORGET, **_chosen(chosen))
        return int(count)

    async def purge_user_passages(self, tenant: TenantId, user: UserId) -> int:
        ((count,),) = await self._tell(tenant, *FORGET, agent=None, user_id=user, session=None, ids=None)
        return int(count)

    async def count_passages(self, tenant: TenantId, agent: AgentId | None = None) -> PassageCounts:
        ((passages, users, sessions, vectors),) = await self._ask(tenant, _SQL["count"], agent=agent)
        return PassageCounts(passages=passages, users=users, sessions=sessions, vectors=vectors or {})

    async def without_vector(
        self, tenant: TenantId, model: str, *, limit: int, after: Passage | None = None
    ) -> list[Passage]:
        rows = await self._ask(
            tenant,
            _SQL["without_vector"],
            model=model,
            limit=limit,
            agent=after.agent_id if after else "",
            user_id=after.user_id if after else "",
            after=after.id if after else "",
        )
        return [_to_passage(PassageOwner(tenant, row[11], row[10]), row) for row in rows]


async def _rewrite(transaction: Transaction, owner: PassageOwner, plan: Rewriting) -> None:
    vectors = {piece.passage.id: piece.vector for piece in plan.written if piece.vector}
    outdated = [*plan.replaced, *plan.gone]
    steps = {
        "next_revision": True,
        "remove_vectors": bool(outdated),
        "remove": bool(plan.gone),
        "write": bool(plan.written),
        "write_vectors": bool(vectors),
    }
    await transaction.finish(
        *[_SQL[name] for name, needed in steps.items() if needed],
        **_place(owner),
        **_vectors(vectors),
        rows=_rows(plan.written),
        removes=plan.removes,
        outdated=outdated,
        gone=[*plan.gone],
    )


def _place(owner: PassageOwner) -> dict[str, Value]:
    return {"agent": owner.agent, "user_id": owner.user}


def _chosen(chosen: Selection) -> dict[str, Value]:
    return {
        "agent": chosen.agent,
        "user_id": chosen.user,
        "session": chosen.session,
        "ids": None if chosen.ids is None else [*chosen.ids],
    }


def _rows(pieces: Sequence[NewPassage]) -> str:
    """Spell new rows; bytes become base64."""
    rows = [
        {
            "at": to_number(passage.at),
            "part": passage.part,
            "number": passage.number,
            "id": passage.id,
            "kind": passage.kind,
            "session": passage.session_id,
            "message": passage.message,
            "speaker": passage.speaker,
            "metadata": spell_metadata(passage.metadata),
            "sources": _JSON.encode(passage.sources).decode(),
            "text": passage.text,
            "entry": entry,
        }
        for passage, entry in ((piece.passage, piece.entry) for piece in pieces)
    ]
    return _JSON.encode(rows).decode()


def _vectors(vectors: Mapping[PassageId, Vector]) -> dict[str, Value]:
    rows = [{"id": id, "model": vector.model, "data": vector.data} for id, vector in vectors.items()]
    return {"vectored": [*vectors], "vectors": _JSON.encode(rows).decode()}


def _to_passage(owner: PassageOwner, row: Row) -> Passage:
    session, message, part, number, kind, speaker, at, text, metadata, sources = row[:10]
    return Passage(
        tenant_id=owner.tenant,
        agent_id=owner.agent,
        user_id=owner.user,
        session_id=session,
        message=message,
        part=part,
        number=number,
        kind=kind,
        speaker=speaker,
        at=to_instant(at),
        text=text,
        metadata=read_metadata(metadata),
        sources=_SOURCES.decode(sources),
    )


_JSON: Final = msgspec.json.Encoder()
_SOURCES: Final = msgspec.json.Decoder(tuple[str, ...])
