"""The tiered store itself."""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Final, TypeVar

from wellkept.contract.block_store import ANY, BlockStore, Decide, Expect
from wellkept.contract.capability import Capability
from wellkept.contract.clock import Clock, SystemClock
from wellkept.model.blocks import Block, BlockEdited, BlockRevision, Change
from wellkept.model.errors import Misconfigured, Refused
from wellkept.model.ids import TenantId
from wellkept.model.keys import BlockKey, Scope
from wellkept.wrappers.given import a_store
from wellkept.wrappers.tiered.cached import Cached, Placed
from wellkept.wrappers.tiered.debts import Owner
from wellkept.wrappers.tiered.patience import Missed
from wellkept.wrappers.tiered.stats import CacheStats

T = TypeVar("T")

TTL: Final = 60.0
"""Seconds that a copy is shown, unless told otherwise."""
TIMEOUT: Final = 0.05
"""Seconds that a call waits for the cache, unless told otherwise."""
_LONGEST: Final = 7 * 24 * 3600


class Tiered(BlockStore):
    """Reads through a cache, and writes the durable store first: `Tiered(cache=redis, durable=postgres)`.

    A read that begins after a write was acknowledged never gives an older
    text, to whoever reads through the same cache. What fails, is too slow or
    is unreadable in the cache is counted in `stats`, and never fails a call; a
    call waits at most `timeout` seconds for the cache, all in all. Where the
    cache was in trouble when a block was written, others may be shown its old
    copy until this store reaches the cache again, at most `ttl` seconds.
    `docs/why/consistency.md` has the protocol and its bounds.

    The cache may be any store of blocks, best one that keeps no history. What
    lies in it and is not from here is left alone.
    """

    def __init__(
        self,
        cache: BlockStore,
        durable: BlockStore,
        *,
        ttl: float = TTL,
        timeout: float = TIMEOUT,
        clock: Clock | None = None,
    ) -> None:
        """Keep blocks in `durable`, and copies of them in `cache` for `ttl` seconds.

        Raises:
            Misconfigured: One is no store, both are the same, or a number of seconds is not above 0.
        """
        for name, store in (("cache", cache), ("durable", durable)):
            a_store(store, wrapper="Tiered", argument=name)
        if cache is durable:
            raise Misconfigured(wrapper="Tiered", problem="cache and durable must be two stores")
        for name, seconds in (("ttl", ttl), ("timeout", timeout)):
            if not (math.isfinite(seconds) and 0 < seconds <= _LONGEST):
                problem = f"must be seconds above 0, at most {_LONGEST}"
                raise Misconfigured(wrapper="Tiered", argument=name, problem=problem)
        self._durable = durable
        self._cached = Cached(cache, ttl=timedelta(seconds=ttl), timeout=timeout, clock=clock or SystemClock())
        self.capabilities = _capabilities(cache, durable)  # type: ignore[misc] # as the class's, but of these stores

    @property
    def stats(self) -> CacheStats:
        """Count what the cache was worth, and what went wrong with it."""
        return self._cached.stats

    async def get(self, key: BlockKey) -> Block | None:
        (block,) = await self.get_many([key])
        return block

    async def get_many(self, keys: Sequence[BlockKey]) -> list[Block | None]:
        patience = self._cached.patience()
        looked = await self._cached.look(list(dict.fromkeys(keys)), patience)
        blocks = dict(looked.copies)
        if missing := [key for key in dict.fromkeys(keys) if key not in blocks]:
            as_of = self._cached.now()
            read = dict(zip(missing, await self._durable.get_many(missing), strict=True))
            await self._cached.fill(read, looked.places, as_of=as_of, patience=patience)
            blocks |= read
        await self._cached.pay_some(patience)
        return [blocks[key] for key in keys]

    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        return await self._write(
            block.key, lambda: self._durable.put(block, expect=expect, change=change), lambda edited: edited.block
        )

    async def edit(self, key: BlockKey, decide: Decide, *, change: Change, expect: Expect = ANY) -> BlockEdited:
        return await self._write(
            key,
            lambda: self._durable.edit(key, decide, change=change, expect=expect),
            lambda edited: edited.block,
        )

    async def delete(self, key: BlockKey, *, expect: Expect = ANY, change: Change) -> bool:
        return await self._write(
            key, lambda: self._durable.delete(key, expect=expect, change=change), lambda deleted: None
        )

    async def blocks(self, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
        return await self._durable.blocks(tenant, scope, owner)

    async def purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        of, patience = Owner(tenant, scope, owner), self._cached.patience()
        keys = {block.key for block in await self._durable.blocks(tenant, scope, owner)}
        keys |= await self._cached.keys_of(of, patience)
        fences: dict[BlockKey, Placed] = {}
        for key in sorted(keys):
            fences[key] = await self._cached.close_block(key, patience)
        try:
            count = await self._durable.purge(tenant, scope, owner)
        except BaseException:  # Nobody knows how much is gone.
            self._cached.owe(of)
            raise
        # Again, and all that is there by now: a block may have come since the keys were read.
        if not await self._cached.sweep(of, fences, patience):
            self._cached.owe(of)
        return count

    async def revisions(self, key: BlockKey, *, before: int | None = None, limit: int = 50) -> list[BlockRevision]:
        return await self._durable.revisions(key, before=before, limit=limit)

    async def check(self) -> list[str]:
        """Look at the durable store, and whether the cache answers: what lies in a cache cannot be wrong for long."""
        told = await self._cached.patience().ask(self._cached.store.facts())
        cache = ["the cache does not answer"] if told is Missed.MISSED else []
        return [*await self._durable.check(), *cache]

    async def facts(self) -> Mapping[str, str]:
        return await self._durable.facts()

    async def close(self) -> None:
        async with AsyncExitStack() as closing:  # Each is closed also when another fails.
            closing.push_async_callback(self._durable.close)
            closing.push_async_callback(self._cached.store.close)
            closing.push_async_callback(self._cached.end)

    async def _write(self, key: BlockKey, work: Callable[[], Awaitable[T]], written: Callable[[T], Block | None]) -> T:
        """Close the block in the cache, write the durable store, and open the block with a copy of what was written."""
        patience = self._cached.patience()
        fence = await self._cached.close_block(key, patience)
        try:
            answer = await work()
        except Refused:  # Nothing was changed.
            await self._cached.leave(key, fence, patience)
            raise
        except BaseException:  # Nobody knows whether it was written: the block stays closed.
            self._cached.give_up(key, fence)
            raise
        await self._cached.settle(key, fence, written(answer), patience)
        await self._cached.pay_some(patience)
        return answer


def _capabilities(cache: BlockStore, durable: BlockStore) -> frozenset[Capability]:
    """Processes share the data only where they share the cache; and a cache does not see what a person edits."""
    both = {Capability.SHARED} & cache.capabilities
    return durable.capabilities & ({Capability.HISTORY, Capability.DURABLE} | both)
