"""Which agents a caller reaches.

A credential that is limited to a user owns the agents with its `userId`: only those it sees and changes. It may use
those of the tenant as well: keep memories with them and run turns. Whatever it may not is not there.
"""

import msgspec

from wellkept.model.agents import AgentRecord
from wellkept.model.errors import InvalidInput, NotFound
from wellkept.model.ids import AgentId, agent_id
from wellkept.model.memories import MemorySettings, Pool
from wellkept.server.call import B, Call, Q


class UsedAgent(msgspec.Struct, frozen=True):
    """An agent that the caller may use."""

    pool: Pool
    settings: MemorySettings

    @property
    def id(self) -> AgentId:
        """Give the agent's id."""
        return self.pool.agent


def named_agent(said: str) -> AgentId:
    """Read an agent's id. One that cannot be an id is no agent's.

    Raises:
        NotFound: It cannot.
    """
    try:
        return agent_id(said)
    except InvalidInput as error:
        raise NotFound(what="agent") from error


async def own_agent(call: Call[Q, B]) -> AgentRecord:
    """Give the agent in the path, if the caller may see and change it.

    Raises:
        NotFound: There is none, or it is not the caller's.
    """
    agent = await call.services.agents.get(call.caller.tenant, named_agent(call.path["agentId"]))
    call.caller.must_own(agent.user_id)
    return agent


async def used_agent(call: Call[Q, B], said: str | None = None) -> UsedAgent:
    """Give the agent in the path, or the one that `said` names, if the caller may use it.

    Agents that the program declares are in no directory; they are the tenant's.

    Raises:
        NotFound: There is none, or it is another user's.
    """
    tenant = call.caller.tenant
    id = named_agent(call.path["agentId"] if said is None else said)
    try:
        agent = await call.services.agents.get(tenant, id)
    except NotFound:
        declared = await call.services.source.resolve(tenant, id, None)
        return UsedAgent(Pool(tenant, id), declared.config.memories)
    call.caller.may_use(agent.user_id)
    return UsedAgent(Pool(tenant, id), agent.config.memories)
