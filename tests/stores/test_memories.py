"""Every obligation of a store of memories, on every store that keeps them."""

from wellkept.contract.block_store import BlockStore
from wellkept.contract.memory_store import MemoryStore
from wellkept.testing.memory_store import MemoryStoreContract


class TestMemories(MemoryStoreContract):
    """Memories."""

    @staticmethod
    def runs_on(kind: type[BlockStore]) -> bool:
        return issubclass(kind, MemoryStore)
