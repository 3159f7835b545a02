"""Which tools a turn has, and what they tell a model about themselves."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from scripted_memory import DECLARED, TURN, Script, ScriptedMemory
from wellkept.model.agents import MEMORY_TOOLS
from wellkept.model.errors import Misconfigured, ServerUnreachable, StoreUnavailable, Unauthorized
from wellkept.model.outcomes import Declared
from wellkept.tools.tool import Tool
from wellkept.tools.toolset import toolset

NAMES = ("memory_block", *MEMORY_TOOLS, "search_past_conversations")


def names_of(declared: Declared) -> list[str]:
    return [tool.name for tool in toolset(ScriptedMemory(Script()), TURN, declared)]


def test_a_turn_has_the_tools_that_are_declared() -> None:
    assert names_of(DECLARED) == list(NAMES)
    assert names_of(Declared(agent="a", version=1)) == []
    assert names_of(Declared(agent="a", version=1, blocks=DECLARED.blocks)) == ["memory_block"]
    assert names_of(Declared(agent="a", version=1, recall_tool=True)) == ["search_past_conversations"]
    assert names_of(Declared(agent="a", version=1, memory_tools=("update_memory", "get_memory"))) == [
        "get_memory",
        "update_memory",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_of_an_object_that_takes_nothing_else(tool: Callable[[str], Tool], name: str) -> None:
    schema: Any = tool(name).parameters
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) <= set(schema["properties"]) == set(tool(name).known)
    assert all(each["type"] in ("string", "integer") for each in schema["properties"].values())
    assert json.loads(json.dumps(schema)) == schema


def test_parameters_have_the_documented_names(tool: Callable[[str], Tool]) -> None:
    told = {name: (tool(name).known, tuple(tool(name).parameters["required"])) for name in NAMES}
    assert told == {
        "memory_block": (("action", "block", "content", "match"), ("action", "block")),
        "save_memory": (("text",), ("text",)),
        "get_memory": (("memory_id",), ("memory_id",)),
        "search_memories": (("query", "limit"), ("query",)),
        "update_memory": (("memory_id", "text"), ("memory_id", "text")),
        "delete_memory": (("memory_id",), ("memory_id",)),
        "search_past_conversations": (("query", "limit"), ("query",)),
    }


def test_the_model_can_only_name_declared_blocks(tool: Callable[[str], Tool]) -> None:
    schema: Any = tool("memory_block").parameters
    assert schema["properties"]["block"]["enum"] == ["USER", "RULES"]
    assert "- USER (user, at most 100 characters): What the user is like." in tool("memory_block").description
    assert "- RULES (agent, at most 50 characters, read only)" in tool("memory_block").description


VALID: dict[str, dict[str, object]] = {
    "memory_block": {"action": "add", "block": "USER", "content": "x"},
    "save_memory": {"text": "x"},
    "get_memory": {"memory_id": "mem_0123456789abcdef"},
    "search_memories": {"query": "x"},
    "update_memory": {"memory_id": "mem_0123456789abcdef", "text": "x"},
    "delete_memory": {"memory_id": "mem_0123456789abcdef"},
    "search_past_conversations": {"query": "x"},
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("failure", [StoreUnavailable(store="x"), ServerUnreachable(address="secret")])
async def test_memory_that_fails_is_told_as_unavailable(
    tool: Callable[[str], Tool], script: Script, name: str, failure: Exception
) -> None:
    script.outcome = failure
    answer: Any = await tool(name).call(VALID[name])
    assert (answer["changed"], answer["error"]["code"]) == (False, "unavailable")
    assert "secret" not in json.dumps(answer)


@pytest.mark.parametrize("name", NAMES)
async def test_a_refusal_is_told_by_its_code_and_without_facts(
    tool: Callable[[str], Tool], script: Script, name: str
) -> None:
    script.outcome = Unauthorized(key="secret")
    assert await tool(name).call(VALID[name]) == {
        "changed": False,
        "error": {"code": "unauthorized", "message": "The API key is missing or not known."},
    }


async def test_a_program_put_together_wrongly_is_not_a_model_s_business(
    tool: Callable[[str], Tool], script: Script
) -> None:
    script.outcome = Misconfigured()
    with pytest.raises(Misconfigured):
        await tool("save_memory").call(VALID["save_memory"])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("extra", ["user_id", "tenant", ""])
async def test_an_argument_that_the_tool_does_not_have_is_refused(
    tool: Callable[[str], Tool], script: Script, name: str, extra: str
) -> None:
    answer: Any = await tool(name).call(VALID[name] | {extra: "user-43"})
    assert answer["error"]["code"] == "validation_failed"
    assert answer["error"]["message"] == f"arguments: may only be {', '.join(tool(name).known)}"
    assert script.calls == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [None, 5, True, ["x"], {"text": "x"}, "\x00", "\ud800", ""])
async def test_no_value_of_a_wrong_kind_gets_through(
    tool: Callable[[str], Tool], script: Script, name: str, value: object
) -> None:
    """Neither in place of a needed argument, nor as an exception."""
    for wrong in tool(name).parameters["required"]:
        if (name, wrong, value) == ("search_memories", "query", ""):
            continue  # a legal query
        answer: Any = await tool(name).call(VALID[name] | {wrong: value})
        assert (answer["changed"], answer["error"]["code"]) == (False, "validation_failed")
        assert answer["error"]["param"] == wrong
    assert script.calls == []
