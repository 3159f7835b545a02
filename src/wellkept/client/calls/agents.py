"""Calls about agents and their versions."""

from collections.abc import Mapping, Sequence

from msgspec import UNSET, UnsetType

from wellkept.client.call import Call, call, order
from wellkept.model.blocks import WorkingMemorySpec
from wellkept.model.memories import MemorySettings
from wellkept.model.pages import DEFAULT_LIMIT
from wellkept.model.recall import RecallSettings
from wellkept.wire import agents as wire
from wellkept.wire.endpoints import agents as table


def create(
    *,
    name: str,
    model: str | None = None,
    instructions: str = "",
    tools: Sequence[str] = (),
    memory_injection_enabled: bool = False,
    working_memory: WorkingMemorySpec | None = None,
    memories: MemorySettings | None = None,
    metadata: Mapping[str, str] | None = None,
    recall: RecallSettings | None = None,
    user_id: str = "",
    idempotency_key: str | None = None,
) -> Call[wire.AgentAnswer]:
    """Create an agent; with `user_id` it is that user's own. The same `idempotency_key` again creates no second one."""
    body = wire.AgentCreate(
        name=name,
        model=model,
        instructions=instructions,
        tools=tuple(tools),
        memory_injection_enabled=memory_injection_enabled,
        working_memory=working_memory,
        memories=memories or MemorySettings(),
        metadata=metadata or {},
        recall=recall,
        user_id=user_id,
    )
    return call(table.CREATE_AGENT, body=body, idempotency_key=idempotency_key)


def list_(
    *, user_id: str | None = None, cursor: str | None = None, limit: int = DEFAULT_LIMIT
) -> Call[wire.AgentsPage]:
    """Give a page of agents, newest first; `user_id` names whose."""
    return call(table.LIST_AGENTS, query=wire.AgentsQuery(user_id=user_id, cursor=cursor, limit=limit))


def get(agent_id: str) -> Call[wire.AgentAnswer]:
    """Read an agent in its newest version."""
    return call(table.GET_AGENT, _agent(agent_id))


def update(
    agent_id: str,
    *,
    name: str | UnsetType = UNSET,
    model: str | UnsetType | None = UNSET,
    instructions: str | UnsetType = UNSET,
    tools: Sequence[str] | UnsetType = UNSET,
    memory_injection_enabled: bool | UnsetType = UNSET,
    working_memory: WorkingMemorySpec | UnsetType | None = UNSET,
    memories: MemorySettings | UnsetType = UNSET,
    metadata: Mapping[str, str] | UnsetType = UNSET,
    recall: RecallSettings | UnsetType | None = UNSET,
) -> Call[wire.AgentAnswer]:
    """Give an agent a new version: what is left out stays as it is."""
    body = wire.AgentUpdate(
        name=name,
        model=model,
        instructions=instructions,
        tools=tools if isinstance(tools, UnsetType) else tuple(tools),
        memory_injection_enabled=memory_injection_enabled,
        working_memory=working_memory,
        memories=memories,
        metadata=metadata,
        recall=recall,
    )
    return call(table.UPDATE_AGENT, _agent(agent_id), body=body)


def delete(agent_id: str) -> Call[None]:
    """Delete an agent with its memories, agent blocks and sessions."""
    return order(table.DELETE_AGENT, _agent(agent_id))


def disable(agent_id: str) -> Call[wire.AgentAnswer]:
    """Refuse the agent's turns from now on."""
    return call(table.DISABLE_AGENT, _agent(agent_id))


def enable(agent_id: str) -> Call[wire.AgentAnswer]:
    """Take the agent's turns again."""
    return call(table.ENABLE_AGENT, _agent(agent_id))


def versions(agent_id: str, *, cursor: str | None = None, limit: int = DEFAULT_LIMIT) -> Call[wire.AgentVersionsPage]:
    """Give a page of an agent's versions, newest first."""
    return call(table.LIST_VERSIONS, _agent(agent_id), query=wire.PageQuery(cursor=cursor, limit=limit))


def version(agent_id: str, version: int) -> Call[wire.AgentVersionAnswer]:
    """Read one version of an agent."""
    return call(table.GET_VERSION, _agent(agent_id) | {"version": str(version)})


def _agent(agent_id: str) -> dict[str, str]:
    return {"agentId": agent_id}
