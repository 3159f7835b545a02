"""What a turn does with memory: the operations of `MemoryApi`, one endpoint each."""

from typing import Final, TypeVar

from wellkept.contract.memory_api import MemoryApi
from wellkept.model.ids import UserId, memory_id
from wellkept.model.turns import Turn
from wellkept.server.call import Answer, Call, Handler
from wellkept.server.handlers.reach import used_agent
from wellkept.wire.endpoint import NoQuery
from wellkept.wire.memories import MemoriesFound, MemoryAnswer
from wellkept.wire.turns import (
    ContextBody,
    EditBlockBody,
    MemoryIdBody,
    SaveMemoryBody,
    SearchMemoriesBody,
    SearchPastBody,
    TurnBody,
    UpdateMemoryBody,
    ViewBlockBody,
)

T = TypeVar("T", bound=TurnBody)


async def declared(call: Call[NoQuery, TurnBody]) -> Answer:
    """Say which blocks and tools a turn has."""
    memory, turn = await _turn(call)
    return Answer(value=await memory.declared(turn))


async def context(call: Call[NoQuery, ContextBody]) -> Answer:
    """Render the memory part of the prompt."""
    memory, turn = await _turn(call)
    return Answer(value=await memory.context(turn, query=call.body.query))


async def view_block(call: Call[NoQuery, ViewBlockBody]) -> Answer:
    """Read a declared block."""
    memory, turn = await _turn(call)
    return Answer(value=await memory.view_block(turn, call.body.block))


async def edit_block(call: Call[NoQuery, EditBlockBody]) -> Answer:
    """Edit a declared block."""
    memory, turn = await _turn(call)
    return Answer(value=await memory.edit_block(turn, call.body.block, call.body.edit))


async def save_memory(call: Call[NoQuery, SaveMemoryBody]) -> Answer:
    """Save a memory."""
    memory, turn = await _turn(call)
    return Answer(value=await memory.save_memory(turn, call.body.text))


async def get_memory(call: Call[NoQuery, MemoryIdBody]) -> Answer:
    """Read a memory."""
    memory, turn = await _turn(call)
    return Answer(value=MemoryAnswer(memory=await memory.get_memory(turn, memory_id(call.body.memory_id))))


async def search_memories(call: Call[NoQuery, SearchMemoriesBody]) -> Answer:
    """Search memories."""
    memory, turn = await _turn(call)
    found = await memory.search_memories(turn, call.body.query, limit=call.body.limit)
    return Answer(value=MemoriesFound(data=tuple(found)))


async def update_memory(call: Call[NoQuery, UpdateMemoryBody]) -> Answer:
    """Replace a memory's text."""
    memory, turn = await _turn(call)
    return Answer(value=await memory.update_memory(turn, memory_id(call.body.memory_id), call.body.text))


async def delete_memory(call: Call[NoQuery, MemoryIdBody]) -> Answer:
    """Delete a memory."""
    memory, turn = await _turn(call)
    return Answer(value=await memory.delete_memory(turn, memory_id(call.body.memory_id)))


async def search_past(call: Call[NoQuery, SearchPastBody]) -> Answer:
    """Search past conversations."""
    memory, turn = await _turn(call)
    return Answer(value=await memory.search_past(turn, call.body.query, limit=call.body.limit))


async def _turn(call: Call[NoQuery, T]) -> tuple[MemoryApi, Turn]:
    user = call.caller.acting_for(call.body.user_id)
    agent = await used_agent(call)
    turn = call.body.turn(call.caller.tenant, agent.id)
    if user is not None and turn.user is None:
        turn = Turn(tenant=turn.tenant, agent=turn.agent, user=UserId(user), session=turn.session, version=turn.version)
    return call.services.memory, turn


HANDLERS: Final[dict[str, Handler]] = {
    "turns.declared": declared,
    "context.render": context,
    "turns.view_block": view_block,
    "turns.edit_block": edit_block,
    "turns.save_memory": save_memory,
    "turns.get_memory": get_memory,
    "turns.search_memories": search_memories,
    "turns.update_memory": update_memory,
    "turns.delete_memory": delete_memory,
    "turns.search_past": search_past,
}
