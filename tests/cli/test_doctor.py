"""`doctor`: what it finds, and that it survives what it looks at."""

import sqlite3
from pathlib import Path

import pytest

from command_line import Said, say

from .conftest import Doors


def checks(said: Said) -> dict[str, bool]:
    import json

    found = json.loads(said.out)
    assert found["ok"] is all(check["ok"] for check in found["checks"])
    assert said.code == (0 if found["ok"] else 1)
    return {check["name"]: check["ok"] for check in found["checks"]}


def test_all_is_well(home: Path) -> None:
    say("memories", "add", "likes tea")
    said = say("doctor")
    assert said.code == 0
    for told in (
        "wellkept 0",
        str(home / "wellkept.db"),
        "schema",
        "1 agent, 0 blocks, 1 memory,",
        "WELLKEPT_OPEN_METRICS = false",
        "MiB free",
        "WELLKEPT_MODEL = offline",
    ):
        assert told in said.out
    assert all(checks(say("doctor", "--json")).values())


def test_no_secret_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLKEPT_API_KEY", "wk_secret")
    for name in ("WELLKEPT_BLOCKS", "WELLKEPT_PASSAGES"):
        monkeypatch.setenv(name, "redis://sam:pass-word@localhost/0?token=abc")
    said = say("doctor", "--store", "inproc://")
    assert said.code == 1  # there is no such store
    assert "localhost" in said.out
    for secret in ("wk_secret", "pass-word", "token"):
        assert secret not in said.out + said.err


def test_a_broken_store_is_a_finding(tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"not a database" * 1000)
    assert checks(say("doctor", "--json", "--store", f"sqlite:///{broken}"))["store"] is False


def test_a_store_that_keeps_no_passages_is_a_finding(tmp_path: Path) -> None:
    said = say("doctor", "--json", "--store", "inproc://", "--passages", f"files://{tmp_path}")
    assert checks(said)["passages"] is False
    said = say("doctor", "--json", "--store", "inproc://", "--passages", f"sqlite:///{tmp_path}/passages.db")
    assert checks(said)["passages"] is True


def test_a_damaged_page_is_a_finding(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/data.db"
    for number in range(50):
        say("memories", "add", f"memory {number} " + "x" * 500, "--store", url)
    with sqlite3.connect(tmp_path / "data.db") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'memories'").fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    db.close()
    with (tmp_path / "data.db").open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    said = say("doctor", "--json", "--store", url)
    assert said.code == 1
    assert False in checks(said).values()


def test_a_server_is_looked_at(doors: Doors) -> None:
    assert checks(doors.remote("doctor", "--json")) == {"versions": True, "server": True, "key": True}
    refused = say("doctor", "--json", "--server", doors.served.url, "--api-key", "wk_wrong")
    assert False in checks(refused).values()
    assert checks(say("doctor", "--json", "--server", "http://127.0.0.1:9", "--api-key", "wk_x"))["server"] is False
