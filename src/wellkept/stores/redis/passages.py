"""Passages under a few keys an owner, in Redis, Valkey or a cluster of them."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Final, TypeVar, cast

from wellkept.contract.passage_store import PassageStore
from wellkept.model.errors import StoreCorrupt, StoreFailed
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
from wellkept.rules.whole_messages import messages_of
from wellkept.stores.redis import passage_rows, sweep
from wellkept.stores.redis.link import Command, Link, Refusal, Reply, Word
from wellkept.stores.redis.passage_keys import OwnersKeys, PassageKeys
from wellkept.stores.redis.problems import translated
from wellkept.stores.redis.scripts import Script, load

T = TypeVar("T")

_AT_ONCE: Final = 500
"""Rows that the server reads, and vectors that it writes, in one step, while others wait."""

_MEMBERS_AT_ONCE: Final = 5_000

_PUT: Final = load("passages.lua", "put_passages.lua")
_PUT_VECTORS: Final = load("passages.lua", "put_vectors.lua")
_REMOVE: Final = load("passages.lua", "remove_passages.lua")
_CHANGES: Final = load("passages.lua", "changes.lua")
_LAST_NUMBER: Final = load("passages.lua", "last_number.lua")
_WITHOUT_VECTOR: Final = load("passages.lua", "without_vector.lua")
_COUNT: Final = load("passages.lua", "count_passages.lua")


class RedisPassages(PassageStore):
    """The part of the store that keeps passages.

    All of an owner's lie in one slot of a cluster, and each change of them is
    one script: a step of the server. What concerns several owners is done one owner after the other.
    """

    _link: Link
    _passage_keys: PassageKeys

    async def put_passages(self, owner: PassageOwner, pieces: Sequence[NewPassage]) -> PassagesPut:
        messages = messages_of(owner, pieces)
        if not messages:
            return PassagesPut()
        arguments: list[Word] = [len(messages), *map(passage_rows.place_of_message, messages)]
        for piece in {piece.passage.id: piece for piece in pieces}.values():
            arguments += (piece.passage.id, passage_rows.spell(piece.passage), piece.entry)
            arguments += (piece.vector.model, piece.vector.data) if piece.vector else ("", "")
        stored, replaced, unchanged, removed = map(_number, await self._run(_PUT, owner, *arguments))
        return PassagesPut(stored=stored, replaced=replaced, unchanged=unchanged, removed=removed)

    async def put_vectors(self, owner: PassageOwner, vectors: Mapping[PassageId, Vector]) -> int:
        there = 0
        for some in _portions(list(vectors.items()), _AT_ONCE):
            arguments = [word for id, vector in some for word in (id, vector.model, vector.data)]
            (count,) = await self._run(_PUT_VECTORS, owner, *arguments)
            there += _number(count)
        return there

    async def stamp(self, owner: PassageOwner) -> PassageStamp:
        keys = self._passage_keys.of(owner)
        (reply,) = await self._ask(("HMGET", keys.stamp, "revision", "removals"))
        revision, removals = cast("list[bytes | None]", reply)
        return PassageStamp(_number(revision), _number(removals))

    async def changed_since(
        self, owner: PassageOwner, revision: int, *, model: str | None, limit: int, after: PassageId | None = None
    ) -> list[StoredPassage]:
        keys = self._passage_keys.of(owner)
        found: list[StoredPassage] = []
        while len(found) < limit:
            most = min(limit - len(found), _AT_ONCE)
            words = await self._run(_CHANGES, owner, revision, after or "", most, model or "", again=True)
            for id, number, row, vector in zip(*(words[part::4] for part in range(4)), strict=True):
                passage, entry = self._to_passage(owner, keys, row)
                revision, after = _number(number), PassageId(_text(id))
                data = Vector(model=model, data=vector) if model and isinstance(vector, bytes) else None
                found.append(StoredPassage(passage=passage, revision=revision, entry=entry, vector=data))
            if len(words) < 4 * most:
                break
        return found

    async def passage_ids(self, owner: PassageOwner) -> frozenset[PassageId]:
        places = self._members(self._passage_keys.of(owner).places, b"-", b"+")
        return frozenset([PassageId(id) async for some in places for id in passage_rows.ids_of(some)])

    async def passages(self, owner: PassageOwner, ids: Sequence[PassageId]) -> dict[PassageId, Passage]:
        keys = self._passage_keys.of(owner)
        found: dict[PassageId, Passage] = {}
        for some in _portions(ids, _AT_ONCE):
            (rows,) = await self._ask(("HMGET", keys.rows, *some))
            for row in cast("list[Reply]", rows):
                if row is not None:
                    passage, _ = self._to_passage(owner, keys, row)
                    found[passage.id] = passage
        return found

    async def listed(self, chosen: Selection, *, limit: int, after: Position | None = None) -> list[Passage]:
        found: list[Passage] = []
        for owner in await self._owners(chosen.tenant, agent=chosen.agent, user=chosen.user):
            if chosen.session is None and chosen.ids is None:
                found += await self._newest(owner, limit=limit, after=after)
            else:
                found += [passage for passage in await self._chosen(owner, chosen) if _is_behind(passage, after)]
        return sorted(found, key=_newness, reverse=True)[:limit]

    async def last_number(self, owner: PassageOwner, session: SessionId) -> int:
        place = passage_rows.place_of_session(session, "message")
        (number,) = await self._run(_LAST_NUMBER, owner, place, again=True)
        return _number(number)

    async def delete_passages(self, chosen: Selection) -> int:
        place = b"" if chosen.session is None else passage_rows.place_of_session(chosen.session)
        removed = 0
        for owner in await self._owners(chosen.tenant, agent=chosen.agent, user=chosen.user):
            if chosen.ids is not None:
                for ids in _portions(chosen.ids, _AT_ONCE):
                    removed += await self._remove(owner, "some", place, 1, *ids)
            elif chosen.session is not None:
                removed += await self._remove(owner, "some", place, 0)
            else:
                removed += await self._remove(owner, "all")
        return removed

    async def purge_user_passages(self, tenant: TenantId, user: UserId) -> int:
        owners = await self._owners(tenant, user=user)
        return sum([await self._remove(owner, "all") for owner in owners])

    async def count_passages(self, tenant: TenantId, agent: AgentId | None = None) -> PassageCounts:
        passages, sessions = 0, 0
        users: set[UserId] = set()
        vectors: Counter[str] = Counter()
        for owner in await self._owners(tenant, agent=agent):
            count, spoken, *by_model = await self._run(_COUNT, owner, again=True)
            passages += _number(count)
            sessions += _number(spoken)
            users |= {owner.user} if count else set()
            for model, number in zip(by_model[::2], by_model[1::2], strict=True):
                vectors[_text(model)] += _number(number)
        return PassageCounts(passages=passages, users=len(users), sessions=sessions, vectors=dict(vectors))

    async def without_vector(
        self, tenant: TenantId, model: str, *, limit: int, after: Passage | None = None
    ) -> list[Passage]:
        found = await self._unembedded(after.owner, model, limit=limit, after=after.id) if after else []
        if len(found) == limit:
            return found
        for owner in await self._owners(tenant):
            if after is None or owner > after.owner:
                found += await self._unembedded(owner, model, limit=limit - len(found))
            if len(found) == limit:
                break
        return found

    async def _unembedded(
        self, owner: PassageOwner, model: str, *, limit: int, after: PassageId | None = None
    ) -> list[Passage]:
        found: list[Passage] = []
        ids = sorted(id for id in await self.passage_ids(owner) if after is None or id > after)
        for some in _portions(ids, _AT_ONCE):
            lacking = await self._run(_WITHOUT_VECTOR, owner, model, *some, again=True)
            passages = await self.passages(owner, [PassageId(_text(id)) for id in lacking[: limit - len(found)]])
            found += passages.values()
            if len(found) == limit:
                break
        return found

    async def _newest(self, owner: PassageOwner, *, limit: int, after: Position | None) -> list[Passage]:
        keys = self._passage_keys.of(owner)
        end = b"+" if after is None else b"(" + passage_rows.time_of(after)
        found: list[Passage] = []
        while len(found) < limit:
            most = min(limit - len(found), _AT_ONCE)
            (reply,) = await self._ask(("ZREVRANGEBYLEX", keys.times, end, "-", "LIMIT", 0, most))
            times = cast("list[bytes]", reply)
            passages = await self.passages(owner, [PassageId(id) for id in passage_rows.ids_of(times)])
            there = set(times)  # what got another time since is not at its place in the list
            found += [one for one in passages.values() if passage_rows.time_of(_newness(one)) in there]
            if len(times) < most:
                break
            end = b"(" + times[-1]
        return found

    async def _chosen(self, owner: PassageOwner, chosen: Selection) -> list[Passage]:
        """Read what is chosen by session or by id."""
        if chosen.ids is not None:
            passages = (await self.passages(owner, chosen.ids)).values()
            return [one for one in passages if chosen.session in (None, one.session_id)]
        place = passage_rows.place_of_session(chosen.session or SessionId(""))
        members = self._members(self._passage_keys.of(owner).places, b"[" + place, b"(" + place[:-1] + b"\1")
        ids = [PassageId(id) async for some in members for id in passage_rows.ids_of(some)]
        return list((await self.passages(owner, ids)).values())

    async def _members(self, key: str, start: bytes, stop: bytes) -> AsyncIterator[list[bytes]]:
        """Yield members in their order, some at a time; one that is there all the time is among them."""
        while True:
            (reply,) = await self._ask(("ZRANGEBYLEX", key, start, stop, "LIMIT", 0, _MEMBERS_AT_ONCE))
            members = cast("list[bytes]", reply)
            yield members
            if len(members) < _MEMBERS_AT_ONCE:
                break
            start = b"(" + members[-1]

    async def _owners(
        self, tenant: TenantId, *, agent: AgentId | None = None, user: UserId | None = None
    ) -> list[PassageOwner]:
        """Give those who have passages, in their order: by a look at every key, which no list can lead astray."""
        if agent is not None and user is not None:
            return [PassageOwner(tenant, agent, user)]
        pattern = self._passage_keys.pattern(tenant, agent=agent, user=user)
        found = [self._passage_keys.read(key) async for key in sweep.keys_like(self._link, pattern)]
        return sorted({owner for owner in found if owner})

    async def _remove(self, owner: PassageOwner, *arguments: Word) -> int:
        (count,) = await self._run(_REMOVE, owner, *arguments)
        return _number(count)

    async def _run(self, script: Script, owner: PassageOwner, *arguments: Word, again: bool = False) -> list[Reply]:
        word, more = await script.words(self._link, self._passage_keys.of(owner).all, *arguments, again=again)
        if word == "damaged":
            raise StoreCorrupt(store=self._link.name, key=_text(more[0]), problem="no passages lie there")
        return more

    async def _ask(self, *commands: Command) -> list[Reply]:
        replies = await self._link.send(commands, again=True)
        for command, reply in zip(commands, replies, strict=True):
            if isinstance(reply, Refusal):
                raise translated(reply, store=self._link.name, key=str(command[1]))
            if not isinstance(reply, list):
                raise StoreFailed(store=self._link.name, reason="UNEXPECTED")
        return replies

    def _to_passage(self, owner: PassageOwner, keys: OwnersKeys, row: Reply) -> tuple[Passage, bytes]:
        found = row if isinstance(row, bytes) else b""
        return passage_rows.read(owner, found, spelled=keys.rows, store=self._link.name)


def _portions(items: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    return (items[begin : begin + most] for begin in range(0, len(items), most))


def _newness(passage: Passage) -> Position:
    return Position(passage.at, passage.id)


def _is_behind(passage: Passage, after: Position | None) -> bool:
    return after is None or _newness(passage) < after


def _number(reply: Reply) -> int:
    return int(reply) if isinstance(reply, int | bytes) else 0


def _text(reply: Reply) -> str:
    return reply.decode() if isinstance(reply, bytes) else ""
