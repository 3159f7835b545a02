"""Calls of what a turn does with memory: the operations of `MemoryApi`."""

from wellkept.client.call import Call, call
from wellkept.model.edits import Add, Remove, Replace
from wellkept.model.outcomes import BlockView, BlockWritten, Declared, MemoryWritten
from wellkept.model.recall import Recalled
from wellkept.model.receipts import Context
from wellkept.wire import turns as wire
from wellkept.wire.endpoints import turn_memory as table
from wellkept.wire.memories import MemoriesFound, MemoryAnswer


def declared(
    agent_id: str, *, user_id: str | None = None, session_id: str | None = None, version: int | None = None
) -> Call[Declared]:
    """Say which blocks and tools a turn has."""
    body = wire.TurnBody(user_id=user_id, session_id=session_id, version=version)
    return call(table.DECLARED, {"agentId": agent_id}, body=body)


def render(
    agent_id: str,
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    version: int | None = None,
    query: str | None = None,
) -> Call[Context]:
    """Render the memory part of the prompt for a turn, with its receipt; `query` is the user's latest message."""
    body = wire.ContextBody(user_id=user_id, session_id=session_id, version=version, query=query)
    return call(table.CONTEXT, {"agentId": agent_id}, body=body)


def view_block(
    agent_id: str,
    block: str,
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    version: int | None = None,
) -> Call[BlockView]:
    """Read a declared block as it is now."""
    body = wire.ViewBlockBody(block=block, user_id=user_id, session_id=session_id, version=version)
    return call(table.VIEW_BLOCK, {"agentId": agent_id}, body=body)


def edit_block(
    agent_id: str,
    block: str,
    edit: Add | Replace | Remove,
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    version: int | None = None,
) -> Call[BlockWritten]:
    """Edit a declared block as a turn does."""
    body = wire.EditBlockBody(block=block, edit=edit, user_id=user_id, session_id=session_id, version=version)
    return call(table.EDIT_BLOCK, {"agentId": agent_id}, body=body)


def save_memory(
    agent_id: str,
    text: str,
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    version: int | None = None,
) -> Call[MemoryWritten]:
    """Save a memory as a turn does."""
    body = wire.SaveMemoryBody(text=text, user_id=user_id, session_id=session_id, version=version)
    return call(table.TURN_SAVE_MEMORY, {"agentId": agent_id}, body=body)


def get_memory(
    agent_id: str,
    memory_id: str,
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    version: int | None = None,
) -> Call[MemoryAnswer]:
    """Read a memory as a turn does, and touch it."""
    body = wire.MemoryIdBody(memory_id=memory_id, user_id=user_id, session_id=session_id, version=version)
    return call(table.TURN_GET_MEMORY, {"agentId": agent_id}, body=body)


def search_memories(
    agent_id: str,
    query: str,
    *,
    limit: int = 10,
    user_id: str | None = None,
    session_id: str | None = None,
    version: int | None = None,
) -> Call[MemoriesFound]:
    """Search memories as a turn does, best first, and touch them."""
    body = wire.SearchMemoriesBody(query=query, limit=limit, user_id=user_id, session_id=session_id, version=version)
    return call(table.TURN_SEARCH_MEMORIES, {"agentId": agent_id}, body=body)


def update_memory(
    agent_id: str,
    memory_id: str,
    text: str,
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    version: int | None = None,
) -> Call[MemoryWritten]:
    """Replace the text of a memory as a turn does."""
    body = wire.UpdateMemoryBody(
        memory_id=memory_id, text=text, user_id=user_id, session_id=session_id, version=version
    )
    return call(table.TURN_UPDATE_MEMORY, {"agentId": agent_id}, body=body)


def delete_memory(
    agent_id: str,
    memory_id: str,
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    version: int | None = None,
) -> Call[MemoryWritten]:
    """Delete a memory as a turn does."""
    body = wire.MemoryIdBody(memory_id=memory_id, user_id=user_id, session_id=session_id, version=version)
    return call(table.TURN_DELETE_MEMORY, {"agentId": agent_id}, body=body)


def search_past(
    agent_id: str,
    query: str,
    *,
    limit: int = 10,
    user_id: str | None = None,
    session_id: str | None = None,
    version: int | None = None,
) -> Call[Recalled]:
    """Search past conversations as a turn does, best first."""
    body = wire.SearchPastBody(query=query, limit=limit, user_id=user_id, session_id=session_id, version=version)
    return call(table.TURN_SEARCH_PAST, {"agentId": agent_id}, body=body)
