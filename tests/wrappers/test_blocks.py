"""Every obligation of a store of blocks, on wrappers around several stores, opened by their URLs."""

import pytest

from combinations import WITH_HISTORY
from wellkept.contract.block_store import BlockStore
from wellkept.contract.capability import Capability
from wellkept.testing.block_history import BlockHistoryContract
from wellkept.testing.block_store import BlockStoreContract


class TestBlocks(BlockStoreContract):
    """Blocks."""


@pytest.mark.parametrize("combination", WITH_HISTORY)
class TestBlockHistory(BlockHistoryContract):
    """Revisions, where all stores keep them."""


async def test_a_wrapper_can_do_what_its_stores_can(store: BlockStore, capabilities: set[Capability]) -> None:
    assert store.capabilities & {Capability.HISTORY, Capability.SHARED} == capabilities
    assert Capability.HAND_EDITED not in store.capabilities
