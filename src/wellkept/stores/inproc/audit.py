"""The audit log, in process."""

from collections.abc import Sequence

from wellkept.contract.audit_log import AuditLog
from wellkept.model.audit import AuditEntry, AuditFilter
from wellkept.model.ids import TenantId
from wellkept.model.pages import Position
from wellkept.stores.inproc.data import Data, newest_first


class InprocAudit(AuditLog):
    """The part of the store that keeps the audit log."""

    _data: Data

    async def note(self, entries: Sequence[AuditEntry]) -> None:
        with self._data.lock:
            for entry in entries:
                self._data.audit[entry.tenant].setdefault((entry.at, entry.id), entry)

    async def noted(
        self, tenant: TenantId, *, which: AuditFilter, limit: int, after: Position | None = None
    ) -> list[AuditEntry]:
        with self._data.lock:
            entries = [entry for entry in self._data.audit.get(tenant, {}).values() if which.admits(entry)]
        return newest_first(entries, lambda entry: Position(entry.at, entry.id), limit=limit, after=after)
