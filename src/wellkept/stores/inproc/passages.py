"""Passages, in process."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from msgspec.structs import replace

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
from wellkept.rules.whole_messages import messages_of, rewriting
from wellkept.stores.inproc.data import Data, newest_first
from wellkept.stores.inproc.spoken import Piece, Spoken


class InprocPassages(PassageStore):
    """The part of the store that keeps passages."""

    _data: Data

    async def put_passages(self, owner: PassageOwner, pieces: Sequence[NewPassage]) -> PassagesPut:
        messages = messages_of(owner, pieces)
        with self._data.lock:
            self._data.refuse_deleted(owner.tenant, owner.agent)
            plan = rewriting(pieces, self._spoken(owner).pieces_of(messages))
            if plan.changes:
                spoken = self._data.spoken.setdefault(owner, Spoken())
                revision = _next(self._data, spoken, removes=plan.removes)
                spoken.remove(plan.gone)
                spoken.put(_new(piece, revision) for piece in plan.written)
            return plan.put

    async def put_vectors(self, owner: PassageOwner, vectors: Mapping[PassageId, Vector]) -> int:
        with self._data.lock:
            spoken = self._spoken(owner)
            found = [spoken.by_id[id] for id in vectors if id in spoken.by_id]
            if found:
                revision = _next(self._data, spoken, removes=False)
                for piece in found:
                    vector = vectors[piece.passage.id]
                    piece.vectors[vector.model] = vector
                    piece.revision = revision
                spoken.put(found)
            return len(found)

    async def stamp(self, owner: PassageOwner) -> PassageStamp:
        with self._data.lock:
            return self._spoken(owner).stamp

    async def changed_since(
        self, owner: PassageOwner, revision: int, *, model: str | None, limit: int, after: PassageId | None = None
    ) -> list[StoredPassage]:
        def is_behind(piece: Piece) -> bool:
            if after is None or piece.revision != revision:
                return piece.revision > revision
            return piece.passage.id > after

        with self._data.lock:
            changed = list(takewhile(is_behind, self._spoken(owner).latest_first()))
            return [piece.given(model) for piece in changed[::-1][:limit]]

    async def passage_ids(self, owner: PassageOwner) -> frozenset[PassageId]:
        with self._data.lock:
            return frozenset(self._spoken(owner).by_id)

    async def passages(self, owner: PassageOwner, ids: Sequence[PassageId]) -> dict[PassageId, Passage]:
        with self._data.lock:
            known = self._spoken(owner).by_id
            return {id: known[id].passage for id in ids if id in known}

    async def listed(self, chosen: Selection, *, limit: int, after: Position | None = None) -> list[Passage]:
        with self._data.lock:
            return newest_first(
                (piece.passage for _, pieces in _chosen(self._data, chosen) for piece in pieces),
                lambda passage: Position(passage.at, passage.id),
                limit=limit,
                after=after,
            )

    async def last_number(self, owner: PassageOwner, session: SessionId) -> int:
        with self._data.lock:
            spoken = (piece.passage for piece in self._spoken(owner).by_id.values())
            return max((one.number for one in spoken if one.session_id == session and one.kind == "message"), default=0)

    async def delete_passages(self, chosen: Selection) -> int:
        with self._data.lock:
            return forget(self._data, chosen)

    async def purge_user_passages(self, tenant: TenantId, user: UserId) -> int:
        data = self._data
        with data.lock:
            owners = [owner for owner in data.spoken if (owner.tenant, owner.user) == (tenant, user)]
            return sum(len(data.spoken.pop(owner).by_id) for owner in owners)

    async def count_passages(self, tenant: TenantId, agent: AgentId | None = None) -> PassageCounts:
        with self._data.lock:
            counted = {
                owner: list(spoken.by_id.values())
                for owner, spoken in self._data.spoken.items()
                if owner.tenant == tenant and agent in (None, owner.agent)
            }
            pieces = [(owner, piece) for owner, theirs in counted.items() for piece in theirs]
            return PassageCounts(
                passages=len(pieces),
                users=len({owner.user for owner in counted}),
                sessions=len({(owner, piece.passage.session_id) for owner, piece in pieces}),
                vectors=Counter(model for _, piece in pieces for model in piece.vectors),
            )

    async def without_vector(
        self, tenant: TenantId, model: str, *, limit: int, after: Passage | None = None
    ) -> list[Passage]:
        with self._data.lock:
            missing = [
                piece.passage
                for owner, spoken in self._data.spoken.items()
                if owner.tenant == tenant
                for piece in spoken.by_id.values()
                if model not in piece.vectors and (after is None or _place(piece.passage) > _place(after))
            ]
            return sorted(missing, key=_place)[:limit]

    def _spoken(self, owner: PassageOwner) -> Spoken:
        return self._data.spoken.get(owner, Spoken())


def forget(data: Data, chosen: Selection) -> int:
    """Forget passages; say how many there were. Whoever calls holds the lock."""
    gone = 0
    for owner, pieces in list(_chosen(data, chosen)):
        spoken = data.spoken[owner]
        spoken.remove([piece.passage.id for piece in pieces])
        if not spoken.by_id:
            del data.spoken[owner]
        elif pieces:
            _next(data, spoken, removes=True)
        gone += len(pieces)
    return gone


def _chosen(data: Data, chosen: Selection) -> Iterator[tuple[PassageOwner, list[Piece]]]:
    for owner, spoken in data.spoken.items():
        if (owner.tenant, owner.agent) == (chosen.tenant, chosen.agent) and chosen.user in (None, owner.user):
            yield owner, [piece for piece in spoken.by_id.values() if _selects(chosen, piece.passage)]


def _selects(chosen: Selection, passage: Passage) -> bool:
    return chosen.session in (None, passage.session_id) and (chosen.ids is None or passage.id in chosen.ids)


def _place(passage: Passage) -> tuple[str, str, str]:
    return passage.agent_id, passage.user_id, passage.id


def _new(piece: NewPassage, revision: int) -> Piece:
    vectors = {piece.vector.model: piece.vector} if piece.vector else {}
    return Piece(piece.passage, piece.entry, vectors, revision)


def _next(data: Data, spoken: Spoken, *, removes: bool) -> int:
    """Take the next revision for an owner; the first one of an owner says that all before it is gone."""
    data.last_revision += 1
    if removes or not spoken.stamp.revision:
        spoken.stamp = PassageStamp(data.last_revision, data.last_revision)
    else:
        spoken.stamp = replace(spoken.stamp, revision=data.last_revision)
    return data.last_revision
