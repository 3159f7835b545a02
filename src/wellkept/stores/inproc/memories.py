"""Memories, in process."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from msgspec.structs import replace

from wellkept.contract.memory_store import MemoryStore
from wellkept.model.directory import Once
from wellkept.model.errors import AlreadyExists, Conflict, NotFound
from wellkept.model.ids import MemoryId
from wellkept.model.memories import Memory, MemoryCreated, MemoryFound, Partitions, Pool, PoolRules
from wellkept.model.pages import Position
from wellkept.rules.evict import Candidate, excess, victims
from wellkept.rules.lexical import web_query
from wellkept.rules.rank import rank
from wellkept.stores.inproc.data import Data, Row, Rows


class InprocMemories(MemoryStore):
    """The part of the store that keeps memories."""

    _data: Data

    async def create(
        self,
        memory: Memory,
        *,
        rules: PoolRules,
        unless_in: tuple[str, ...] = (),
        touched: Mapping[MemoryId, datetime] | None = None,
        once: Once | None = None,
    ) -> MemoryCreated:
        with self._data.lock:
            self._data.refuse_deleted(memory.tenant_id, memory.agent_id)
            pool, answers = self._data.pools[memory.pool], self._data.created[memory.pool]
            answered = answers.recall(once)
            if answered is not None:
                return MemoryCreated(memory=_visible(pool, MemoryId(answered), None).memory, changed=False)
            twin = _twin(pool, memory, unless_in)
            if twin is not None:
                answers.note(once, twin.id)
                return MemoryCreated(memory=twin, changed=False)
            if memory.id in pool.by_id:
                raise AlreadyExists(memory=memory.id)
            # From here on nothing can fail, so nothing needs to be taken back.
            _touch(pool, touched or {})
            evicted = _make_room(pool, rules, joining=memory.user_id)
            pool.add(Row(memory))
            answers.note(once, memory.id)
            return MemoryCreated(memory=memory, changed=True, evicted=evicted)

    async def memory(self, pool: Pool, memory: MemoryId, *, partitions: Partitions) -> Memory | None:
        with self._data.lock:
            row = _find(self._pool(pool), memory, partitions)
            return row.memory if row else None

    async def rows(
        self, pool: Pool, *, partitions: Partitions, limit: int, after: Position | None = None, web: str | None = None
    ) -> list[Memory]:
        query = None if web is None else web_query(web)
        found: list[Memory] = []
        with self._data.lock:
            for row in self._pool(pool).newest_first(after=after):
                if len(found) == limit:
                    break
                if _sees(partitions, row) and (query is None or query.matches(row.vector)):
                    found.append(row.memory)
        return found

    async def ranked(self, pool: Pool, query: str, *, partitions: Partitions, limit: int) -> list[MemoryFound]:
        with self._data.lock:
            rows = [row for row in self._pool(pool).newest_first() if _sees(partitions, row)]
            ranking = rank(query, [row.tokens for row in rows], limit=limit)
            return [MemoryFound(memory=rows[item.index].memory, score=item.score, parts=item.parts) for item in ranking]

    async def update(
        self,
        pool: Pool,
        memory: MemoryId,
        *,
        partitions: Partitions,
        at: datetime,
        text: str | None = None,
        pinned: bool | None = None,
        expect: str | None = None,
    ) -> Memory:
        with self._data.lock:
            rows = self._pool(pool)
            row = _visible(rows, memory, partitions)
            stored = row.memory
            if expect is not None and expect != stored.etag and text != stored.text:
                raise Conflict(memory=memory, etag=stored.etag)
            after = replace(
                stored,
                text=stored.text if text is None else text,
                pinned=stored.pinned if pinned is None else pinned,
                last_accessed_at=at,
            )
            if (after.text, after.pinned) != (stored.text, stored.pinned):
                after = replace(after, updated_at=at)
            if after.text == stored.text:
                row.memory = after
            else:
                rows.by_id[memory] = Row(after)
            return after

    async def delete_memory(
        self, pool: Pool, memory: MemoryId, *, partitions: Partitions, expect: str | None = None
    ) -> bool:
        with self._data.lock:
            rows = self._pool(pool)
            row = _find(rows, memory, partitions)
            if row is None:
                return False
            if expect not in (None, row.memory.etag):
                raise Conflict(memory=memory, etag=row.memory.etag)
            rows.remove(memory)
            return True

    async def touch(self, pool: Pool, touched: Mapping[MemoryId, datetime]) -> None:
        with self._data.lock:
            _touch(self._pool(pool), touched)

    async def count(self, pool: Pool, *, partitions: Partitions = None) -> int:
        with self._data.lock:
            return sum(_sees(partitions, row) for row in self._pool(pool).by_id.values())

    async def purge_pool(self, pool: Pool) -> int:
        with self._data.lock:
            return len(self._data.pools.pop(pool, Rows()).by_id)

    def _pool(self, pool: Pool) -> Rows:
        return self._data.pools.get(pool, Rows())


def _sees(partitions: Partitions, row: Row) -> bool:
    return partitions is None or row.memory.user_id in partitions


def _find(pool: Rows, memory: MemoryId, partitions: Partitions) -> Row | None:
    row = pool.by_id.get(memory)
    return row if row and _sees(partitions, row) else None


def _visible(pool: Rows, memory: MemoryId, partitions: Partitions) -> Row:
    row = _find(pool, memory, partitions)
    if row is None:
        raise NotFound(memory=memory)
    return row


def _twin(pool: Rows, memory: Memory, unless_in: tuple[str, ...]) -> Memory | None:
    """Find the newest row with the same text in the first partition that has one, the row's own before the others."""
    for user in sorted(unless_in, key=lambda user: user != memory.user_id):
        for row in pool.newest_first():
            if row.memory.user_id == user and row.memory.text == memory.text:
                return row.memory
    return None


def _touch(pool: Rows, touched: Mapping[MemoryId, datetime]) -> None:
    for memory, at in touched.items():
        row = pool.by_id.get(memory)
        if row and row.memory.last_accessed_at < at:
            row.memory = replace(row.memory, last_accessed_at=at)


def _make_room(pool: Rows, rules: PoolRules, *, joining: str) -> tuple[MemoryId, ...]:
    need = excess(len(pool.by_id), rules)
    gone = victims(_candidates(pool), rules=rules, need=need, joining=joining) if need else ()
    for memory in gone:
        pool.remove(memory)
    return gone


def _candidates(pool: Rows) -> Iterator[Candidate[datetime]]:
    for row in pool.by_id.values():
        memory = row.memory
        yield Candidate(memory.pinned, memory.last_accessed_at, memory.created_at, memory.id, memory.user_id)
