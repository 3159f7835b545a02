"""Agents and their versions."""

from typing import Final

from wellkept.model import errors as e
from wellkept.wire import agents
from wellkept.wire.endpoint import Endpoint, NoAnswer

_AGENT: Final = "/v1/agents/{agentId}"

CREATE_AGENT: Final = Endpoint(
    name="agents.create",
    method="POST",
    path="/v1/agents",
    summary="Create an agent",
    body=agents.AgentCreate,
    answer=agents.AgentAnswer,
    status=201,
    once=True,
    for_user=True,
    location=_AGENT,
    errors=(e.IdempotencyMismatch, e.NotFound, e.UserMismatch),
)
LIST_AGENTS: Final = Endpoint(
    name="agents.list",
    method="GET",
    path="/v1/agents",
    summary="List agents",
    query=agents.AgentsQuery,
    answer=agents.AgentsPage,
    for_user=True,
    errors=(e.InvalidCursor, e.UserMismatch),
)
GET_AGENT: Final = Endpoint(
    name="agents.get",
    method="GET",
    path=_AGENT,
    summary="Read an agent",
    answer=agents.AgentAnswer,
    for_user=True,
    errors=(e.NotFound,),
)
UPDATE_AGENT: Final = Endpoint(
    name="agents.update",
    method="PUT",
    path=_AGENT,
    summary="Give an agent a new version",
    body=agents.AgentUpdate,
    adds=True,
    answer=agents.AgentAnswer,
    for_user=True,
    errors=(e.NotFound,),
)
DELETE_AGENT: Final = Endpoint(
    name="agents.delete",
    method="DELETE",
    path=_AGENT,
    summary="Delete an agent, its memories, agent blocks and sessions",
    query=agents.DeleteAgentQuery,
    answer=NoAnswer,
    status=204,
    for_user=True,
    errors=(e.NotFound,),
)
DISABLE_AGENT: Final = Endpoint(
    name="agents.disable",
    method="POST",
    path=_AGENT + "/disable",
    summary="Refuse the agent's turns",
    answer=agents.AgentAnswer,
    for_user=True,
    errors=(e.NotFound,),
)
ENABLE_AGENT: Final = Endpoint(
    name="agents.enable",
    method="POST",
    path=_AGENT + "/enable",
    summary="Take the agent's turns again",
    answer=agents.AgentAnswer,
    for_user=True,
    errors=(e.NotFound,),
)
LIST_VERSIONS: Final = Endpoint(
    name="agents.versions",
    method="GET",
    path=_AGENT + "/versions",
    summary="List an agent's versions",
    query=agents.PageQuery,
    answer=agents.AgentVersionsPage,
    for_user=True,
    errors=(e.NotFound, e.InvalidCursor),
)
GET_VERSION: Final = Endpoint(
    name="agents.version",
    method="GET",
    path=_AGENT + "/versions/{version}",
    summary="Read one version of an agent",
    answer=agents.AgentVersionAnswer,
    for_user=True,
    errors=(e.NotFound, e.AgentVersionNotFound),
)
