"""Errors of SQLite, as ours."""

import sqlite3
from typing import Final

from wellkept.model.errors import (
    StoreCorrupt,
    StoreFailed,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)

_BY_CODE: Final[dict[int, type[StoreFailed]]] = {
    sqlite3.SQLITE_BUSY: StoreUnavailable,
    sqlite3.SQLITE_LOCKED: StoreUnavailable,
    sqlite3.SQLITE_PROTOCOL: StoreUnavailable,
    sqlite3.SQLITE_IOERR: StoreUnavailable,
    sqlite3.SQLITE_CANTOPEN: StoreUnavailable,
    sqlite3.SQLITE_NOMEM: StoreUnavailable,
    sqlite3.SQLITE_FULL: StoreFull,
    # The disk says ENOSPC as SQLITE_FULL, but a quota or a limit on the file's
    # size only as a write that failed. (So does a dying disk: see the cause.)
    sqlite3.SQLITE_IOERR_WRITE: StoreFull,
    sqlite3.SQLITE_IOERR_SHMSIZE: StoreFull,
    sqlite3.SQLITE_READONLY: StoreReadOnly,
    sqlite3.SQLITE_PERM: StoreReadOnly,
    sqlite3.SQLITE_CORRUPT: StoreCorrupt,
    sqlite3.SQLITE_NOTADB: StoreCorrupt,
    sqlite3.SQLITE_FORMAT: StoreCorrupt,
}

_PRIMARY: Final = 0xFF
"""The bits of an extended error code that say the kind."""


def code_of(error: sqlite3.Error) -> int:
    """Give SQLite's extended code; 0 for an error of the driver itself."""
    return getattr(error, "sqlite_errorcode", 0)  # the driver sets it only on what SQLite itself reports


def is_busy(error: sqlite3.Error) -> bool:
    """Say whether someone else holds a lock, so that trying again may help."""
    return code_of(error) & _PRIMARY in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


def translated(error: sqlite3.Error) -> StoreFailed:
    """Give our error for one of SQLite's, with that one as its cause. It names the code, never a text."""
    code = code_of(error)
    kind = _BY_CODE.get(code) or _BY_CODE.get(code & _PRIMARY, StoreFailed)
    ours = kind(store="sqlite", reason=getattr(error, "sqlite_errorname", type(error).__name__))
    ours.__cause__ = error
    return ours
