"""Every obligation of a store of blocks, on every store."""

from pkgutil import iter_modules

import wellkept.stores
from wellkept.contract.block_store import BlockStore
from wellkept.contract.capability import Capability
from wellkept.testing.block_history import BlockHistoryContract
from wellkept.testing.block_store import BlockStoreContract


class TestBlocks(BlockStoreContract):
    """Blocks."""


class TestBlockHistory(BlockHistoryContract):
    """Revisions, where they are kept."""

    @staticmethod
    def runs_on(kind: type[BlockStore]) -> bool:
        return Capability.HISTORY in kind.capabilities


def test_no_store_is_left_out(stores: dict[str, str]) -> None:
    assert sorted(stores) == sorted(module.name for module in iter_modules(wellkept.stores.__path__))
