"""The audit log, in PostgreSQL."""

from collections.abc import Sequence
from typing import Final

import msgspec

from wellkept.contract.audit_log import AuditLog
from wellkept.model.audit import AuditEntry, AuditFilter
from wellkept.model.ids import TenantId
from wellkept.model.pages import Position
from wellkept.rules.instants import behind, span, to_number
from wellkept.stores.postgresql.hops import Hops, Value
from wellkept.stores.postgresql.statements import statements

_SQL: Final = statements("audit.sql")


class PostgresAudit(Hops, AuditLog):
    """The part of the store that keeps the audit log."""

    async def note(self, entries: Sequence[AuditEntry]) -> None:
        if entries:
            await self._mention(entries[0].tenant, _SQL["note"], **_columns(entries))

    async def noted(
        self, tenant: TenantId, *, which: AuditFilter, limit: int, after: Position | None = None
    ) -> list[AuditEntry]:
        since, until = span(which.since, which.until)
        before, id = min(behind(after), (until, ""))
        statement = "newest_first" if which.agent_id is None else "of_agent"
        rows = await self._ask(
            tenant,
            _SQL[statement if which.user_id is None else "of_user"],
            before=before,
            after=id,
            since_at=since,
            action=which.action,
            agent=which.agent_id,
            user_id=which.user_id,
            limit=limit,
        )
        return [msgspec.json.decode(body, type=AuditEntry) for (body,) in rows]


def _columns(entries: Sequence[AuditEntry]) -> dict[str, Value]:
    return {
        "ats": [to_number(entry.at) for entry in entries],
        "ids": [entry.id for entry in entries],
        "actions": [str(entry.action) for entry in entries],
        "agents": [entry.agent_id for entry in entries],
        "users": [entry.user_id for entry in entries],
        "bodies": [msgspec.json.encode(entry).decode() for entry in entries],
    }
