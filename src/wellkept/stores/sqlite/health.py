"""Whether the file is well."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from wellkept.model.errors import StoreUnavailable
from wellkept.stores.sqlite.connection import wal_bytes
from wellkept.stores.sqlite.migrations import version

Identity = tuple[int, int]
"""Device and inode: which file it is, whatever its name."""

_LARGE_WAL: Final = 1024**3
_FINDINGS_SHOWN: Final = 20


def identity(path: Path) -> Identity | None:
    """Say which file lies at `path`; None: there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def look(db: sqlite3.Connection, path: Path, opened: Identity | None) -> None:
    """Return if the file can be read, and is still the one that was opened.

    Raises:
        StoreUnavailable: Another lies in its place, or none: what is written goes nowhere.
    """
    version(db)
    if identity(path) != opened:
        raise StoreUnavailable(store="sqlite", reason="the file was moved or deleted while it was open")


def problems(db: sqlite3.Connection, path: Path) -> list[str]:
    """Look at every page and every reference."""
    found = [f"damaged: {line}" for (line,) in db.execute(f"PRAGMA quick_check({_FINDINGS_SHOWN})") if line != "ok"]
    orphans = {table for table, *_ in db.execute("PRAGMA foreign_key_check")}
    found += [f"damaged: rows of {table} belong to nothing" for table in sorted(orphans)]
    if wal_bytes(path) > _LARGE_WAL:
        found.append("the file's -wal has grown over 1 GiB: some process reads without ever ending")
    return found


def facts(db: sqlite3.Connection, path: Path) -> Mapping[str, str]:
    """Say where the file is, which schema it has, and which SQLite reads it."""
    return {"path": str(path), "schema": str(version(db)), "sqlite": sqlite3.sqlite_version}
