"""Whatever a person can type or set is described under docs/reference."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import typer.main

from sources import PACKAGE, ROOT, nodes, reference
from wellkept.cli import app
from wellkept.compose.server_settings import Settings
from wellkept.wire.endpoints import ENDPOINTS

VARIABLE = re.compile(r"WELLKEPT_[A-Z_]+")


def commands(command: Any, *names: str) -> Iterator[str]:
    """Every command by the words that call it; a group is only the way to its commands."""
    inner = getattr(command, "commands", {})
    for name, child in inner.items():
        yield from commands(child, *names, name)
    if not inner:
        yield " ".join(names)


def variables() -> Iterator[str]:
    """The environment variables that are read: by name for a library, by the fields of a class for the programs.

    Two places, because a library needs no pydantic to find its home.
    """
    for node in nodes(PACKAGE / "compose" / "settings.py"):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and VARIABLE.fullmatch(node.value):
            yield node.value
    prefix = Settings.model_config.get("env_prefix", "")
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias or field.alias
        yield from getattr(alias, "choices", [alias or f"{prefix}{name}"])


def test_every_command_is_in_the_reference() -> None:
    known = list(commands(typer.main.get_command(app), "wellkept"))
    assert len(known) > 5
    assert not [command for command in known if command not in reference()]


def test_every_command_says_what_it_does() -> None:
    def silent(command: Any, *names: str) -> Iterator[str]:
        if not (command.help or "").strip():
            yield " ".join(names)
        for name, child in getattr(command, "commands", {}).items():
            yield from silent(child, *names, name)

    assert not list(silent(typer.main.get_command(app), "wellkept"))


def test_every_setting_is_in_the_reference() -> None:
    known = [str(name).upper() for name in variables()]
    assert known
    assert not [name for name in known if f"`{name}`" not in reference()]


def test_no_variable_is_described_that_nobody_reads() -> None:
    known = {str(name).upper() for name in variables()}
    assert not set(VARIABLE.findall(reference())) - known


def test_every_route_is_in_the_reference() -> None:
    routes = [f"{endpoint.method} {endpoint.path}" for endpoint in ENDPOINTS]
    assert routes
    assert not [route for route in routes if route not in reference()]


def test_the_reference_is_there() -> None:
    assert (ROOT / "docs" / "reference").is_dir()
