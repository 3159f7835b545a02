"""Agents: what they are configured to be, in immutable versions."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal

import msgspec

from wellkept.model.blocks import WorkingMemorySpec
from wellkept.model.errors import InvalidInput
from wellkept.model.ids import AgentId, TenantId
from wellkept.model.memories import MemorySettings
from wellkept.model.recall import RecallSettings
from wellkept.model.text import checked_text, has_visible

MEMORY_TOOLS: Final = ("save_memory", "get_memory", "search_memories", "update_memory", "delete_memory")
"""The tools of the group `memory`."""

TOOL_CHOICES: Final = ("memory", *MEMORY_TOOLS)
"""What an agent's `tools` may name: the group, or single tools of it."""

MAX_NAME_CHARS: Final = 80
MAX_INSTRUCTION_CHARS: Final = 30_000
MAX_METADATA: Final = 32

AgentStatus = Literal["active", "disabled"]


class AgentConfig(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What a version of an agent is. `model` is a name that pydantic-ai accepts; None takes the runtime's default.

    `working_memory` None: no blocks. `tools` names the group `memory`, or single tools of it.
    `recall` None: nothing of what is said is kept for other conversations, and none are searched.

    Raises:
        InvalidInput: A part is not valid.
    """

    name: str
    model: str | None = None
    instructions: str = ""
    tools: tuple[str, ...] = ()
    memory_injection_enabled: bool = False
    working_memory: WorkingMemorySpec | None = None
    memories: MemorySettings = MemorySettings()
    metadata: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    recall: RecallSettings | None = None

    def __post_init__(self) -> None:
        checked_text(self.name, param="name")
        if not has_visible(self.name) or len(self.name) > MAX_NAME_CHARS:
            raise InvalidInput(
                param="name", problem=f"must have 1 to {MAX_NAME_CHARS} characters, something visible among them"
            )
        if self.model is not None and not 1 <= len(checked_text(self.model, param="model")) <= 256:
            raise InvalidInput(param="model", problem="must have 1 to 256 characters")
        if len(checked_text(self.instructions, param="instructions")) > MAX_INSTRUCTION_CHARS:
            raise InvalidInput(param="instructions", problem=f"must have at most {MAX_INSTRUCTION_CHARS} characters")
        for tool in self.tools:
            if tool not in TOOL_CHOICES:
                raise InvalidInput(param="tools", problem=f"may name {', '.join(TOOL_CHOICES)}, each once")
        if len(set(self.tools)) != len(self.tools):
            raise InvalidInput(param="tools", problem="names a tool twice")
        if len(self.metadata) > MAX_METADATA:
            raise InvalidInput(param="metadata", problem=f"may have at most {MAX_METADATA} entries")
        for name, value in self.metadata.items():
            if (
                not 1 <= len(checked_text(name, param="metadata")) <= 64
                or len(checked_text(value, param="metadata")) > 512
            ):
                raise InvalidInput(param="metadata", problem="names have 1 to 64 characters, values at most 512")

    @property
    def memory_tools(self) -> tuple[str, ...]:
        """Name the memory tools that the agent has, the group spelled out, in a fixed order."""
        return tuple(tool for tool in MEMORY_TOOLS if "memory" in self.tools or tool in self.tools)


def spelled(config: AgentConfig) -> str:
    """Spell a configuration as stores keep it.

    What came later than the others is named only where it is used: the other
    agents can still be read by a wellkept that does not know it.
    """
    fields: dict[str, object] = msgspec.to_builtins(config)
    if config.recall is None:
        del fields["recall"]
    return msgspec.json.encode(fields).decode()


class AgentRecord(msgspec.Struct, frozen=True, kw_only=True):
    """An agent as the directory keeps it: its newest version, or the one that was asked for.

    `user_id` is whose agent it is, for callers who are limited to one user; `""`: the tenant's.
    """

    tenant: TenantId
    id: AgentId
    user_id: str
    version: int
    status: AgentStatus
    config: AgentConfig
    created_at: datetime
    updated_at: datetime


class AgentVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One immutable version of an agent."""

    tenant: TenantId
    agent: AgentId
    version: int
    config: AgentConfig
    created_at: datetime
