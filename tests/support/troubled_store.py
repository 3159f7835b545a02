"""A cache in trouble: it fails, hangs, or fails for some operations only."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Literal, TypeVar

from wellkept.contract.block_store import ANY, BlockStore, Decide, Expect
from wellkept.model.blocks import Block, BlockEdited, BlockRevision, Change
from wellkept.model.errors import StoreUnavailable
from wellkept.model.ids import TenantId
from wellkept.model.keys import BlockKey, Scope

T = TypeVar("T")

Trouble = Literal["none", "fails", "breaks", "hangs", "loses"]
"""`fails` as a store may; `breaks` with an error that no store should raise; `loses` the answer of what it did."""


class TroubledStore(BlockStore):
    """Another store, with trouble that a test switches on and off."""

    def __init__(self, inner: BlockStore, *, hung: float = 3600) -> None:
        self.inner = inner
        self.trouble: Trouble = "none"
        self.befalls: Callable[[str], bool] = lambda operation: True
        self.hung = hung
        self.calls: list[str] = []
        self.capabilities = inner.capabilities  # type: ignore[misc] # those of the store inside

    async def _do(self, operation: str, work: Coroutine[object, object, T]) -> T:
        self.calls.append(operation)
        trouble = self.trouble if self.befalls(operation) else "none"
        if trouble in ("fails", "breaks"):
            work.close()
            raise StoreUnavailable if trouble == "fails" else RuntimeError("a fault in the cache")
        if trouble == "hangs":
            try:
                await asyncio.sleep(self.hung)
            except asyncio.CancelledError:
                work.close()
                raise
        answer = await work
        if trouble == "loses":
            raise StoreUnavailable
        return answer

    async def get(self, key: BlockKey) -> Block | None:
        return await self._do("get", self.inner.get(key))

    async def get_many(self, keys: Sequence[BlockKey]) -> list[Block | None]:
        return await self._do("get", self.inner.get_many(keys))

    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        return await self._do("put", self.inner.put(block, expect=expect, change=change))

    async def edit(self, key: BlockKey, decide: Decide, *, change: Change, expect: Expect = ANY) -> BlockEdited:
        return await self._do("edit", self.inner.edit(key, decide, change=change, expect=expect))

    async def delete(self, key: BlockKey, *, expect: Expect = ANY, change: Change) -> bool:
        return await self._do("delete", self.inner.delete(key, expect=expect, change=change))

    async def blocks(self, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
        return await self._do("blocks", self.inner.blocks(tenant, scope, owner))

    async def purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        return await self._do("purge", self.inner.purge(tenant, scope, owner))

    async def revisions(self, key: BlockKey, *, before: int | None = None, limit: int = 50) -> list[BlockRevision]:
        return await self._do("revisions", self.inner.revisions(key, before=before, limit=limit))

    async def facts(self) -> dict[str, str]:
        return await self._do("facts", _nothing())

    async def close(self) -> None:
        self.calls.append("close")
        await self.inner.close()


async def _nothing() -> dict[str, str]:
    return {}
