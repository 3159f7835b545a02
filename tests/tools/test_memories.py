"""The five memory tools."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from scripted_memory import ROW, Script, memory
from wellkept.model.errors import NotFound, WriteClosed
from wellkept.model.memories import MemoryFound
from wellkept.model.outcomes import MemoryWritten
from wellkept.tools.tool import Tool

Tools = Callable[[str], Tool]
TOLD = {
    "id": ROW,
    "text": "Likes heliotrope.",
    "about": "user",
    "created_at": "2026-01-02T03:04:05.000006+00:00",
    "updated_at": "2026-01-02T03:04:05.000006+00:00",
}


async def test_save(tool: Tools, script: Script) -> None:
    script.outcome = MemoryWritten(state="done", memory=memory())
    answer = await tool("save_memory").call({"text": "Likes heliotrope."})
    assert answer == {"changed": True, "action": "save", "id": ROW, "memory": TOLD}
    assert script.calls == [("save_memory", ("Likes heliotrope.",))]


async def test_saving_what_is_known_answers_with_the_row(tool: Tools, script: Script) -> None:
    script.outcome = MemoryWritten(state="unchanged", memory=memory())
    answer = await tool("save_memory").call({"text": "Likes heliotrope."})
    assert answer == {"changed": False, "message": "That is remembered already.", "memory": TOLD}


async def test_a_held_save_is_named_by_the_waiting_write(tool: Tools, script: Script) -> None:
    script.outcome = MemoryWritten(state="held", held="hold_0123456789abcdef")
    answer: Any = await tool("save_memory").call({"text": "x"})
    assert (answer["changed"], answer["held"], answer["id"]) == (False, True, "hold_0123456789abcdef")


async def test_get(tool: Tools, script: Script) -> None:
    script.outcome = memory(user="")
    answer = await tool("get_memory").call({"memory_id": ROW})
    assert answer == {"changed": False, "memory": TOLD | {"about": "everyone"}}
    assert script.calls == [("get_memory", (ROW,))]


@pytest.mark.parametrize(
    ("limit", "asked"), [({}, 10), ({"limit": None}, 10), ({"limit": 20}, 20), ({"limit": 5.0}, 5)]
)
async def test_search(tool: Tools, script: Script, limit: dict[str, object], asked: int) -> None:
    script.outcome = [MemoryFound(memory=memory(), score=1.0)]
    answer = await tool("search_memories").call({"query": "helio", **limit})
    assert answer == {"changed": False, "memories": [TOLD]}
    assert script.calls == [("search_memories", ("helio", asked))]


@pytest.mark.parametrize("limit", ["5", 0, 21, -1, 5.5, True, float("nan"), float("inf"), 10**30, [5]])
async def test_a_limit_that_is_none_is_refused(tool: Tools, script: Script, limit: object) -> None:
    answer: Any = await tool("search_memories").call({"query": "x", "limit": limit})
    assert (answer["error"]["code"], answer["error"]["param"]) == ("validation_failed", "limit")
    assert script.calls == []


async def test_update(tool: Tools, script: Script) -> None:
    script.outcome = MemoryWritten(state="done", memory=memory())
    answer = await tool("update_memory").call({"memory_id": ROW, "text": "Likes heliotrope."})
    assert answer == {"changed": True, "action": "update", "id": ROW, "memory": TOLD}
    assert script.calls == [("update_memory", (ROW, "Likes heliotrope."))]


async def test_delete(tool: Tools, script: Script) -> None:
    script.outcome = MemoryWritten(state="done")
    assert await tool("delete_memory").call({"memory_id": ROW}) == {"changed": True, "action": "delete", "id": ROW}
    assert script.calls == [("delete_memory", (ROW,))]


@pytest.mark.parametrize(("name", "text"), [("update_memory", {"text": "x"}), ("delete_memory", {})])
async def test_a_held_change_names_the_memory(tool: Tools, script: Script, name: str, text: dict[str, object]) -> None:
    script.outcome = MemoryWritten(state="held", held="hold_0123456789abcdef")
    answer: Any = await tool(name).call({"memory_id": ROW, **text})
    assert (answer["changed"], answer["held"], answer["id"]) == (False, True, ROW)


@pytest.mark.parametrize("name", ["get_memory", "delete_memory"])
@pytest.mark.parametrize("id", ["mem_1", "1", "MEM_0123456789abcdef", "mem_0123456789abcdef\n"])
async def test_what_is_no_id_is_refused(tool: Tools, script: Script, name: str, id: str) -> None:
    answer: Any = await tool(name).call({"memory_id": id})
    assert (answer["error"]["code"], answer["error"]["param"]) == ("validation_failed", "memory_id")
    assert script.calls == []


async def test_a_text_that_is_too_long_is_refused(tool: Tools, script: Script) -> None:
    answer: Any = await tool("save_memory").call({"text": "é" * 5_121})
    assert answer["error"]["message"] == "text: Memory text must be at most 10240 bytes, not 10242"


@pytest.mark.parametrize("error", [NotFound(memory=ROW), WriteClosed()])
async def test_what_memory_refuses_is_told(tool: Tools, script: Script, error: NotFound | WriteClosed) -> None:
    script.outcome = error
    answer: Any = await tool("delete_memory").call({"memory_id": ROW})
    assert (answer["changed"], answer["error"]["code"]) == (False, error.code)


async def test_every_answer_is_json(tool: Tools, script: Script) -> None:
    script.outcome = MemoryWritten(state="done", memory=memory("用户\r\n\u2028"))
    answer = await tool("save_memory").call({"text": "用户\r\n\u2028"})
    assert json.loads(json.dumps(answer)) == answer
