"""Calls about writes that wait for approval."""

from wellkept.client.call import Call, call
from wellkept.model.pages import DEFAULT_LIMIT
from wellkept.wire import admin as wire
from wellkept.wire.agents import PageQuery
from wellkept.wire.endpoints import admin as table


def list_(*, cursor: str | None = None, limit: int = DEFAULT_LIMIT) -> Call[wire.ReviewPage]:
    """Give a page of the writes that wait, newest first."""
    return call(table.LIST_REVIEW, query=PageQuery(cursor=cursor, limit=limit))


def get(hold_id: str) -> Call[wire.HeldWriteAnswer]:
    """Read a write that waits."""
    return call(table.GET_REVIEW, {"holdId": hold_id})


def approve(hold_id: str) -> Call[wire.HeldWriteAnswer]:
    """Do a write that waits; if it cannot be done any more, it stays, and the error says why."""
    return call(table.APPROVE, {"holdId": hold_id})


def reject(hold_id: str) -> Call[wire.HeldWriteAnswer]:
    """Throw a write that waits away."""
    return call(table.REJECT, {"holdId": hold_id})
