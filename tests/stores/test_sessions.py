"""Every obligation of `SessionStore`, on every store that is one."""

from wellkept.contract.block_store import BlockStore
from wellkept.contract.session_store import SessionStore
from wellkept.testing.session_store import SessionStoreContract


class TestSessionStore(SessionStoreContract):
    """Sessions."""

    @staticmethod
    def runs_on(kind: type[BlockStore]) -> bool:
        return issubclass(kind, SessionStore)
