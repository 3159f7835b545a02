"""The tool `memory_block`."""

from collections.abc import Callable
from typing import Any

import pytest

from scripted_memory import Script
from wellkept.model import errors
from wellkept.model.edits import Add, Remove, Replace
from wellkept.model.outcomes import BlockView, BlockWritten
from wellkept.tools.tool import Tool

Call = Callable[..., Any]
WRITTEN = BlockWritten(key="USER", scope="user", state="done", chars=9, limit=100, etag="e")


@pytest.fixture
def call(tool: Callable[[str], Tool]) -> Call:
    return lambda **arguments: tool("memory_block").call(arguments)


async def test_view_reads_the_block(call: Call, script: Script) -> None:
    script.outcome = BlockView(key="USER", scope="user", text="- name: Sam", empty=False, chars=11, limit=100, etag="e")
    assert await call(action="view", block="USER") == {
        "changed": False,
        "block": "USER",
        "scope": "user",
        "content": "- name: Sam",
        "empty": False,
        "chars": 11,
        "limit": 100,
    }
    assert script.calls == [("view_block", ("USER",))]


@pytest.mark.parametrize(
    ("arguments", "edit"),
    [
        ({"action": "add", "content": " Sam "}, Add(" Sam ")),
        ({"action": "add", "content": "Sam", "match": None}, Add("Sam")),
        ({"action": "add", "content": "Sam", "match": ""}, Add("Sam")),
        ({"action": "replace", "content": "Sam"}, Replace("Sam")),
        ({"action": "replace", "content": "Sam", "match": None}, Replace("Sam")),
        ({"action": "replace", "content": "Sam", "match": "Ann"}, Replace("Sam", "Ann")),
        ({"action": "remove", "match": "Ann", "content": ""}, Remove("Ann")),
    ],
)
async def test_an_edit_is_made_and_told(
    call: Call, script: Script, arguments: dict[str, object], edit: Add | Replace | Remove
) -> None:
    script.outcome = WRITTEN
    assert await call(block="USER", **arguments) == {
        "changed": True,
        "action": arguments["action"],
        "id": "user/USER",
        "block": "USER",
        "scope": "user",
        "chars": 9,
        "limit": 100,
    }
    assert script.calls == [("edit_block", ("USER", edit))]


async def test_a_held_edit_is_told_with_what_happens_next(call: Call, script: Script) -> None:
    script.outcome = BlockWritten(key="RULES", scope="agent", state="held", chars=0, limit=50, held="hold_1")
    answer = await call(action="add", block="RULES", content="Be brief.")
    assert (answer["changed"], answer["held"], answer["action"], answer["id"]) == (False, True, "add", "agent/RULES")
    assert "approves" in answer["message"]


async def test_an_edit_that_changes_nothing_is_told(call: Call, script: Script) -> None:
    script.outcome = BlockWritten(key="USER", scope="user", state="unchanged", chars=9, limit=100)
    answer = await call(action="replace", block="USER", content="- name: Sam")
    assert answer["changed"] is False
    assert not {"held", "action", "id", "error"} & set(answer)
    assert answer["message"] == "The block says that already."


@pytest.mark.parametrize(
    ("arguments", "param"),
    [
        ({}, "action"),
        ({"action": "append", "block": "USER", "content": "x"}, "action"),
        ({"action": "add", "content": "x"}, "block"),
        ({"action": "add", "block": "user", "content": "x"}, "block"),
        ({"action": "add", "block": "SECRETS", "content": "x"}, "block"),
        ({"action": "add", "block": "USER"}, "content"),
        ({"action": "add", "block": "USER", "content": " \n"}, "content"),
        ({"action": "add", "block": "USER", "content": "a\n§\nb"}, "content"),
        ({"action": "add", "block": "USER", "content": "a", "match": "b"}, "match"),
        ({"action": "replace", "block": "USER", "match": "b"}, "content"),
        ({"action": "replace", "block": "USER", "content": "a", "match": ""}, "match"),
        ({"action": "remove", "block": "USER"}, "match"),
        ({"action": "remove", "block": "USER", "match": ""}, "match"),
        ({"action": "remove", "block": "USER", "match": "a", "content": "b"}, "content"),
        ({"action": "view", "block": "USER", "content": "b"}, "content"),
        ({"action": "view", "block": "USER", "match": 5}, "match"),
    ],
)
async def test_arguments_that_do_not_fit_are_told_by_name(
    call: Call, script: Script, arguments: dict[str, object], param: str
) -> None:
    answer = await call(**arguments)
    assert answer["changed"] is False
    assert (answer["error"]["code"], answer["error"]["param"]) == ("validation_failed", param)
    assert answer["error"]["message"].startswith(f"{param}: ")
    assert script.calls == []


async def test_the_choices_are_told(call: Call) -> None:
    assert (await call(action="add", block="X", content="x"))["error"]["message"] == "block: must be one of USER, RULES"


async def test_over_the_limit_the_numbers_and_the_way_out_are_told(call: Call, script: Script) -> None:
    script.outcome = errors.OverLimit(limit=100, used=140)
    error = (await call(action="add", block="USER", content="x"))["error"]
    assert (error["code"], error["used"], error["limit"]) == ("over_limit", 140, 100)
    assert "Consolidate" in error["message"]


@pytest.mark.parametrize("kind", [errors.EntryAmbiguous, errors.EntryNotFound])
async def test_candidates_are_listed(
    call: Call, script: Script, kind: type[errors.EntryAmbiguous] | type[errors.EntryNotFound]
) -> None:
    script.outcome = kind(candidates=("likes tea", "likes teal"))
    error = (await call(action="remove", block="USER", match="tea"))["error"]
    assert (error["code"], error["candidates"]) == (kind.code, ["likes tea", "likes teal"])


@pytest.mark.parametrize("kind", [errors.WriteClosed, errors.TextRejected, errors.BlockUnavailable, errors.Conflict])
async def test_what_memory_refuses_is_told_by_its_code(call: Call, script: Script, kind: type[errors.Refused]) -> None:
    script.outcome = kind(key="RULES")
    answer = await call(action="add", block="RULES", content="x")
    assert (answer["changed"], answer["error"]["code"]) == (False, kind.code)
    assert "key=" not in answer["error"]["message"]
