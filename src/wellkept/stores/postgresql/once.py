"""What was done under which idempotency key."""

from datetime import datetime, timedelta
from typing import Final

from wellkept.model.directory import Once
from wellkept.model.errors import IdempotencyMismatch
from wellkept.rules.instants import to_number
from wellkept.stores.postgresql.hops import Transaction, Value
from wellkept.stores.postgresql.statements import statements

_KEPT: Final = timedelta(hours=24)
"""How long the same key is the same request."""

_SQL: Final = statements("once.sql")

PRUNE: Final = _SQL["prune"]
"""Forgets keys from before `kept_since`."""

FORGET_AGENT: Final = _SQL["forget_agent"]
"""Forgets the keys of an agent's pool."""


def values_of(once: Once | None, at: datetime) -> dict[str, Value]:
    """Give what statements want to know about a key."""
    return {
        "operation": once.operation if once else None,
        "key": once.key if once else None,
        "fingerprint": once.fingerprint if once else None,
        "kept_since": to_number(at - _KEPT) if once else 0,
    }


async def answered(transaction: Transaction, once: Once, resource: str, *, at: datetime) -> str | None:
    """Note a key of the directory, with what it is answered with; or give what it was answered with before.

    Raises:
        IdempotencyMismatch: It came with another request.
    """
    values = values_of(once, at)
    if await transaction.run(PRUNE, _SQL["note"], **values, resource=resource, created_at=to_number(at)):
        return None
    ((fingerprint, known),) = await transaction.run(_SQL["recall"], **values)
    if fingerprint != once.fingerprint:
        raise IdempotencyMismatch(operation=once.operation)
    return str(known)
