"""Agents on the wire."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from wellkept.model.agents import AgentConfig, AgentRecord, AgentStatus, AgentVersion
from wellkept.model.blocks import WorkingMemorySpec
from wellkept.model.memories import MemorySettings
from wellkept.model.recall import RecallSettings
from wellkept.wire.fields import Cursor, IdOrGeneral, PageLimit


class AgentCreate(
    AgentConfig, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A new agent. Without `userId` it is the tenant's own."""

    user_id: IdOrGeneral = ""

    def config(self) -> AgentConfig:
        """Give the agent's first version."""
        fields = msgspec.to_builtins(self)
        fields.pop("userId", None)
        return msgspec.convert(fields, AgentConfig)


class AgentUpdate(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A new version of an agent: at least one field; what is absent stays, arrays are replaced whole."""

    name: str | UnsetType = UNSET
    model: str | UnsetType | None = UNSET
    instructions: str | UnsetType = UNSET
    tools: tuple[str, ...] | UnsetType = UNSET
    memory_injection_enabled: bool | UnsetType = UNSET
    working_memory: WorkingMemorySpec | UnsetType | None = UNSET
    memories: MemorySettings | UnsetType = UNSET
    metadata: Mapping[str, str] | UnsetType = UNSET
    recall: RecallSettings | UnsetType | None = UNSET

    def changes(self) -> dict[str, object]:
        """Give the fields that were sent, by their names in `AgentConfig`."""
        values = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return {name: value for name, value in values if value is not UNSET}


# Not by keyword alone, as the configuration is: msgspec puts such fields first, so that an answer begins with its id.
class AgentAnswer(AgentConfig, frozen=True, kw_only=False, rename="camel", forbid_unknown_fields=False):
    """An agent in one of its versions."""

    id: str
    tenant_id: str
    user_id: str
    version: int
    status: AgentStatus
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, agent: AgentRecord) -> "AgentAnswer":
        """Say an agent on the wire."""
        fields = msgspec.to_builtins(agent.config) | {
            "id": agent.id,
            "tenantId": agent.tenant,
            "userId": agent.user_id,
            "version": agent.version,
            "status": agent.status,
            "createdAt": agent.created_at,
            "updatedAt": agent.updated_at,
        }
        return msgspec.convert(fields, cls)


class AgentVersionAnswer(AgentConfig, frozen=True, kw_only=False, rename="camel", forbid_unknown_fields=False):
    """One immutable version of an agent."""

    agent_id: str
    version: int
    created_at: datetime

    @classmethod
    def of(cls, version: AgentVersion) -> "AgentVersionAnswer":
        """Say a version on the wire."""
        fields = msgspec.to_builtins(version.config) | {
            "agentId": version.agent,
            "version": version.version,
            "createdAt": version.created_at,
        }
        return msgspec.convert(fields, cls)


class AgentsQuery(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which agents: all of the tenant's, or those of one user."""

    user_id: IdOrGeneral | None = None
    cursor: Cursor | None = None
    limit: PageLimit = 50


class PageQuery(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which page."""

    cursor: Cursor | None = None
    limit: PageLimit = 50


class AgentsPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Agents, newest first."""

    data: tuple[AgentAnswer, ...]
    next_cursor: str | None = None


class AgentVersionsPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Versions, newest first."""

    data: tuple[AgentVersionAnswer, ...]
    next_cursor: str | None = None


class DeleteAgentQuery(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """`includeArtifacts` is taken for the sake of clients of other systems; all that is the agent's goes anyway."""

    include_artifacts: Literal["true", "false"] | None = None
