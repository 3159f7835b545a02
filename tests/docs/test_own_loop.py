"""`examples/own_loop.py` against a provider on this machine: it remembers from one run to the next."""

import json
import os
import subprocess
import sys
from pathlib import Path

from openai_peer import Reply, peer
from sources import ROOT


def run(folder: Path, provider: str, said: str) -> str:
    environment = os.environ | {"OPENAI_BASE_URL": provider, "OPENAI_API_KEY": "none"}
    program = [sys.executable, str(ROOT / "examples" / "own_loop.py"), said]
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_what_one_run_saves_the_next_one_is_told(tmp_path: Path) -> None:
    call = json.dumps({"action": "add", "block": "USER", "content": "Name: Sam"})
    with peer() as provider:
        provider.plays(
            Reply(calls=[("memory_block", call)]), Reply(text="Nice to meet you."), Reply(text="You are Sam.")
        )
        assert run(tmp_path, provider.url, "call me Sam") == "Nice to meet you."
        assert "| Name: Sam" not in provider.system()
        assert json.loads(provider.requests[1]["messages"][-1]["content"])["changed"] is True
        assert run(tmp_path, provider.url, "who am I?") == "You are Sam."
        assert "| Name: Sam" in provider.system()
