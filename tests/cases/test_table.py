"""The table of cases names tests that exist, and all of this folder's."""

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ROW = re.compile(r"^\| ([A-Z]+)-(\d+) \| `([^`]+)` \|$", re.MULTILINE)
ROWS = ROW.findall((HERE / "README.md").read_text(encoding="utf-8"))
CASE = re.compile(r"test_([a-z]+)_(\d{3})_")


def defined_in(file: Path) -> set[str]:
    """The tests that a file defines, as they are named behind it."""
    found: set[str] = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        found |= {
            prefix + one.name
            for one in inside
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name.startswith("test_")
        }
    return found


@pytest.mark.parametrize("node", sorted({node for _, _, node in ROWS}))
def test_a_test_that_is_named_exists(node: str) -> None:
    file, _, name = node.partition("::")
    assert name in defined_in(ROOT / file)


def test_every_test_of_a_case_is_in_its_row() -> None:
    named = {(f"{group}-{int(number)}", node) for group, number, node in ROWS}
    here = {
        (f"{case[1].upper()}-{int(case[2])}", f"tests/cases/{file.name}::{name}")
        for file in HERE.glob("test_*.py")
        for name in defined_in(file)
        if (case := CASE.match(name))
    }
    assert here
    assert sorted(here - named) == []
