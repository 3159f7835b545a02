"""Every command as its own `--help` tells it."""

import os
from collections.abc import Iterator
from typing import Any

import markdown
import typer.main
from typer.testing import CliRunner

from wellkept.cli import app, exit_codes

INTRODUCTION = """
`wellkept COMMAND --help` says the same on a terminal. Text that is asked for goes to standard output, everything else
to standard error. With `--json` answers are JSON, and an error is `{"error": {"code", "message"}}` on standard error,
as over [HTTP](http-api.md). A command works on the store of `--store` or, with `--server`, on a server.
"""


def page() -> str:
    parts = [f"## {name}\n\n```\n{told(name)}\n```" for name in leaves(typer.main.get_command(app), "wellkept")]
    codes = markdown.table(["code", "means"], meanings())
    return markdown.page("Commands", INTRODUCTION, f"## Exit codes\n\n{codes}", *parts)


def leaves(command: Any, *names: str) -> Iterator[str]:
    inner = getattr(command, "commands", {})
    for name, child in inner.items():
        yield from leaves(child, *names, name)
    if not inner:
        yield " ".join(names)


def told(name: str) -> str:
    width = {"COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"}
    os.environ.update(width)
    said = CliRunner().invoke(app, [*name.split()[1:], "--help"], env=width).stdout
    return "\n".join(line.rstrip() for line in said.strip().splitlines())


def meanings() -> Iterator[tuple[str, str]]:
    for line in (exit_codes.__doc__ or "").splitlines():
        code, _, means = line.partition(" ")
        if code.isdigit():
            yield f"`{code}`", means.strip()
