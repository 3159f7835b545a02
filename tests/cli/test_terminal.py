"""On a terminal: tables, escaped text, asides, and a sign of life."""

import io
import os
import pty
import subprocess
import sys
import time

import pytest

from command_line import PROGRAM, say
from wellkept.cli.progress import waiting

EVIL = "\x1b[31mred\x1b]0;title\x07 \u202eabc"


def on_a_terminal(*arguments: str, typed: str = "") -> str:
    """Run a command on a terminal of its own; give what is seen there."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*PROGRAM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
    os.close(theirs)
    os.write(ours, typed.encode())
    seen = b""
    try:
        while chunk := os.read(ours, 65_536):
            seen += chunk
    except OSError:
        pass  # how a terminal says that nobody writes any more
    finally:
        os.close(ours)
    assert process.wait(60) == 0, seen
    return seen.decode()


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
