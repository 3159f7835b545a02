"""Memories, in SQLite."""

import asyncio
import sqlite3
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from wellkept.contract.memory_store import MemoryStore
from wellkept.model.directory import Once
from wellkept.model.errors import AlreadyExists, Conflict, NotFound
from wellkept.model.ids import MemoryId
from wellkept.model.memories import Memory, MemoryCreated, MemoryFound, Partitions, Pool, PoolRules
from wellkept.model.pages import Position
from wellkept.rules.evict import Candidate, excess, victims
from wellkept.rules.instants import to_number
from wellkept.rules.lexical import to_tsvector
from wellkept.rules.rank import rank_tokens
from wellkept.stores.sqlite import deleted_agents, lists
from wellkept.stores.sqlite import once as once_only
from wellkept.stores.sqlite.hops import Hops
from wellkept.stores.sqlite.rows import to_memory
from wellkept.stores.sqlite.statements import statements

_SQL: Final = statements("memories.sql")
_LONG: Final = 1_000


class SqliteMemories(Hops, MemoryStore):
    """The part of the store that keeps memories."""

    async def create(
        self,
        memory: Memory,
        *,
        rules: PoolRules,
        unless_in: tuple[str, ...] = (),
        touched: Mapping[MemoryId, datetime] | None = None,
        once: Once | None = None,
    ) -> MemoryCreated:
        words = await _words_of(memory.text)
        return await self._write(lambda db: _create(db, memory, words, rules, unless_in, touched or {}, once))

    async def memory(self, pool: Pool, memory: MemoryId, *, partitions: Partitions) -> Memory | None:
        return await self._read(lambda db: _find(db, pool, memory, partitions))

    async def rows(
        self, pool: Pool, *, partitions: Partitions, limit: int, after: Position | None = None, web: str | None = None
    ) -> list[Memory]:
        if web is None:
            return await self._read(lambda db: lists.newest(db, pool, partitions, limit=limit, after=after))
        return await self._read(lambda db: lists.matching(db, pool, partitions, web, limit=limit, after=after))

    async def ranked(self, pool: Pool, query: str, *, partitions: Partitions, limit: int) -> list[MemoryFound]:
        return await self._read(lambda db: lists.ranked(db, pool, partitions, query, limit=limit))

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
        words = None if text is None else await _words_of(text)

        def work(db: sqlite3.Connection) -> Memory:
            stored = _visible(db, pool, memory, partitions)
            if expect is not None and expect != stored.etag and text != stored.text:
                raise Conflict(memory=memory, etag=stored.etag)
            after = _updated(stored, text, pinned, at=at)
            if words and after.text != stored.text:
                db.execute(_SQL["update_text"], (after.text, *words, pool.tenant, pool.agent, memory))
            db.execute(
                _SQL["update_row"],
                (
                    after.pinned,
                    to_number(after.updated_at),
                    to_number(after.last_accessed_at),
                    *(pool.tenant, pool.agent, memory),
                ),
            )
            return after

        return await self._write(work)

    async def delete_memory(
        self, pool: Pool, memory: MemoryId, *, partitions: Partitions, expect: str | None = None
    ) -> bool:
        return await self._write(lambda db: _delete(db, pool, memory, partitions, expect))

    async def touch(self, pool: Pool, touched: Mapping[MemoryId, datetime]) -> None:
        await self._write(lambda db: _touch(db, pool, touched))

    async def count(self, pool: Pool, *, partitions: Partitions = None) -> int:
        return await self._read(lambda db: _count(db, pool, partitions))

    async def purge_pool(self, pool: Pool) -> int:
        return await self._write(lambda db: purge_pool(db, pool))


def purge_pool(db: sqlite3.Connection, pool: Pool) -> int:
    """Forget all rows of an agent; say how many there were."""
    return db.execute(_SQL["delete_pool"], (pool.tenant, pool.agent)).rowcount


def _create(
    db: sqlite3.Connection,
    memory: Memory,
    words: tuple[str, str],
    rules: PoolRules,
    unless_in: tuple[str, ...],
    touched: Mapping[MemoryId, datetime],
    once: Once | None,
) -> MemoryCreated:
    pool = memory.pool
    deleted_agents.refuse(db, pool.tenant, pool.agent)
    answered = once and once_only.recall(db, pool.tenant, pool.agent, once, at=memory.created_at)
    if answered:
        return MemoryCreated(memory=_visible(db, pool, MemoryId(answered), None), changed=False)
    twin = _twin(db, memory, unless_in)
    if once:
        resource = twin.id if twin else memory.id
        once_only.note(db, pool.tenant, pool.agent, once, resource, at=memory.created_at)
    if twin:
        return MemoryCreated(memory=twin, changed=False)
    _touch(db, pool, touched)
    evicted = _make_room(db, pool, rules, joining=memory.user_id)
    if memory.id in evicted:
        raise AlreadyExists(memory=memory.id)
    _insert(db, memory, words)
    return MemoryCreated(memory=memory, changed=True, evicted=evicted)


def _insert(db: sqlite3.Connection, memory: Memory, words: tuple[str, str]) -> None:
    try:
        db.execute(
            _SQL["insert"],
            (
                *(memory.tenant_id, memory.agent_id, memory.id, memory.user_id),
                *(memory.pinned, memory.origin, memory.status),
                *(to_number(memory.created_at), to_number(memory.updated_at), to_number(memory.last_accessed_at)),
                memory.text,
                *words,
            ),
        )
    except sqlite3.IntegrityError as error:
        raise AlreadyExists(memory=memory.id) from error


def _make_room(db: sqlite3.Connection, pool: Pool, rules: PoolRules, *, joining: str) -> tuple[MemoryId, ...]:
    need = excess(_count(db, pool, None), rules)
    if not need:
        return ()
    place = (pool.tenant, pool.agent)
    if rules.per_user_reserve:
        rows = [Candidate[int](*row) for row in db.execute(_SQL["candidates"], place)]
        gone = victims(rows, rules=rules, need=need, joining=joining)
    else:
        # Without reserves the rule is an order, which an index keeps.
        gone = tuple(memory for (memory,) in db.execute(_SQL["least_used"], (*place, need)))
    db.executemany(_SQL["delete"], [(*place, memory) for memory in gone])
    return gone


def _twin(db: sqlite3.Connection, memory: Memory, unless_in: tuple[str, ...]) -> Memory | None:
    """Find the newest row with the same text in the first partition that has one, the row's own before the others."""
    pool = memory.pool
    for user in sorted(unless_in, key=lambda user: user != memory.user_id):
        row = db.execute(_SQL["twin"], (pool.tenant, pool.agent, user, memory.text)).fetchone()
        if row:
            return to_memory(pool, row)
    return None


def _find(db: sqlite3.Connection, pool: Pool, memory: MemoryId, partitions: Partitions) -> Memory | None:
    row = db.execute(_SQL["get"], (pool.tenant, pool.agent, memory)).fetchone()
    if row is None:
        return None
    found = to_memory(pool, row)
    return found if partitions is None or found.user_id in partitions else None


def _visible(db: sqlite3.Connection, pool: Pool, memory: MemoryId, partitions: Partitions) -> Memory:
    found = _find(db, pool, memory, partitions)
    if found is None:
        raise NotFound(memory=memory)
    return found


def _updated(stored: Memory, text: str | None, pinned: bool | None, *, at: datetime) -> Memory:
    after = replace(
        stored,
        text=stored.text if text is None else text,
        pinned=stored.pinned if pinned is None else pinned,
        last_accessed_at=at,
    )
    if (after.text, after.pinned) == (stored.text, stored.pinned):
        return after
    return replace(after, updated_at=at)


def _delete(db: sqlite3.Connection, pool: Pool, memory: MemoryId, partitions: Partitions, expect: str | None) -> bool:
    stored = _find(db, pool, memory, partitions)
    if stored is None:
        return False
    if expect not in (None, stored.etag):
        raise Conflict(memory=memory, etag=stored.etag)
    db.execute(_SQL["delete"], (pool.tenant, pool.agent, memory))
    return True


def _touch(db: sqlite3.Connection, pool: Pool, touched: Mapping[MemoryId, datetime]) -> None:
    db.executemany(_SQL["touch"], [(pool.tenant, pool.agent, memory, to_number(at)) for memory, at in touched.items()])


def _count(db: sqlite3.Connection, pool: Pool, partitions: Partitions) -> int:
    place = (pool.tenant, pool.agent)
    if partitions is None:
        return int(db.execute(_SQL["count_pool"], place).fetchone()[0])
    return sum(db.execute(_SQL["count_partition"], (*place, user)).fetchone()[0] for user in set(partitions))


async def _words_of(text: str) -> tuple[str, str]:
    """Read the words of a text for both modes of search: once, and before it waits for the write lock."""
    if len(text) <= _LONG:
        return _read_words(text)
    return await asyncio.to_thread(_read_words, text)  # it takes milliseconds, which an event loop does not have


def _read_words(text: str) -> tuple[str, str]:
    return to_tsvector(text).encode(), rank_tokens(text).encode()
