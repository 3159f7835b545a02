"""Every obligation of `Directory`, on every store that is one."""

from wellkept.contract.block_store import BlockStore
from wellkept.contract.directory import Directory
from wellkept.testing.directory import DirectoryContract


class TestDirectory(DirectoryContract):
    """Agents, keys and tenants."""

    @staticmethod
    def runs_on(kind: type[BlockStore]) -> bool:
        return issubclass(kind, Directory)
