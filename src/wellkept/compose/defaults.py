"""The agent that is there from the start."""

from typing import Final

from wellkept.model.agents import AgentConfig
from wellkept.model.blocks import BlockSpec, WorkingMemorySpec
from wellkept.model.ids import AgentId

ASSISTANT: Final = AgentId("assistant")
"""The id of the default agent."""

ASSISTANT_CONFIG: Final = AgentConfig(
    name="Assistant",
    instructions="You are a helpful assistant.",
    tools=("memory",),
    memory_injection_enabled=True,
    working_memory=WorkingMemorySpec(auto_load=(BlockSpec("user", "USER"), BlockSpec("agent", "MEMORY"))),
)
"""What the default agent is until someone gives it another version: two blocks, and the memory tools."""
