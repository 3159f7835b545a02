"""What lies under a root and is not as the store would have it."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from wellkept.model.errors import StoreFailed
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.model.keys import SCOPES
from wellkept.stores.files.contents import decode
from wellkept.stores.files.folders import BESIDE, folder, read
from wellkept.stores.files.locks import LOCKS
from wellkept.stores.files.problems import translated
from wellkept.stores.files.spelling import TENANTS, is_id, read_key

_FOREIGN: Final = "not made by this store; left alone"

Steps = tuple[str, ...]


def problems_under(root: Path) -> list[str]:
    """Give one line for each thing that the store cannot read, did not make, or left over.

    Raises:
        OSError: The root itself cannot be looked into.
    """
    return list(_in_tenant(root, ()))


def _in_tenant(root: Path, steps: Steps) -> Iterator[str]:
    at_root = not steps
    for name in _names(root, steps):
        below = (*steps, name)
        if name in SCOPES or (at_root and name == TENANTS):
            yield from _in_folders(root, below)
        elif not (at_root and name == LOCKS):
            yield _line(below, _FOREIGN)


def _in_folders(root: Path, steps: Steps) -> Iterator[str]:
    """Look through a folder of owners, or of tenants."""
    problem = _problem(root, steps)
    if problem:
        yield problem
        return
    for name in _names(root, steps):
        below = (*steps, name)
        if not is_id(name) or below == (TENANTS, DEFAULT_TENANT):
            yield _line(below, _FOREIGN)
        elif problem := _problem(root, below):
            yield problem
        elif steps == (TENANTS,):
            yield from _in_tenant(root, below)
        else:
            yield from _in_owner(root, below)


def _in_owner(root: Path, steps: Steps) -> Iterator[str]:
    try:
        with folder(root, steps) as here:
            for name in sorted(os.listdir(here)):
                below = (*steps, name)
                if name.startswith(BESIDE):
                    yield _line(below, "left over from a write that was cut short (unless one is under way)")
                elif read_key(name) is None:
                    yield _line(below, _FOREIGN)
                elif problem := _unreadable(here, name):
                    yield _line(below, problem)
    except FileNotFoundError:
        return  # It was purged in the meantime.


def _unreadable(here: int, name: str) -> str | None:
    try:
        with translated(writing=False):
            file = read(here, name)
        if file:
            decode(file.data, file=name)
    except StoreFailed as error:
        return f"cannot be read: {error.facts['problem']}"
    return None


def _names(root: Path, steps: Steps) -> list[str]:
    try:
        with folder(root, steps) as here:
            return sorted(os.listdir(here))
    except FileNotFoundError:
        return []


def _problem(root: Path, steps: Steps) -> str | None:
    """Say why a folder cannot be looked into."""
    try:
        with folder(root, steps):
            return None
    except FileNotFoundError:
        return None  # It was purged in the meantime; what looks into it finds nothing.
    except OSError as error:
        return _line(steps, f"no folder that can be entered: {errno.errorcode.get(error.errno or 0, 'unknown')}")


def _line(steps: Steps, problem: str) -> str:
    """Name a path and its problem; a name that would garble a terminal is escaped."""
    path = "/".join(steps)
    return f"{path if path.isprintable() else ascii(path)}: {problem}"
