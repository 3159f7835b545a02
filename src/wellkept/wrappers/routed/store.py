"""The routed store itself."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack

from wellkept.contract.block_store import ANY, BlockStore, Decide, Expect
from wellkept.contract.capability import Capability
from wellkept.model.blocks import Block, BlockEdited, BlockRevision, Change
from wellkept.model.errors import Misconfigured
from wellkept.model.ids import TenantId
from wellkept.model.keys import BlockKey, Scope
from wellkept.wrappers.routed.routes import Route, Routes


class Routed(BlockStore):
    """Keeps each owner's blocks in one of several stores: `Routed(user=files, default=postgres)`.

    A mapping says the same: `Routed({"user": files, "default": postgres})`. A
    function `route(scope, owner, tenant)` goes before both where it answers
    with a store. A block without a route is refused with `NoRoute` when it is
    first used.

    It can do what each of its stores can. What a function may answer with is
    not known before: with one, `capabilities` are empty. The stores by name are
    closed with it, each once; those of a function belong to who wrote it.
    """

    def __init__(
        self,
        stores: Mapping[str, BlockStore] | None = None,
        /,
        *,
        user: BlockStore | None = None,
        agent: BlockStore | None = None,
        shared: BlockStore | None = None,
        default: BlockStore | None = None,
        route: Route | None = None,
    ) -> None:
        """Route by scope (`user`, `agent`, `shared`), by a function, and else to `default`.

        Raises:
            Misconfigured: There is no store at all, a name that is no route, a route that is there twice, or a value
                that is no store.
        """
        named = dict(stores or {})
        words = {"user": user, "agent": agent, "shared": shared, "default": default}
        for name, store in words.items():
            if store is not None and named.setdefault(name, store) is not store:
                raise Misconfigured(wrapper="Routed", argument=name, problem="it is there twice")
        self._routes = Routes(named, route)
        self.capabilities = _common(named, route)  # type: ignore[misc] # as the class's, but of these stores

    async def get(self, key: BlockKey) -> Block | None:
        return await self._of(key).get(key)

    async def get_many(self, keys: Sequence[BlockKey]) -> list[Block | None]:
        asked: dict[BlockStore, list[BlockKey]] = {}
        for key in keys:
            asked.setdefault(self._of(key), []).append(key)
        answers = await asyncio.gather(*(store.get_many(of) for store, of in asked.items()))
        found: dict[BlockKey, Block | None] = {}
        for of, blocks in zip(asked.values(), answers, strict=True):
            found.update(zip(of, blocks, strict=True))
        return [found[key] for key in keys]

    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        return await self._of(block.key).put(block, expect=expect, change=change)

    async def edit(self, key: BlockKey, decide: Decide, *, change: Change, expect: Expect = ANY) -> BlockEdited:
        return await self._of(key).edit(key, decide, change=change, expect=expect)

    async def delete(self, key: BlockKey, *, expect: Expect = ANY, change: Change) -> bool:
        return await self._of(key).delete(key, expect=expect, change=change)

    async def blocks(self, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
        return await self._routes.store_of(tenant, scope, owner).blocks(tenant, scope, owner)

    async def purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        return await self._routes.store_of(tenant, scope, owner).purge(tenant, scope, owner)

    async def revisions(self, key: BlockKey, *, before: int | None = None, limit: int = 50) -> list[BlockRevision]:
        return await self._of(key).revisions(key, before=before, limit=limit)

    async def check(self) -> list[str]:
        return [f"{name}: {line}" for name, store in self._routes.each().items() for line in await store.check()]

    async def facts(self) -> Mapping[str, str]:
        stores = self._routes.each().items()
        return {f"{name}.{fact}": told for name, store in stores for fact, told in (await store.facts()).items()}

    async def close(self) -> None:
        async with AsyncExitStack() as closing:  # The others are closed also when one fails.
            for store in self._routes.each().values():
                closing.push_async_callback(store.close)

    def _of(self, key: BlockKey) -> BlockStore:
        return self._routes.store_of(key.tenant, key.scope, key.owner)


def _common(named: Mapping[str, BlockStore], route: Route | None) -> frozenset[Capability]:
    if route is not None:
        return frozenset()
    return frozenset(able for able in Capability if all(able in store.capabilities for store in named.values()))
