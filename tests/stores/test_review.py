"""Every obligation of `ReviewStore`, on every store that is one."""

from wellkept.contract.block_store import BlockStore
from wellkept.contract.review_store import ReviewStore
from wellkept.testing.review_store import ReviewStoreContract


class TestReviewStore(ReviewStoreContract):
    """Held writes."""

    @staticmethod
    def runs_on(kind: type[BlockStore]) -> bool:
        return issubclass(kind, ReviewStore)
