"""Calls about memories, as an administrator sees them."""

from msgspec import UNSET, UnsetType

from wellkept.client.call import Call, Conditions, call, order
from wellkept.model.memories import SearchMode
from wellkept.model.pages import DEFAULT_LIMIT
from wellkept.wire import memories as wire
from wellkept.wire.endpoints import memories as table


def create(
    agent_id: str, *, text: str, user_id: str = "", pinned: bool = False, idempotency_key: str | None = None
) -> Call[wire.MemoryAnswer]:
    """Create a memory for a user; without `user_id` a general one.

    The same `idempotency_key` again creates no second one.
    """
    body = wire.MemoryCreate(text=text, user_id=user_id, pinned=pinned)
    return call(table.CREATE_MEMORY, {"agentId": agent_id}, body=body, idempotency_key=idempotency_key)


def list_(
    agent_id: str,
    *,
    user_id: str | None = None,
    search: str | None = None,
    mode: SearchMode = "web",
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Call[wire.MemoriesPage]:
    """Give a page of memories, newest first: without `user_id` of all users, `""` for the general ones alone.

    `search` keeps those that a web search finds; with `mode="ranked"` they come best first, on one page.
    """
    query = wire.MemoriesQuery(user_id=user_id, search=search, mode=mode, cursor=cursor, limit=limit)
    return call(table.LIST_MEMORIES, {"agentId": agent_id}, query=query)


def get(agent_id: str, memory_id: str) -> Call[wire.MemoryAnswer]:
    """Read a memory, without touching it."""
    return call(table.GET_MEMORY, _memory(agent_id, memory_id))


def update(
    agent_id: str,
    memory_id: str,
    *,
    text: str | UnsetType = UNSET,
    pinned: bool | UnsetType = UNSET,
    if_match: str | None = None,
) -> Call[wire.MemoryAnswer]:
    """Replace a memory's text, pin or unpin it; `if_match` is the etag of the text that is replaced."""
    body = wire.MemoryUpdate(text=text, pinned=pinned)
    return call(table.UPDATE_MEMORY, _memory(agent_id, memory_id), body=body, conditions=Conditions(if_match=if_match))


def delete(agent_id: str, memory_id: str, *, if_match: str | None = None) -> Call[None]:
    """Delete a memory for good; `if_match` is the etag of the text that goes."""
    return order(table.DELETE_MEMORY, _memory(agent_id, memory_id), conditions=Conditions(if_match=if_match))


def _memory(agent_id: str, memory_id: str) -> dict[str, str]:
    return {"agentId": agent_id, "memoryId": memory_id}
