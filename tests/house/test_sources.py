"""Taste in the source: what a file may say, catch, read and be called."""

import ast
import re
import tokenize
import warnings
from collections.abc import Iterator
from pathlib import Path

from sources import PACKAGE, files, nodes, outside, place, room, tree

SETTINGS = PACKAGE / "compose" / "settings.py"
STORE_NAMES = {"sqlite", "postgres", "redis", "inproc", "files"}
EMPTY_NAMES = re.compile(r"(?:.*_)?(?:utils?|helpers?|managers?|common|misc)")
LONG, TOO_LONG = 400, 500


def test_there_is_something_to_look_at() -> None:
    assert len(files()) > 10


def test_only_the_settings_read_the_environment() -> None:
    readers = [
        place(path, node.lineno)
        for path in files()
        if path != SETTINGS
        for node in nodes(path)
        if (isinstance(node, ast.Attribute) and node.attr in {"environ", "environb", "getenv", "putenv", "unsetenv"})
        or (isinstance(node, ast.ImportFrom) and node.module == "os" and {"environ", "getenv"} & names(node))
    ]
    assert not readers, "only compose/settings.py may; take the value as an argument"


def names(node: ast.ImportFrom) -> set[str]:
    return {alias.name for alias in node.names}


def catches(handler: ast.ExceptHandler) -> set[str]:
    if handler.type is None:
        return {"BaseException"}
    return {part.id for part in ast.walk(handler.type) if isinstance(part, ast.Name)}


def lets_go(handler: ast.ExceptHandler) -> bool:
    """Whether the handler only tidies up: its last word is a bare `raise`."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_only_the_outermost_handlers_catch_everything() -> None:
    nets = [
        place(path, node.lineno)
        for path in outside("server", "mcp", "cli")
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler) and catches(node) & {"Exception", "BaseException"} and not lets_go(node)
    ]
    assert not nets, "name what you catch; `except BaseException` may tidy up and end in a bare `raise`"


def test_only_stores_know_stores() -> None:
    tellers = [
        f"{place(path, node.lineno)} {node.value!r}"
        for path in outside("stores", "compose")
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in STORE_NAMES
    ]
    assert not tellers, "above the stores nobody names one; ask for a capability"


def test_a_file_holds_one_idea() -> None:
    lengths = {place(path): len(path.read_text(encoding="utf-8").splitlines()) for path in files()}
    if long := {name: lines for name, lines in lengths.items() if LONG < lines <= TOO_LONG}:
        warnings.warn(f"over {LONG} lines, usually two ideas: {long}", stacklevel=1)
    assert not {name: lines for name, lines in lengths.items() if lines > TOO_LONG}


def test_a_file_is_named_after_what_it_holds() -> None:
    parts = {part for path in files() for part in path.relative_to(PACKAGE).with_suffix("").parts}
    assert not {part for part in parts if EMPTY_NAMES.fullmatch(part)}


def test_every_folder_is_a_package() -> None:
    folders = [folder for folder in PACKAGE.rglob("*") if folder.is_dir() and any(folder.glob("*.py"))]
    assert not [place(folder) for folder in folders if not (folder / "__init__.py").exists()]


def test_every_file_says_what_it_is_for() -> None:
    silent = [path for path in files() if tree(path).body and not ast.get_docstring(tree(path))]
    assert not [place(path) for path in silent], "the docstring of a module says what it is for"


def comments(path: Path) -> Iterator[tuple[int, str]]:
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


SILENCER = re.compile(
    r"#\s*(?:(?:ruff:\s*)?noqa(?::\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*)?"
    r"|(?:type|pyright):\s*ignore(?:\[[^]]*\])?|(?:mypy|pyright):\s*\w+)"
)


def test_who_silences_a_checker_says_why() -> None:
    mute = []
    for path in files():
        told = dict(comments(path))
        for line, comment in told.items():
            reason = SILENCER.sub("", comment).strip(" #-—:,")
            if SILENCER.search(comment) and len(reason) < 8 and line - 1 not in told:
                mute.append(place(path, line))
    assert not mute, "a reason stands beside it or in the line above"


def test_the_rooms_are_those_of_the_design() -> None:
    designed = {
        *("", "model", "rules", "wire", "contract", "stores", "wrappers", "embedders", "services", "tools", "runtime"),
        *("bridges", "client", "compose", "server", "mcp", "cli", "testing", "__main__"),
    }
    assert {room(path) for path in files()} <= designed
