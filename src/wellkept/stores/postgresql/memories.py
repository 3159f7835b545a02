"""Memories, in PostgreSQL."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import psycopg
from msgspec.structs import replace

from wellkept.contract.memory_store import MemoryStore
from wellkept.model.directory import Once
from wellkept.model.errors import AlreadyExists, Conflict, IdempotencyMismatch, NotFound
from wellkept.model.ids import MemoryId
from wellkept.model.memories import Memory, MemoryCreated, MemoryFound, Partitions, Pool, PoolRules
from wellkept.model.pages import Position
from wellkept.rules.evict import Candidate, excess, victims
from wellkept.rules.instants import to_number
from wellkept.rules.rank import rank_tokens
from wellkept.stores.postgresql.deleted_agents import REFUSE, refused
from wellkept.stores.postgresql.hops import Row, Transaction, Value
from wellkept.stores.postgresql.lists import Lists
from wellkept.stores.postgresql.once import PRUNE, values_of
from wellkept.stores.postgresql.rows import to_memory
from wellkept.stores.postgresql.statements import statements
from wellkept.stores.postgresql.web import vector_of

_SQL: Final = statements("memories.sql")
_LONG: Final = 1_000

PURGE_POOL: Final = (_SQL["lock_pool"], _SQL["delete_pools_row"], _SQL["delete_uses"], _SQL["delete_pool"])
"""Forgets all rows of an agent (`agent`); the last says how many there were."""

_MISMATCH: Final = "WK001"
"""The state that `wellkept.create_memory` raises when a key came with another request."""


class PostgresMemories(Lists, MemoryStore):
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
        values: dict[str, Value] = {
            **_new_row(memory),
            **await _words_of(memory.text),
            **_uses(touched or {}),
            **values_of(once, memory.created_at),
            "cap": rules.cap,
            "unless_in": list(unless_in),
        }
        statements = [*([PRUNE] if once else []), _SQL["create"]]
        try:
            with refused(memory.agent_id):
                if rules.per_user_reserve:
                    rows = await self._create_with_reserves(memory, rules, statements, values)
                else:
                    rows = await self._tell(memory.tenant_id, REFUSE, *statements, **values, victims=None)
        except psycopg.errors.UniqueViolation as error:
            raise AlreadyExists(memory=memory.id) from error
        except psycopg.Error as error:
            if once and error.sqlstate == _MISMATCH:
                raise IdempotencyMismatch(operation=once.operation) from error
            raise
        return _created(memory, rows[0])

    async def _create_with_reserves(
        self, memory: Memory, rules: PoolRules, statements: list[str], values: dict[str, Value]
    ) -> list[Row]:
        """Decide here who leaves, between two messages, while the pool is locked."""

        async def work(transaction: Transaction) -> list[Row]:
            rows = await transaction.run(REFUSE, _SQL["lock_pool"], _SQL["candidates"], **values)
            gone = victims(
                [Candidate[int](*row) for row in rows],
                rules=rules,
                need=excess(len(rows), rules),
                joining=memory.user_id,
            )
            return await transaction.finish(*statements, **values, victims=list(gone))

        return await self._transact(memory.tenant_id, work)

    async def memory(self, pool: Pool, memory: MemoryId, *, partitions: Partitions) -> Memory | None:
        return _seen(pool, await self._ask(pool.tenant, _SQL["get"], agent=pool.agent, id=memory), partitions)

    async def rows(
        self, pool: Pool, *, partitions: Partitions, limit: int, after: Position | None = None, web: str | None = None
    ) -> list[Memory]:
        if web is None:
            return await self._newest(pool, partitions, limit=limit, after=after)
        return await self._matching(pool, partitions, web, limit=limit, after=after)

    async def ranked(self, pool: Pool, query: str, *, partitions: Partitions, limit: int) -> list[MemoryFound]:
        return await self._ranked(pool, partitions, query, limit=limit)

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
        words = {} if text is None else await _words_of(text)

        async def work(transaction: Transaction) -> Memory:
            rows = await transaction.run(_SQL["get_locked"], agent=pool.agent, id=memory)
            stored = _seen(pool, rows, partitions)
            if stored is None:
                raise NotFound(memory=memory)
            if expect is not None and expect != stored.etag and text != stored.text:
                raise Conflict(memory=memory, etag=stored.etag)
            after = _updated(stored, text, pinned, at=at)
            rewritten = words and after.text != stored.text
            await transaction.finish(
                *([_SQL["update_text"]] if rewritten else []),
                _SQL["update_row"],
                _SQL["update_use"],
                agent=pool.agent,
                id=memory,
                text=after.text,
                pinned=after.pinned,
                updated_at=to_number(after.updated_at),
                last_accessed_at=to_number(after.last_accessed_at),
                **words,
            )
            return after

        return await self._transact(pool.tenant, work)

    async def delete_memory(
        self, pool: Pool, memory: MemoryId, *, partitions: Partitions, expect: str | None = None
    ) -> bool:
        async def work(transaction: Transaction) -> bool:
            rows = await transaction.run(_SQL["lock_pool"], _SQL["get_locked"], agent=pool.agent, id=memory)
            stored = _seen(pool, rows, partitions)
            if stored is None:
                await transaction.leave()
                return False
            if expect not in (None, stored.etag):
                raise Conflict(memory=memory, etag=stored.etag)
            gone = (_SQL["delete_use"], _SQL["delete"], _SQL["count_one_less"])
            await transaction.finish(*gone, agent=pool.agent, id=memory)
            return True

        return await self._transact(pool.tenant, work)

    async def touch(self, pool: Pool, touched: Mapping[MemoryId, datetime]) -> None:
        if touched:
            await self._mention(pool.tenant, _SQL["lock_pool"], _SQL["touch"], agent=pool.agent, **_uses(touched))

    async def count(self, pool: Pool, *, partitions: Partitions = None) -> int:
        if partitions is None:
            rows = await self._ask(pool.tenant, _SQL["count_pool"], agent=pool.agent)
        else:
            rows = await self._ask(pool.tenant, _SQL["count_partitions"], agent=pool.agent, partitions=list(partitions))
        return int(rows[0][0])

    async def purge_pool(self, pool: Pool) -> int:
        ((count,),) = await self._tell(pool.tenant, *PURGE_POOL, agent=pool.agent)
        return int(count)


def _new_row(memory: Memory) -> dict[str, Value]:
    return {
        "agent": memory.agent_id,
        "id": memory.id,
        "user_id": memory.user_id,
        "pinned": memory.pinned,
        "origin": memory.origin,
        "status": memory.status,
        "created_at": to_number(memory.created_at),
        "updated_at": to_number(memory.updated_at),
        "last_accessed_at": to_number(memory.last_accessed_at),
        "text": memory.text,
    }


def _uses(touched: Mapping[MemoryId, datetime]) -> dict[str, Value]:
    return {"touched": [*touched], "touched_at": [to_number(at) for at in touched.values()]}


def _created(memory: Memory, row: Row) -> MemoryCreated:
    answered_with, evicted, _, id, *_ = row
    if answered_with is None:
        return MemoryCreated(memory=memory, changed=True, evicted=tuple(map(MemoryId, evicted)))
    if id is None:
        raise NotFound(memory=answered_with)
    return MemoryCreated(memory=to_memory(memory.pool, row[2:]), changed=False)


def _seen(pool: Pool, rows: list[Row], partitions: Partitions) -> Memory | None:
    if not rows:
        return None
    found = to_memory(pool, rows[0])
    return found if partitions is None or found.user_id in partitions else None


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


async def _words_of(text: str) -> dict[str, Value]:
    """Read the words of a text for both modes of search: once, and before anything is locked."""
    if len(text) <= _LONG:
        return _read_words(text)
    return await asyncio.to_thread(_read_words, text)  # it takes milliseconds, which an event loop does not have


def _read_words(text: str) -> dict[str, Value]:
    return {"web_vector": vector_of(text), "rank_tokens": rank_tokens(text).encode()}
