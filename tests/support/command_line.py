"""The command line as a person has it: run in this process, or as a process of its own; and a server that it serves."""

import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from wellkept.cli import app

PROGRAM = [sys.executable, "-c", "from wellkept.cli import main; main()"]
PATIENCE = 60.0


@dataclass(frozen=True)
class Said:
    """What a command said, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def problem(self) -> Any:
        return json.loads(self.err)["error"]


def say(*arguments: str, input: str | bytes | None = None) -> Said:
    """Run a command in this process."""
    result = CliRunner().invoke(app, list(arguments), input=input)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.stderr
    return Said(result.exit_code, result.stdout_bytes.decode(), result.stderr)


def spawn(*arguments: str, input: bytes = b"", env: Mapping[str, str] | None = None, **options: Any) -> Said:
    """Run a command in a process of its own."""
    run = subprocess.run(
        [*PROGRAM, *arguments],
        input=input,
        env={**os.environ, **(env or {})},
        check=False,
        capture_output=True,
        timeout=PATIENCE,
        **options,
    )
    said = Said(run.returncode, run.stdout.decode("utf-8", "replace"), run.stderr.decode("utf-8", "replace"))
    assert "Traceback" not in said.err, said.err
    return said


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


@dataclass(frozen=True)
class Served:
    """A server that runs. `key` is the first start's; None at a later one."""

    process: subprocess.Popen[str]
    banner: str
    url: str
    key: str | None

    def stop(self) -> int:
        """Tell it to stop, and wait until it has."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@contextmanager
def serving(
    *arguments: str,
    as_json: bool = True,
    program: Sequence[str] = PROGRAM,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Iterator[Served]:
    """Serve while the body runs, on any free port unless the arguments say one."""
    port = () if "--port" in arguments else ("--port", "0")
    asked = ["serve", "--log-level", "error", *port, *arguments, *(["--json"] if as_json else [])]
    process = subprocess.Popen(
        [*program, *asked], stdout=subprocess.PIPE, text=True, cwd=cwd, env=os.environ | dict(env or {})
    )
    try:
        banner = _banner(process, last="}" if as_json else "Ctrl-C")
        told = json.loads(banner) if as_json else {"url": _word(banner, "http://"), "apiKey": None}
        yield Served(process, banner, told["url"], told["apiKey"])
    finally:
        process.kill()
        process.wait(PATIENCE)


def _banner(process: subprocess.Popen[str], *, last: str) -> str:
    assert process.stdout is not None
    patience = threading.Timer(PATIENCE, process.kill)
    patience.start()
    try:
        said = ""
        while last not in (line := process.stdout.readline()):
            assert line, "the server ended before it said where it listens"
            said += line
        return said + line
    finally:
        patience.cancel()


def _word(text: str, beginning: str) -> str:
    return next(word for word in text.split() if word.startswith(beginning))


def without_what_differs(value: Any, names: Sequence[str] = ()) -> Any:
    """Blank what no two runs have in common: ids, secrets, moments."""
    blank = {"id", "createdAt", "updatedAt", "lastAccessedAt", "at", "secret", "hint", "sessionId", "hash", *names}
    if isinstance(value, dict):
        return {name: "…" if name in blank else without_what_differs(part, names) for name, part in value.items()}
    return [without_what_differs(part, names) for part in value] if isinstance(value, list) else value
