"""Starting: quick, and nothing loaded that a command does not need."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import PROGRAM, say, spawn
from wellkept.runtime.runtime import Runtime

HEAVY = {
    "starlette",
    "uvicorn",
    "pydantic_ai",
    "httpx2",
    "rich",
    "sqlite3",
    "structlog",
    "prometheus_client",
}

LOOK = """
import json, sys
from wellkept.cli import main
sys.argv[1:] = json.loads(sys.argv[1])
try:
    main()
except SystemExit:
    pass
print(json.dumps(sorted({name.split(".")[0] for name in sys.modules})), file=sys.stderr)
"""


def loaded_by(*arguments: str) -> set[str]:
    command = [sys.executable, "-c", LOOK, json.dumps(arguments)]
    run = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    return set(json.loads(run.stderr.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["memories", "search", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    assert not loaded_by(*arguments) & HEAVY


def test_looking_at_a_store_loads_no_server_and_no_agent_loop() -> None:
    modules = loaded_by("memories", "list", "--store", "inproc://")
    assert not modules & {"starlette", "uvicorn", "pydantic_ai", "httpx2"}


def test_the_version_is_told() -> None:
    assert say("--version").out.startswith("wellkept 0.")


def test_every_command_takes_json_and_debug() -> None:
    for command in (
        "serve",
        "doctor",
        "context",
        "chat",
        "blocks edit",
        "memories list",
        "agents create",
        "keys revoke",
    ):
        help = say(*command.split(), "--help").out
        assert "--json" in help
        assert "--debug" in help


@pytest.mark.parametrize(("typed", "offered"), [("mem", "memories"), ("memories se", "search")])
def test_the_shell_completes(typed: str, offered: str) -> None:
    words = ["wellkept", *typed.split()]
    asked = {"_WELLKEPT_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    said = subprocess.run(PROGRAM, env={**os.environ, **asked}, check=False, capture_output=True, text=True, timeout=60)
    assert offered in said.stdout.split()


def test_an_argument_that_is_not_there_is_usage() -> None:
    said = spawn("memories", "add")
    assert said.code == 2
    assert "TEXT" in said.err


def test_a_server_is_ready_when_it_has_loaded_what_turns_need(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    steps: list[str] = []

    async def prepare(self: Runtime) -> None:
        steps.append("prepared")

    async def serve(*_: object, **__: object) -> None:
        steps.append("ready")

    monkeypatch.setattr(Runtime, "prepare", prepare)
    monkeypatch.setattr("wellkept.cli.serving.serve", serve)
    assert say("serve", "--port", "0", "--store", f"sqlite:///{tmp_path}/s.db").code == 0
    assert steps == ["prepared", "ready"]
