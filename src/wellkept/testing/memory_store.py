"""What every store of memories keeps: `MemoryStoreContract`."""

from wellkept.testing.memory_pool import PoolContract
from wellkept.testing.memory_rows import RowsContract
from wellkept.testing.memory_search import SearchContract


class MemoryStoreContract(RowsContract, PoolContract, SearchContract):
    """Each obligation of `MemoryStore`; see `wellkept.testing` for the fixtures."""
