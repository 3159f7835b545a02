"""Connections to the file."""

import errno
import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from wellkept.model.errors import InvalidSetting, StoreFailed, StoreFull, StoreReadOnly, StoreUnavailable
from wellkept.stores.sqlite.address import SETTING, Address
from wellkept.stores.sqlite.errors import is_busy

_STATEMENTS_KEPT: Final = 256
"""More than this store has, so that each is prepared once a connection."""

_BUSY_PAUSE: Final = 0.001
"""Seconds between two tries. SQLite's own handler sleeps up to 0.1: beside a busy process it would starve."""

_WAL_BYTES_KEPT: Final = 64 * 1024 * 1024
"""What a WAL that once grew larger is cut back to."""

_ERRNOS: Final[dict[int, type[StoreFailed]]] = {
    errno.EACCES: StoreReadOnly,
    errno.EPERM: StoreReadOnly,
    errno.EROFS: StoreReadOnly,
    errno.ENOSPC: StoreFull,
    errno.EDQUOT: StoreFull,
}


def create_file(path: Path) -> None:
    """Make the file, and its folder, for their owner alone; what is there already stays as it is.

    SQLite gives the files that it puts beside it the same permissions.

    Raises:
        StoreFailed: The system refuses; the class says why.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return  # or its folder is a file: then opening it says so
    except OSError as error:
        kind = _ERRNOS.get(error.errno or 0, StoreUnavailable)
        raise kind(store="sqlite", path=str(path), reason=errno.errorcode.get(error.errno or 0)) from error


def connect_to_write(address: Address) -> sqlite3.Connection:
    """Open the connection that writes."""
    return _connect(address, "mode=rw")


def set_up_to_write(db: sqlite3.Connection, address: Address) -> None:
    """Say how this connection writes."""
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA secure_delete = ON")  # what was deleted is overwritten, not only let go
    db.execute(f"PRAGMA synchronous = {address.synchronous}")
    db.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES_KEPT}")
    db.execute("PRAGMA busy_timeout = 0")  # `patiently` waits, in shorter steps


def use_wal(db: sqlite3.Connection, *, timeout: float) -> None:
    """Let readers and a writer work side by side; the file remembers it."""
    (mode,) = patiently(db, "PRAGMA journal_mode = WAL", timeout=timeout).fetchone()
    if mode != "wal":
        raise InvalidSetting(setting=SETTING, problem="is on a file system without shared memory, which its WAL needs")


def connect_to_read(address: Address, *, writable: bool) -> sqlite3.Connection:
    """Open a connection that only reads. `writable` False: file or folder may not be changed by us."""
    if writable:
        db = _connect(address, "mode=rw")
        db.execute("PRAGMA query_only = ON")
        return db
    db = _connect(address, "mode=ro")
    try:
        db.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError:
        db.close()
        if wal_bytes(address.path):
            raise
        # WAL wants files beside ours, and the folder takes none. Without them nobody is writing: read the file alone.
        return _connect(address, "mode=ro&immutable=1")
    return db


def patiently(db: sqlite3.Connection, sql: str, *, timeout: float) -> sqlite3.Cursor:
    """Execute a statement, trying again while somebody else holds the lock, for `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            return db.execute(sql)
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
        time.sleep(_BUSY_PAUSE)


@contextmanager
def transaction(db: sqlite3.Connection, *, timeout: float) -> Generator[None]:
    """Hold the write lock of the whole file from the first statement on; commit at the end, or leave nothing."""
    patiently(db, "BEGIN IMMEDIATE", timeout=timeout)
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # some errors (a full disk) have ended it already
            db.execute("ROLLBACK")
        raise


@contextmanager
def without_the_disk(db: sqlite3.Connection) -> Generator[None]:
    """Let commits of the block be written but not waited for: the next one that is waited for takes them along."""
    (synchronous,) = db.execute("PRAGMA synchronous").fetchone()
    db.execute("PRAGMA synchronous = NORMAL")
    try:
        yield
    finally:
        db.execute(f"PRAGMA synchronous = {synchronous}")


@contextmanager
def snapshot(db: sqlite3.Connection) -> Generator[None]:
    """Let all statements of the block see the same moment."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.execute("ROLLBACK")  # it only read; and statements that were not read to their end must not hold it


@contextmanager
def savepoint(db: sqlite3.Connection) -> Generator[None]:
    """Undo what the block did, and only that, when it raises."""
    db.execute("SAVEPOINT one")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK TO one")
            db.execute("RELEASE one")
        raise
    db.execute("RELEASE one")


def wal_bytes(path: Path) -> int:
    """Say how large the WAL beside the file is; 0: there is none."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size
    except OSError:
        return 0


def _connect(address: Address, options: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{address.path.as_uri()}?{options}",
        uri=True,
        timeout=address.timeout,
        isolation_level=None,  # transactions begin where this store says so
        check_same_thread=False,  # opened in one thread, used in another, closed by that one
        cached_statements=_STATEMENTS_KEPT,
    )
