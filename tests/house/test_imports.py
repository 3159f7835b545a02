"""What importing costs, brings along and leaves behind."""

import json
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import grimp
import pytest

from sources import ROOT, modules

CPU_SECONDS = 0.15
HEAVY = ("starlette", "uvicorn", "pydantic", "pydantic_ai", "httpx", "httpx2", "numpy", "typer", "rich", "sqlite3")
WITH_NUMPY = ("wellkept.rules.recall.matrix", "wellkept.rules.recall.fast_scores")
"""Imported only where numpy is found: `tests/compose/test_bare_recall.py` goes without."""

BARE_ROOMS = ("model", "rules", "wire", "contract", "services", "tools", "stores.inproc", "stores.sqlite")


def python(code: str, *arguments: str, cwd: Path = ROOT) -> str:
    command = [sys.executable, "-I", "-B", "-c", code, *arguments]
    run = subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("wellkept", include_external_packages=True, cache_dir=None)


def test_importing_wellkept_is_cheap() -> None:
    code = "import time; before = time.process_time(); import wellkept; print(time.process_time() - before)"
    best = min(float(python(code)) for _ in range(5))
    assert best < CPU_SECONDS


def test_importing_wellkept_brings_nothing_heavy() -> None:
    loaded = json.loads(python("import sys, json, wellkept; print(json.dumps(sorted(sys.modules)))"))
    assert "wellkept" in loaded
    assert not [name for name in loaded if name.split(".")[0] in HEAVY]


LOOK = """
import importlib, json, logging, os, signal, sys, threading

ours, theirs = json.loads(sys.argv[1]), json.loads(sys.argv[2])

def loggers():
    known = {"root": logging.root, **logging.root.manager.loggerDict}
    return {
        name: [len(logger.handlers), len(logger.filters), logger.level, logger.propagate]
        for name, logger in known.items()
        if isinstance(logger, logging.Logger)
        and (logger.handlers or logger.filters or logger.level != logging.NOTSET or not logger.propagate)
    }

def look():
    return {
        "environment": dict(os.environ),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "loggers": loggers(),
        "signals": {int(number): str(signal.getsignal(number)) for number in signal.valid_signals()},
        "path": list(sys.path),
        "folder": os.getcwd(),
        "hook": str(sys.excepthook),
        "files": sorted(str(os.path.join(top, name)) for top, _, names in os.walk(".") for name in names),
    }

for name in theirs:
    try:
        importlib.import_module(name)
    except ImportError:
        pass
before = look()
for name in ours:
    importlib.import_module(name)
after = look()
print(json.dumps({what: [before[what], after[what]] for what in before if before[what] != after[what]}))
"""


def test_importing_changes_nothing(graph: grimp.ImportGraph, tmp_path: Path) -> None:
    """No file, environment, thread, logger or signal; what other people's packages do on import is not ours."""
    theirs = sorted(name for name in graph.modules if graph.is_module_squashed(name))
    theirs.append("onnxruntime")  # imported by its name, which the graph does not see
    code = f"import os; os.environ['HOME'] = os.environ['XDG_CACHE_HOME'] = os.getcwd()\n{LOOK}"
    changed = json.loads(python(code, json.dumps(modules()), json.dumps(theirs), cwd=tmp_path))
    assert not changed


def circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that reach each other (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in imports[module]:
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            group = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(group) > 1:
                found.append(sorted(group))

    for module in imports:
        if module not in index:
            visit(module)
    return found


def test_a_circle_would_be_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_no_import_circles() -> None:
    """Imports inside functions count; those for type checkers alone do not."""
    graph = grimp.build_graph("wellkept", exclude_type_checking_imports=True, cache_dir=None)
    assert circles({module: graph.find_modules_directly_imported_by(module) for module in graph.modules}) == []


def test_nothing_inside_leans_on_the_front_door(graph: grimp.ImportGraph) -> None:
    """The package's root is for users; inside, a name is imported from where it lives.

    An import of a module that does not exist shows here too: it leads to the nearest folder that does.
    """
    assert graph.find_modules_that_directly_import("wellkept") <= {"wellkept", "wellkept.__main__"}


def theirs_by_module(graph: grimp.ImportGraph) -> dict[str, set[str]]:
    return {
        module: {
            other
            for other in graph.find_modules_directly_imported_by(module)
            if graph.is_module_squashed(other) and other not in sys.stdlib_module_names
        }
        for module in graph.modules
        if not graph.is_module_squashed(module)
    }


def test_a_bare_install_stands_on_msgspec(graph: grimp.ImportGraph) -> None:
    bare = tuple(f"wellkept.{room}" for room in BARE_ROOMS)
    leans = {
        module: others - {"msgspec"} - ({"numpy"} if module in WITH_NUMPY else set())
        for module, others in theirs_by_module(graph).items()
        if module == "wellkept" or module.startswith(bare)
    }
    assert {module: others for module, others in leans.items() if others} == {}


def test_what_is_imported_is_asked_for(graph: grimp.ImportGraph) -> None:
    """No room leans on a package that only another package brings along."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = " ".join([*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())])
    leant = {other for others in theirs_by_module(graph).values() for other in others} - {"pytest", "hypothesis"}
    assert not {name for name in leant if name.replace("_", "-") not in asked}
