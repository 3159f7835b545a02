"""The audit log, in SQLite."""

import sqlite3
from collections.abc import Sequence
from typing import Final

import msgspec

from wellkept.contract.audit_log import AuditLog
from wellkept.model.audit import AuditEntry, AuditFilter
from wellkept.model.ids import TenantId
from wellkept.model.pages import Position
from wellkept.rules.instants import behind, span, to_number
from wellkept.stores.sqlite.hops import Hops
from wellkept.stores.sqlite.statements import statements

_SQL: Final = statements("audit.sql")


class SqliteAudit(Hops, AuditLog):
    """The part of the store that keeps the audit log."""

    async def note(self, entries: Sequence[AuditEntry]) -> None:
        rows = [_row(entry) for entry in entries]
        await self._mention(lambda db: db.executemany(_SQL["note"], rows))

    async def noted(
        self, tenant: TenantId, *, which: AuditFilter, limit: int, after: Position | None = None
    ) -> list[AuditEntry]:
        return await self._read(lambda db: _noted(db, tenant, which, limit, after))


def _noted(
    db: sqlite3.Connection, tenant: TenantId, which: AuditFilter, limit: int, after: Position | None
) -> list[AuditEntry]:
    since, until = span(which.since, which.until)
    values: tuple[str | int | None, ...] = (tenant, *min(behind(after), (until, "")), since, which.action, limit)
    if which.user_id is not None:
        rows = db.execute(_SQL["of_user"], (*values, which.agent_id, which.user_id))
    elif which.agent_id is not None:
        rows = db.execute(_SQL["of_agent"], (*values, which.agent_id))
    else:
        rows = db.execute(_SQL["newest_first"], values)
    return [msgspec.json.decode(body, type=AuditEntry) for (body,) in rows]


def _row(entry: AuditEntry) -> tuple[str | int | None, ...]:
    body = msgspec.json.encode(entry).decode()
    return entry.tenant, to_number(entry.at), entry.id, entry.action, entry.agent_id, entry.user_id, body
