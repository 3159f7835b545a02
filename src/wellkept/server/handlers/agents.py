"""Agents and their versions."""

from typing import Final

import msgspec

from wellkept.model.agents import AgentConfig
from wellkept.model.errors import InvalidInput
from wellkept.server.call import Answer, Call, Handler, number_in_path
from wellkept.server.handlers.reach import own_agent
from wellkept.server.once import once_of
from wellkept.wire.agents import (
    AgentAnswer,
    AgentCreate,
    AgentsPage,
    AgentsQuery,
    AgentUpdate,
    AgentVersionAnswer,
    AgentVersionsPage,
    DeleteAgentQuery,
    PageQuery,
)
from wellkept.wire.endpoint import NoBody, NoQuery


async def create(call: Call[NoQuery, AgentCreate]) -> Answer:
    """Make an agent; a limited caller's is its user's."""
    user = call.caller.acting_for(call.body.user_id or None) or ""
    agent = await call.services.agents.create(call.caller.tenant, call.body.config(), user_id=user, once=once_of(call))
    return Answer(value=AgentAnswer.of(agent), made={"agentId": agent.id})


async def list_all(call: Call[AgentsQuery, NoBody]) -> Answer:
    """Give a page of agents."""
    query = call.query
    page = await call.services.agents.list(
        call.caller.tenant, cursor=query.cursor, limit=query.limit, user_id=call.caller.acting_for(query.user_id)
    )
    return Answer(value=AgentsPage(data=tuple(map(AgentAnswer.of, page.data)), next_cursor=page.next_cursor))


async def get(call: Call[NoQuery, NoBody]) -> Answer:
    """Read an agent."""
    return Answer(value=AgentAnswer.of(await own_agent(call)))


async def update(call: Call[NoQuery, AgentUpdate]) -> Answer:
    """Make a version of what is there and what was sent."""
    changes = call.body.changes()
    if not changes:
        raise InvalidInput(param="body", problem="must change at least one field")

    def revise(config: AgentConfig) -> AgentConfig:
        return msgspec.structs.replace(config, **changes)

    agent = await own_agent(call)
    return Answer(value=AgentAnswer.of(await call.services.agents.update(agent.tenant, agent.id, revise)))


async def delete(call: Call[DeleteAgentQuery, NoBody]) -> Answer:
    """Forget an agent and all that is its."""
    agent = await own_agent(call)
    await call.services.agents.delete(agent.tenant, agent.id)
    return Answer()


async def disable(call: Call[NoQuery, NoBody]) -> Answer:
    """Refuse the agent's turns."""
    agent = await own_agent(call)
    return Answer(value=AgentAnswer.of(await call.services.agents.disable(agent.tenant, agent.id)))


async def enable(call: Call[NoQuery, NoBody]) -> Answer:
    """Take the agent's turns again."""
    agent = await own_agent(call)
    return Answer(value=AgentAnswer.of(await call.services.agents.enable(agent.tenant, agent.id)))


async def versions(call: Call[PageQuery, NoBody]) -> Answer:
    """Give a page of versions."""
    agent = await own_agent(call)
    page = await call.services.agents.versions(agent.tenant, agent.id, cursor=call.query.cursor, limit=call.query.limit)
    rows = tuple(map(AgentVersionAnswer.of, page.data))
    return Answer(value=AgentVersionsPage(data=rows, next_cursor=page.next_cursor))


async def version(call: Call[NoQuery, NoBody]) -> Answer:
    """Read one version."""
    agent = await own_agent(call)
    number = number_in_path(call, "version")
    return Answer(value=AgentVersionAnswer.of(await call.services.agents.version(agent.tenant, agent.id, number)))


HANDLERS: Final[dict[str, Handler]] = {
    "agents.create": create,
    "agents.list": list_all,
    "agents.get": get,
    "agents.update": update,
    "agents.delete": delete,
    "agents.disable": disable,
    "agents.enable": enable,
    "agents.versions": versions,
    "agents.version": version,
}
