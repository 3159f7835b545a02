"""What a store of blocks gets for nothing: edits and many reads, on top of its own `get` and `put`."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from wellkept.contract.block_store import EDIT_ATTEMPTS, BlockStore, Expect
from wellkept.model.blocks import Block, BlockEdited, Change
from wellkept.model.errors import Conflict
from wellkept.model.keys import BlockKey
from wellkept.stores.inproc import InprocStore
from wellkept.testing.block_store import BlockStoreContract
from wellkept.testing.samples import a_change, a_key


class PlainStore(InprocStore):
    """Adds nothing to the contract's own ways, and lets others come between reading and writing."""

    get_many = BlockStore.get_many
    edit = BlockStore.edit

    async def get(self, key: BlockKey) -> Block | None:
        found = await super().get(key)
        await asyncio.sleep(0)
        return found


class UnluckyStore(PlainStore):
    """Loses every race."""

    lost = 0

    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        self.lost += 1
        raise Conflict(key=block.key.key, etag="0" * 64)


class TestDefaults(BlockStoreContract):
    """Every obligation of a store of blocks, on the contract's own ways."""

    @pytest.fixture
    async def store(self) -> AsyncIterator[BlockStore]:
        store = PlainStore()
        yield store
        await store.close()

    @pytest.fixture
    def open_again(self, store: BlockStore) -> Callable[[], Awaitable[BlockStore]]:
        async def again() -> BlockStore:
            return store

        return again


async def test_an_edit_that_loses_every_race_gives_up() -> None:
    store = UnluckyStore()
    with pytest.raises(Conflict):
        await store.edit(a_key(), lambda _: "x", change=a_change())
    assert store.lost == EDIT_ATTEMPTS
