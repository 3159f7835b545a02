"""What was done under which idempotency key."""

import sqlite3
from datetime import datetime, timedelta
from typing import Final

from wellkept.model.directory import Once
from wellkept.model.errors import IdempotencyMismatch
from wellkept.model.ids import AgentId, TenantId
from wellkept.rules.instants import to_number
from wellkept.stores.sqlite.statements import statements

KEPT: Final = timedelta(hours=24)
"""How long the same key is the same request."""

_SQL: Final = statements("once.sql")


def recall(db: sqlite3.Connection, tenant: TenantId, agent: AgentId | None, once: Once, *, at: datetime) -> str | None:
    """Give the id that the key was answered with; None when it is new, or was used longer ago than `KEPT`.

    Keys of an agent's pool are apart from those of other pools, and of the directory (`agent` None).

    Raises:
        IdempotencyMismatch: The key came with another request.
    """
    db.execute(_SQL["prune"], (tenant, to_number(at - KEPT)))
    row = db.execute(_SQL["get"], (tenant, agent or "", once.operation, once.key)).fetchone()
    if row is None:
        return None
    fingerprint, resource = row
    if fingerprint != once.fingerprint:
        raise IdempotencyMismatch(operation=once.operation)
    return str(resource)


def note(
    db: sqlite3.Connection, tenant: TenantId, agent: AgentId | None, once: Once, resource: str, *, at: datetime
) -> None:
    """Remember what a new key was answered with."""
    db.execute(_SQL["add"], (tenant, agent or "", once.operation, once.key, once.fingerprint, resource, to_number(at)))


def forget(db: sqlite3.Connection, tenant: TenantId, agent: AgentId) -> None:
    """Forget the keys of an agent's pool."""
    db.execute(_SQL["forget_agent"], (tenant, agent))
