"""Every hostile or odd input of the shared list that a command line can be given: what the library says, it says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import say
from wellkept.cli.escaping import in_one_line, shown
from wellkept.model.edits import checked_entry
from wellkept.model.errors import InvalidInput
from wellkept.model.ids import block_name
from wellkept.model.keys import checked_owner
from wellkept.model.memories import checked_memory_text, checked_partition
from wellkept.model.text import checked_text

LIST = Path(__file__).parents[1] / "data" / "badinputs.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in LIST.read_text("utf-8").splitlines()]
STORE = ("--store", "inproc://bad-input")


def of(field: str) -> list[Any]:
    rows = [row for row in ROWS if row["field"] == field]
    assert rows
    return [pytest.param(_value(row["value"]), id=row["id"]) for row in rows]


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return str(value.get("prefix", "")) + str(value["repeat"]) * int(value["times"])
    return value


def takes(check: Callable[[str], object], value: str) -> bool:
    try:
        check(value)
    except InvalidInput:
        return False
    return True


def given(option: str, value: str) -> str:
    """An option with its value in one argument, so that a value may begin with a dash."""
    return f"{option}={value}"


@pytest.mark.parametrize("owner", of("owner"))
def test_owners(owner: str) -> None:
    say("blocks", "set", "USER", "--owner", "neighbour", "--text", "neighbour's", *STORE)
    said = say("blocks", "set", "USER", given("--owner", owner), "--text", "theirs", "--json", *STORE)
    assert said.code == (0 if takes(checked_owner, owner) else 2)
    if said.code == 0:
        assert said.json["block"]["owner"] == owner
        shown = say("blocks", "show", "USER", given("--owner", owner), *STORE)
        assert shown.out == "theirs"
    else:
        assert said.problem["code"] == "validation_failed"
    assert say("blocks", "show", "USER", "--owner", "neighbour", *STORE).out == "neighbour's"


@pytest.mark.parametrize("key", of("key"))
def test_keys(key: str) -> None:
    said = say("blocks", "set", "--owner", "keys", "--text", "x", "--json", *STORE, "--", key)
    assert said.code == (0 if takes(block_name, key) else 2)
    if said.code == 0:
        assert said.json["block"]["key"] == key


@pytest.mark.parametrize("pair", of("owner_pair"))
def test_users_that_look_alike_are_kept_apart(pair: list[str]) -> None:
    texts = [f"of {number} {pair!r}" for number in range(len(pair))]
    for user, text in zip(pair, texts, strict=True):
        said = say("memories", "add", text, given("--user", user), *STORE)
        assert said.code == (0 if takes(checked_partition, user) else 2)
    for user, text in zip(pair, texts, strict=True):
        if takes(checked_partition, user):
            rows = say("memories", "list", given("--user", user), "--json", *STORE).json["data"]
            assert [row["text"] for row in rows if row["text"] in texts] == [text]


@pytest.mark.parametrize("text", of("text"))
def test_texts(text: str) -> None:
    added = say("memories", "add", "--user", "texts", "--json", *STORE, "--", text)
    assert added.code == (0 if takes(checked_memory_text, text) else 2)
    if added.code == 0:
        assert added.json["memory"]["text"] == text
        assert say("memories", "show", added.json["memory"]["id"], *STORE).out == text
    entry = say("blocks", "add", "TEXTS", "--owner", "texts", "--limit", "1000000", *STORE, "--", text)
    assert entry.code in ((0, 5) if takes(checked_entry, text) else (2,))
    put = say("blocks", "set", "WHOLE", "--owner", "texts", "--limit", "1000000", given("--text", text), *STORE)
    # Text can be replaced by anything that can be stored; only a limit may still be in the way.
    assert put.code in ((0, 5) if takes(lambda value: checked_text(value, param="text"), text) else (2,))


@pytest.mark.parametrize("query", of("search"))
def test_searches(query: str) -> None:
    say("memories", "add", "somebody else's", "--user", "other", *STORE)
    for mode in ("web", "ranked"):
        said = say("memories", "search", "--user", "searcher", "--mode", mode, "--json", *STORE, "--", query)
        assert said.code in (0, 2)
        if said.code == 0:
            assert all(row["userId"] == "searcher" for row in said.json["data"])


@pytest.mark.parametrize("query", of("search"))
def test_explained_searches(query: str) -> None:
    say("memories", "add", "somebody else's", "--user", "other", *STORE)
    said = say("memories", "search", "--user", "searcher", "--explain", "--json", *STORE, "--", query)
    assert said.code in (0, 2)
    if said.code == 0:
        assert all(row["memory"]["userId"] in ("", "searcher") for row in said.json["data"])


def test_what_a_terminal_would_obey_is_spelt_out() -> None:
    assert shown("\x1b[31mred\x07 \x9b1m \u202eabc\r") == "\\x1b[31mred\\x07 \\x9b1m \\u202eabc\\r"
    assert shown("tabs\tand\nlines, 用户, e\u0301, \U0001f468\u200d\U0001f469") == (
        "tabs\tand\nlines, 用户, e\u0301, \U0001f468\u200d\U0001f469"
    )
    assert in_one_line("one\ntwo\t\\n") == "one\\ntwo\\t\\\\n"
