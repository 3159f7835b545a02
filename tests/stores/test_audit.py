"""Every obligation of `AuditLog`, on every store that is one."""

from wellkept.contract.audit_log import AuditLog
from wellkept.contract.block_store import BlockStore
from wellkept.testing.audit_log import AuditLogContract


class TestAuditLog(AuditLogContract):
    """Who changed what."""

    @staticmethod
    def runs_on(kind: type[BlockStore]) -> bool:
        return issubclass(kind, AuditLog)
