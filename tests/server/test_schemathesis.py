"""schemathesis against a running server: what the document says holds, and nothing gets a 5xx."""

import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from running_server import running

OPERATIONS_THAT_END_THE_TEST = ("keys.revoke", "agents.delete")  # its own key, its own agent
# A schema cannot say everything (a name holds something visible, a cursor was given out): that is a documented 400.
CHECKS_LEFT_OUT = ("positive_data_acceptance",)


@pytest.mark.parametrize(("phase", "cases"), [("coverage", 1), ("fuzzing", 4)])
def test_the_server_does_what_its_document_says(tmp_path: Path, phase: str, cases: int) -> None:
    with running() as server:
        auth = {"Authorization": f"Bearer {server.key}"}
        made = httpx2.post(f"{server.url}/v1/agents/{server.agent}/memories", json={"text": "x"}, headers=auth)
        config = tmp_path / "schemathesis.toml"
        config.write_text(
            "[phases.coverage]\n"
            'unexpected-methods = ["TRACE"]\n'
            "[parameters]\n"
            f'agentId = "{server.agent}"\n'
            f'memoryId = "{made.json()["memory"]["id"]}"\n',
        )
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run"),
                *(f"{server.url}/openapi.json", "-H", f"Authorization: Bearer {server.key}"),
                *("--phases", phase, "-n", str(cases), "--seed", "1", "--continue-on-failure", "--no-color"),
                *("--checks", "all", "--exclude-checks", ",".join(CHECKS_LEFT_OUT)),
                *(word for name in OPERATIONS_THAT_END_THE_TEST for word in ("--exclude-operation-id", name)),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-20_000:]
        assert "Specification:    Open API 3.1.0" in done.stdout
        assert "57 passed" in done.stdout
        assert "Authentication failed" not in done.stdout
        assert not [line for line in server.house.logged() if line["event"] == "request_failed"]
