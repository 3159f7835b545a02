"""Calls about the audit log."""

from datetime import datetime

from wellkept.client.call import Call, call
from wellkept.model.audit import AuditAction
from wellkept.model.pages import DEFAULT_LIMIT
from wellkept.wire import audit as wire
from wellkept.wire.endpoints import audit as table


def list_(
    *,
    agent_id: str | None = None,
    user_id: str | None = None,
    action: AuditAction | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Call[wire.AuditPage]:
    """Give a page of the changes that took effect, newest first: of one agent, by or for one user, of one kind.

    `since` is inclusive, `until` is not; both have a time zone.
    """
    query = wire.AuditQuery(
        agent_id=agent_id, user_id=user_id, action=action, since=since, until=until, cursor=cursor, limit=limit
    )
    return call(table.LIST_AUDIT, query=query)
