"""Looks at the source as text and as trees, for the tests that hold the house's taste."""

import ast
import importlib
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "wellkept"


def files() -> list[Path]:
    """Every Python file of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    """Name the room a file of the package stands in; the package's own `__init__` is in none."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0].removesuffix(".py") if parts != ("__init__.py",) else ""


def outside(*rooms: str) -> list[Path]:
    return [path for path in files() if room(path) not in rooms]


def place(path: Path, line: int | None = None) -> str:
    """Say where, the way an editor can open it."""
    name = str(path.relative_to(ROOT))
    return name if line is None else f"{name}:{line}"


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(tree(path))


@cache
def modules() -> list[str]:
    """Every module of the package, by its dotted name, without importing any."""
    names = []
    for path in files():
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return sorted(name for name in names if not name.endswith("__main__"))


def public_modules() -> list[str]:
    return [name for name in modules() if not any(part.startswith("_") for part in name.split("."))]


def import_all() -> None:
    """Import every module, so that what registers itself as a subclass has done so."""
    for name in modules():
        importlib.import_module(name)


def tracked() -> list[Path]:
    """Every file that git keeps and that is there."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    return [ROOT / name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


@cache
def reference() -> str:
    """The text of docs/reference, all pages."""
    return "\n".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "reference").rglob("*.md")))
