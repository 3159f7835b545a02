"""What the contracts of blocks and memories say, in plain dictionaries: what the in-process store is played beside."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from msgspec.structs import replace

from wellkept.contract.block_store import ANY, BlockStore, Expect, replaces
from wellkept.contract.capability import Capability
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.blocks import Block, BlockEdited, BlockRevision, Change
from wellkept.model.directory import Once
from wellkept.model.errors import AlreadyExists, Conflict, IdempotencyMismatch, NotFound
from wellkept.model.ids import MemoryId, TenantId
from wellkept.model.keys import BlockKey, Scope
from wellkept.model.memories import Memory, MemoryCreated, MemoryFound, Partitions, Pool, PoolRules
from wellkept.model.pages import Position
from wellkept.rules.evict import Candidate, excess, victims
from wellkept.rules.lexical import to_tsvector, web_query
from wellkept.rules.rank import rank, rank_tokens


class PlainBlocks(BlockStore):
    """Blocks by key, and what each said before."""

    capabilities: ClassVar[frozenset[Capability]] = frozenset({Capability.HISTORY})

    def __init__(self) -> None:
        self._now: dict[BlockKey, Block] = {}
        self._past: dict[BlockKey, list[BlockRevision]] = {}

    async def get(self, key: BlockKey) -> Block | None:
        return self._now.get(key)

    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        before = self._now.get(block.key)
        if replaces(before, block.text, key=block.key, expect=expect):
            self._become(block.key, block, change)
        now = self._now[block.key]
        return BlockEdited(block=now, changed=now is not before, etag_before=before.etag if before else None)

    async def delete(self, key: BlockKey, *, expect: Expect = ANY, change: Change) -> bool:
        if not replaces(self._now.get(key), None, key=key, expect=expect):
            return False
        self._become(key, None, change)
        return True

    async def blocks(self, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
        return [
            self._now[key] for key in sorted(self._now) if (key.tenant, key.scope, key.owner) == (tenant, scope, owner)
        ]

    async def purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        gone = [key for key in self._now if (key.tenant, key.scope, key.owner) == (tenant, scope, owner)]
        kept = [key for key in self._past if (key.tenant, key.scope, key.owner) != (tenant, scope, owner)]
        self._now = {key: block for key, block in self._now.items() if key not in gone}
        self._past = {key: self._past[key] for key in kept}
        return len(gone)

    async def revisions(self, key: BlockKey, *, before: int | None = None, limit: int = 50) -> list[BlockRevision]:
        past = [revision for revision in self._past.get(key, []) if before is None or revision.number < before]
        return past[::-1][:limit]

    def _become(self, key: BlockKey, block: Block | None, change: Change) -> None:
        before = self._now.pop(key, None)
        if block:
            self._now[key] = block
        past = self._past.setdefault(key, [])
        past.append(
            BlockRevision(
                key=key,
                number=len(past) + 1,
                text=block.text if block else None,
                actor=change.actor,
                at=change.at,
                session=change.session,
                etag_before=before.etag if before else None,
                etag_after=block.etag if block else None,
            )
        )


class PlainMemories(MemoryStore):
    """Rows by pool and id, sorted whenever somebody asks."""

    def __init__(self) -> None:
        self._pools: dict[Pool, dict[MemoryId, Memory]] = {}
        self._answers: dict[tuple[Pool, str, str], tuple[str, MemoryId]] = {}

    async def create(
        self,
        memory: Memory,
        *,
        rules: PoolRules,
        unless_in: tuple[str, ...] = (),
        touched: Mapping[MemoryId, datetime] | None = None,
        once: Once | None = None,
    ) -> MemoryCreated:
        rows = self._pools.setdefault(memory.pool, {})
        place = (memory.pool, once.operation, once.key) if once else None
        if once and place in self._answers:
            fingerprint, answer = self._answers[place]
            if fingerprint != once.fingerprint:
                raise IdempotencyMismatch(operation=once.operation)
            return MemoryCreated(memory=self._visible(memory.pool, answer, None), changed=False)
        for user in sorted(unless_in, key=lambda user: user != memory.user_id):
            for twin in self._seen(memory.pool, (user,)):
                if twin.text == memory.text:
                    if once and place:
                        self._answers[place] = once.fingerprint, twin.id
                    return MemoryCreated(memory=twin, changed=False)
        if memory.id in rows:
            raise AlreadyExists(memory=memory.id)
        await self.touch(memory.pool, touched or {})
        gone = victims(
            [Candidate(row.pinned, row.last_accessed_at, row.created_at, row.id, row.user_id) for row in rows.values()],
            rules=rules,
            need=excess(len(rows), rules),
            joining=memory.user_id,
        )
        for name in gone:
            del rows[name]
        rows[memory.id] = memory
        if once and place:
            self._answers[place] = once.fingerprint, memory.id
        return MemoryCreated(memory=memory, changed=True, evicted=gone)

    async def memory(self, pool: Pool, memory: MemoryId, *, partitions: Partitions) -> Memory | None:
        return next((row for row in self._seen(pool, partitions) if row.id == memory), None)

    async def rows(
        self, pool: Pool, *, partitions: Partitions, limit: int, after: Position | None = None, web: str | None = None
    ) -> list[Memory]:
        rows = [row for row in self._seen(pool, partitions) if not after or Position(row.created_at, row.id) < after]
        if web is not None:
            rows = [row for row in rows if web_query(web).matches(to_tsvector(row.text))]
        return rows[:limit]

    async def ranked(self, pool: Pool, query: str, *, partitions: Partitions, limit: int) -> list[MemoryFound]:
        rows = self._seen(pool, partitions)
        ranking = rank(query, [rank_tokens(row.text) for row in rows], limit=limit)
        return [MemoryFound(memory=rows[item.index], score=item.score, parts=item.parts) for item in ranking]

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
        row = self._visible(pool, memory, partitions)
        if expect not in (None, row.etag) and text != row.text:
            raise Conflict(memory=memory, etag=row.etag)
        after = replace(row, text=row.text if text is None else text, pinned=row.pinned if pinned is None else pinned)
        changed = after != row
        self._pools[pool][memory] = replace(after, last_accessed_at=at, updated_at=at if changed else row.updated_at)
        return self._pools[pool][memory]

    async def delete_memory(
        self, pool: Pool, memory: MemoryId, *, partitions: Partitions, expect: str | None = None
    ) -> bool:
        row = await self.memory(pool, memory, partitions=partitions)
        if row is None:
            return False
        if expect not in (None, row.etag):
            raise Conflict(memory=memory, etag=row.etag)
        del self._pools[pool][memory]
        return True

    async def touch(self, pool: Pool, touched: Mapping[MemoryId, datetime]) -> None:
        for row in self._seen(pool, None):
            later = max(row.last_accessed_at, touched.get(row.id, row.last_accessed_at))
            self._pools[pool][row.id] = replace(row, last_accessed_at=later)

    async def count(self, pool: Pool, *, partitions: Partitions = None) -> int:
        return len(self._seen(pool, partitions))

    async def purge_pool(self, pool: Pool) -> int:
        return len(self._pools.pop(pool, {}))

    def _seen(self, pool: Pool, partitions: Partitions) -> list[Memory]:
        rows = self._pools.get(pool, {}).values()
        seen = [row for row in rows if partitions is None or row.user_id in partitions]
        return sorted(seen, key=lambda row: (row.created_at, row.id), reverse=True)

    def _visible(self, pool: Pool, memory: MemoryId, partitions: Partitions) -> Memory:
        for row in self._seen(pool, partitions):
            if row.id == memory:
                return row
        raise NotFound(memory=memory)
