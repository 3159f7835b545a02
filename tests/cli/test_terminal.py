"""On a terminal: tables, escaped text, asides, and a sign of life."""

import io
import sys
import time

import pytest

from command_line import on_a_terminal, say
from wellkept.cli.progress import waiting

EVIL = "\x1b[31mred\x1b]0;title\x07 \u202eabc"


def test_stored_text_is_shown_and_never_obeyed() -> None:
    assert say("blocks", "set", "USER", "--owner", "o", f"--text={EVIL}").code == 0
    id = say("memories", "add", EVIL).out.strip()
    assert id in on_a_terminal("memories", "list")
    for command in (
        ["blocks", "show", "USER", "--owner", "o"],
        ["blocks", "list", "--owner", "o"],
        ["memories", "list"],
        ["memories", "search", "title"],
        ["context"],
    ):
        seen = on_a_terminal(*command)
        assert "[31mred" in seen
        assert "\x1b[31m" not in seen
        assert "\x07" not in seen
        assert "\u202e" not in seen
    # For programs it is what it is.
    assert say("blocks", "show", "USER", "--owner", "o", "--json").json["text"] == EVIL


def test_a_conversation_on_a_terminal() -> None:
    seen = on_a_terminal("chat", "--user", "u", "--store", "inproc://", typed="call me Sam\n/quit\n")
    assert "Nice to meet you, Sam." in seen
    assert "[block user/USER: add]" in seen


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("seconds", "shown"), [(0.0, False), (0.9, True)])
def test_what_takes_its_time_shows_that_it_runs(monkeypatch: pytest.MonkeyPatch, seconds: float, shown: bool) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with waiting("Counting sheep"):
        time.sleep(seconds)
    assert isinstance(sys.stderr, Terminal)
    assert ("Counting sheep" in sys.stderr.getvalue()) is shown


def test_a_long_text_gives_way_and_no_other_column(monkeypatch: pytest.MonkeyPatch) -> None:
    id = say("memories", "add", "word " * 200, "--user", "u", "--pin").out.strip()
    monkeypatch.setenv("COLUMNS", "80")
    seen = on_a_terminal("memories", "list")
    # On a slow machine a sign of life goes before the heading.
    [heading, row] = [line for line in seen.splitlines() if "CREATED" in line or id in line]
    assert "STATE" in heading
    assert row.split()[:2] == [id, "u"]
    assert "pinned  word" in row
    assert row.rstrip().endswith("…")
