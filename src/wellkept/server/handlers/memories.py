"""Memories, as an administrator or a user sees them. Nothing here touches a row's last use but an update."""

from typing import Final

from msgspec import UNSET

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import MemoryId, memory_id
from wellkept.model.memories import Memory
from wellkept.server.call import Answer, B, Call, Handler, Q
from wellkept.server.conditions import conditional, expected_etag
from wellkept.server.handlers.reach import UsedAgent, used_agent
from wellkept.server.once import once_of
from wellkept.wire.endpoint import NoBody, NoQuery
from wellkept.wire.memories import MemoriesPage, MemoriesQuery, MemoryAnswer, MemoryCreate, MemoryUpdate


async def create(call: Call[NoQuery, MemoryCreate]) -> Answer:
    """Store a memory; a limited caller's is its user's."""
    body = call.body
    user = call.caller.acting_for(body.user_id or None) or ""
    agent = await used_agent(call)
    created = await call.services.memories.create(
        agent.pool, user_id=user, text=body.text, settings=agent.settings, pinned=body.pinned, once=once_of(call)
    )
    memory = created.memory
    return Answer(value=MemoryAnswer(memory=memory), etag=memory.etag, made={"memoryId": memory.id})


async def list_all(call: Call[MemoriesQuery, NoBody]) -> Answer:
    """Give a page of memories."""
    query = call.query
    partitions = call.caller.partitions(query.user_id)
    agent = await used_agent(call)
    page = await call.services.memories.list(
        agent.pool,
        partitions=partitions,
        search=query.search,
        mode=query.mode,
        cursor=query.cursor,
        limit=query.limit,
    )
    return Answer(value=MemoriesPage(data=page.data, next_cursor=page.next_cursor))


async def get(call: Call[NoQuery, NoBody]) -> Answer:
    """Read a memory."""
    agent, id = await used_agent(call), _id(call)
    memory = await _stored(call, agent, id)
    return Answer(value=MemoryAnswer(memory=memory), etag=memory.etag)


async def update(call: Call[NoQuery, MemoryUpdate]) -> Answer:
    """Replace a memory's text, pin or unpin it."""
    body = call.body
    if body.text is UNSET and body.pinned is UNSET:
        raise InvalidInput(param="body", problem="must change at least one field")
    agent, id = await used_agent(call), _id(call)
    with conditional(call.head):
        memory = await call.services.memories.update(
            agent.pool,
            id,
            text=None if body.text is UNSET else body.text,
            pinned=None if body.pinned is UNSET else body.pinned,
            expect=await _expected(call, agent, id),
            partitions=call.caller.partitions(),
        )
    return Answer(value=MemoryAnswer(memory=memory), etag=memory.etag)


async def delete(call: Call[NoQuery, NoBody]) -> Answer:
    """Forget a memory."""
    agent, id = await used_agent(call), _id(call)
    with conditional(call.head):
        expect = await _expected(call, agent, id)
        await call.services.memories.delete(agent.pool, id, expect=expect, partitions=call.caller.partitions())
    return Answer()


def _id(call: Call[Q, B]) -> MemoryId:
    return memory_id(call.path["memoryId"])


async def _stored(call: Call[Q, B], agent: UsedAgent, id: MemoryId) -> Memory:
    return await call.services.memories.get(agent.pool, id, partitions=call.caller.partitions())


async def _expected(call: Call[Q, B], agent: UsedAgent, id: MemoryId) -> str | None:
    async def current() -> str | None:
        return (await _stored(call, agent, id)).etag

    return await expected_etag(call.head, current)


HANDLERS: Final[dict[str, Handler]] = {
    "memories.create": create,
    "memories.list": list_all,
    "memories.get": get,
    "memories.update": update,
    "memories.delete": delete,
}
