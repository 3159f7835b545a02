"""What goes wrong around a command: a typed message, an exit code, old data still there, and no traceback."""

import os
import resource
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from command_line import PROGRAM, say, spawn
from wellkept.cli import opening
from wellkept.compose.stores import schemes

KNOWN = ", ".join(f"{name}://" for name in schemes())
ADD = ("memories", "add", "likes heliotrope")


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/data.db"
    assert say(*ADD, "--store", url).code == 0
    return url


def path_of(store: str) -> Path:
    return Path(store.removeprefix("sqlite://").partition("?")[0])


def code_of(*arguments: str) -> tuple[int, str]:
    said = say(*arguments, "--json")
    assert said.out == ""
    return said.code, said.problem["code"]


def test_a_damaged_file(tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"not a database, but long enough to be taken for one" * 100)
    before = broken.read_bytes()
    store = ("--store", f"sqlite:///{broken}")
    assert code_of("memories", "list", *store) == (6, "store_corrupt")
    assert code_of(*ADD, *store) == (6, "store_corrupt")
    assert code_of("serve", "--port", "0", *store) == (6, "store_corrupt")
    assert broken.read_bytes() == before


def test_another_programs_file(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.db"
    with sqlite3.connect(theirs) as db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")
    db.close()
    assert code_of("memories", "list", "--store", f"sqlite:///{theirs}") == (2, "invalid_setting")


def test_a_locked_file(store: str) -> None:
    with sqlite3.connect(path_of(store), isolation_level=None) as db:
        db.execute("BEGIN IMMEDIATE")
        assert code_of(*ADD, "--store", f"{store}?timeout=1") == (6, "store_unavailable")
        db.execute("ROLLBACK")
    db.close()
    assert len(say("memories", "list", "--json", "--store", store).json["data"]) == 1


def test_a_full_disk(store: str) -> None:
    # A limit on the size of files stands for it: the log of changes may not grow.
    def little() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, 16_384))

    said = spawn(*ADD, "--json", "--store", store, preexec_fn=little)
    assert said.code == 6
    assert said.problem["code"] in ("store_full", "store_unavailable")
    rows = say("memories", "list", "--json", "--store", store).json["data"]
    assert [row["text"] for row in rows] == ["likes heliotrope"]


def test_a_place_where_nothing_can_be_made() -> None:
    code, name = code_of(*ADD, "--store", "sqlite:////proc/nothing/data.db")
    assert code == 6
    assert name.startswith("store_")


def test_a_server_that_is_not_there() -> None:
    said = code_of("memories", "list", "--server", "http://127.0.0.1:9", "--api-key", "wk_x")
    assert said == (6, "server_unreachable")


@pytest.mark.parametrize(
    ("code", "name", "arguments"),
    [
        (2, "unknown_store", ["memories", "list", "--store", "carrier-pigeon://coop"]),
        (2, "validation_failed", ["memories", "list", "--store", "inproc://", "--server", "http://127.0.0.1:9"]),
        (2, "validation_failed", ["chat", "--once", "x", "--model", "offline", "--server", "http://127.0.0.1:9"]),
        (2, "validation_failed", ["memories", "list", "--server", "127.0.0.1", "--api-key", "wk_x"]),
        (2, "validation_failed", ["memories", "list", "--tenant", "two words"]),
        (2, "validation_failed", ["memories", "search", "x", "--mode", "guess"]),
        (2, "validation_failed", ["memories", "search", "x", "--mode", "web", "--explain"]),
        (2, "validation_failed", ["memories", "update", "mem_0000000000000000"]),
        (2, "validation_failed", ["blocks", "list"]),
        (2, "validation_failed", ["blocks", "list", "--scope", "planet", "--owner", "o"]),
        (2, "validation_failed", ["blocks", "set", "USER", "--owner", "o"]),
        (2, "validation_failed", ["blocks", "remove", "USER", "--owner", "o"]),
        (2, "validation_failed", ["agents", "create", "A", "--block", "planet/KEY"]),
        (2, "validation_failed", ["agents", "create", "A", "--tool", "hammer"]),
        (2, "validation_failed", ["chat", "--json"]),
        (2, "invalid_setting", ["memories", "list", "--server", "http://127.0.0.1:9"]),
        (2, "invalid_setting", ["serve", "--log-format", "verse"]),
        (2, "provider_required", ["chat", "--once", "x", "--model", "nobody:knows"]),
        (5, "not_supported", ["memories", "list", "--store", "files:///tmp/wellkept-nothing"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_cannot_be_meant(code: int, name: str, arguments: list[str]) -> None:
    assert code_of(*arguments) == (code, name)


def test_a_setting_that_cannot_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLKEPT_PORT", "harbour")
    said = say("serve")
    assert said.code == 2
    assert "WELLKEPT_PORT" in said.err
    assert "harbour" not in said.err
    doctor = say("doctor")
    assert doctor.code == 1
    assert "WELLKEPT_PORT must be a whole number." in doctor.out


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("PORT", "abc", "must be a whole number"),
        ("PORT", "-1", "must be at least 0"),
        ("PORT", "70000", "must be at most 65535"),
        ("TURN_SECONDS", "0", "must be more than 0"),
        ("NOTICE_SECONDS", "soon", "must be a number"),
        ("OPEN_METRICS", "perhaps", "must be true or false"),
        ("LOG_FORMAT", "verse", "must be auto, json or console"),
    ],
)
def test_a_setting_is_said_in_our_own_words(
    variable: str, value: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"WELLKEPT_{variable}", value)
    assert say("memories", "list").err == f"error: WELLKEPT_{variable} {told}.\n"


@pytest.mark.parametrize(
    ("arguments", "told", "advice"),
    [
        (["memories", "list", "--server", "http://127.0.0.1:9"], "WELLKEPT_API_KEY is not set.", "--api-key"),
        (["memories", "list", "--store", "sqlite://x.db"], "The store's sqlite:// URL names no file.", "sqlite:///"),
        (
            ["serve", "--host", "192.0.2.1"],
            "192.0.2.1:8787 cannot be listened on: Cannot assign requested address.",
            "",
        ),
        (["memories", "list", "--store", "x.db"], "No store has this URL scheme.", "sqlite:///"),
        (["memories", "list", "--store", "x.db"], f"known: {KNOWN}", "inproc://"),
        (["blocks", "list"], "--owner: is missing; say whose block it is", ""),
        (
            ["blocks", "history", "USER", "--owner", "o", "--store", "files:///tmp/wellkept-nothing"],
            "keep",
            "sqlite://",
        ),
    ],
)
def test_a_slip_is_told_as_one_with_what_to_do(arguments: list[str], told: str, advice: str) -> None:
    said = say(*arguments)
    assert said.code in (2, 5)
    sentence, _, rest = said.err.partition("\n")
    assert told in sentence
    assert "put together wrongly" not in sentence
    assert advice in rest
    assert bool(advice) == rest.startswith("  → ")


def test_what_nobody_foresaw_is_told_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> None:
        raise RuntimeError("a user's text")

    monkeypatch.setattr(opening, "load", broken)
    said = say("memories", "list")
    assert said.code == 1
    assert "RuntimeError" in said.err
    assert "a user's text" not in said.err
    assert code_of("memories", "list") == (1, "internal")


def test_debug_shows_where() -> None:
    run = subprocess.run(
        [*PROGRAM, "memories", "show", "mem_1", "--debug", "--store", "inproc://"],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 2
    assert "Traceback" in run.stderr


def test_a_reader_that_went_away(store: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [*PROGRAM, "memories", "list", "--store", store]
    run = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(writing)
    assert (run.returncode, run.stderr) == (141, b"")


def test_ctrl_c_ends_a_conversation() -> None:
    command = [*PROGRAM, "chat", "--user", "u", "--store", "inproc://"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"call me Sam\n")
        process.stdin.flush()
        assert b"Sam" in process.stdout.readline()  # now it waits for the next line
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b""
