"""Agents as they are declared, and what is refused while they are made."""

from typing import Any

import pytest
from pydantic_ai import RunContext, Tool
from pydantic_ai.models.test import TestModel

from wellkept.compose.stores import Stores
from wellkept.model.blocks import BlockSpec
from wellkept.model.errors import InvalidInput, Misconfigured
from wellkept.model.turns import Turn
from wellkept.runtime.agent import RESERVED_NAMES, Agent, Memories, WorkingMemory
from wellkept.runtime.runtime import Runtime


def weather(city: str) -> str:
    """Tell the weather."""
    return f"Rain in {city}."


async def who_asks(ctx: RunContext[Turn]) -> str:
    """Say for whom the turn is."""
    return f"{ctx.deps.tenant}/{ctx.deps.user}"


def test_an_agent_is_what_the_directory_would_keep() -> None:
    spec = BlockSpec("user", "USER", template="- name:")
    agent = Agent(
        "support",
        model="openai:gpt-5.2",
        instructions="Be kind.",
        working_memory=WorkingMemory(auto_load=[spec], default_char_limit=500, scan_for_injection=False),
        memories=Memories(inject=True, tools=["save_memory"], pool_cap=7),
    )
    config = agent.config
    assert (config.name, config.model, config.instructions) == ("support", "openai:gpt-5.2", "Be kind.")
    assert config.tools == ("save_memory",)
    assert config.memory_injection_enabled
    assert config.memories.pool_cap == 7
    assert config.working_memory is not None
    assert config.working_memory.auto_load == (spec,)
    assert (config.working_memory.default_char_limit, config.working_memory.scan_for_injection) == (500, False)


def test_an_agent_has_what_it_is_given() -> None:
    bare = Agent("bare").config
    assert (bare.working_memory, bare.tools, bare.memory_injection_enabled) == (None, (), False)
    assert Agent("m", memories=Memories()).config.memory_tools
    blocks = Agent("w", working_memory=WorkingMemory()).config.working_memory
    assert blocks is not None
    assert [f"{spec.scope}/{spec.key}" for spec in blocks.auto_load] == ["user/USER", "agent/MEMORY"]


@pytest.mark.parametrize("name", sorted(RESERVED_NAMES))
def test_a_tool_may_not_take_the_name_of_ours(name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Agent("support", tools=[Tool(weather, name=name)])
    assert caught.value.param == "tools"


def test_a_function_of_our_tools_name_is_refused() -> None:
    def save_memory(text: str) -> str:
        return text

    with pytest.raises(InvalidInput):
        Agent("support", tools=[save_memory])


BAD: list[dict[str, Any]] = [
    {"id": ""},
    {"id": " a"},
    {"id": "a", "tools": [weather, weather]},
    {"id": "a", "tools": ["weather"]},
    {"id": "a", "instructions": "x" * 30_001},
    {"id": "a", "instructions": "\x00"},
    {"id": "a", "model": ""},
]


@pytest.mark.parametrize("parts", BAD)
def test_what_is_not_valid_is_refused_when_it_is_made(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        Agent(**parts)


def test_blocks_and_memories_are_checked_when_they_are_made() -> None:
    with pytest.raises(InvalidInput):
        WorkingMemory(auto_load=[BlockSpec("user", "A"), BlockSpec("agent", "A")])
    with pytest.raises(InvalidInput):
        Memories(pool_cap=0)
    with pytest.raises(InvalidInput):
        Agent("a", memories=Memories(tools=["drop_all"]))


async def test_an_agents_own_tools_stand_beside_ours(stores: Stores) -> None:
    agent = Agent("support", model=TestModel(), tools=[weather, who_asks], memories=Memories(tools=["save_memory"]))
    async with Runtime([agent], store=stores) as runtime:
        result = await runtime.run("hi", user_id="u1")
    assert "Rain in" in result.text
    assert "default/u1" in result.text
    assert [change.action for change in result.memory_changes] == ["save"]


async def test_an_error_of_an_own_tool_is_the_callers(stores: Stores) -> None:
    def broken() -> str:
        raise ZeroDivisionError

    async with Runtime([Agent("support", model=TestModel(), tools=[broken])], store=stores) as runtime:
        with pytest.raises(ZeroDivisionError):
            await runtime.run("hi")


async def test_a_tool_that_the_loop_cannot_use_is_a_mistake_of_the_program(stores: Stores) -> None:
    agent = Agent("support", model=TestModel(), tools=[Tool(weather, requires_approval=True)])
    async with Runtime([agent], store=stores) as runtime:
        with pytest.raises(Misconfigured):
            await runtime.run("hi")
