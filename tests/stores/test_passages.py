"""Every obligation of a store of passages, on every store that keeps them: each is in `STORES` of `conftest.py`."""

from wellkept.contract.block_store import BlockStore
from wellkept.contract.passage_store import PassageStore
from wellkept.testing.passage_store import PassageStoreContract


class TestPassages(PassageStoreContract):
    """Passages."""

    @staticmethod
    def runs_on(kind: type[BlockStore]) -> bool:
        return issubclass(kind, PassageStore)
