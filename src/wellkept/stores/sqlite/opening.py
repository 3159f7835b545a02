"""Opening the file: whose it is, which schema it has, and whether it can be written."""

import sqlite3
from typing import Final

from wellkept.model.errors import StoreReadOnly
from wellkept.stores.sqlite.address import Address
from wellkept.stores.sqlite.connection import (
    connect_to_read,
    connect_to_write,
    create_file,
    set_up_to_write,
    use_wal,
)
from wellkept.stores.sqlite.errors import code_of
from wellkept.stores.sqlite.migrations import is_newest, migrate, version

_REFUSALS: Final = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM})
"""How SQLite says that the file, or its folder, cannot be written."""


def connections(address: Address, count: int) -> tuple[sqlite3.Connection | None, list[sqlite3.Connection]]:
    """Open the connection that writes, None if the file can only be read, and `count` that read.

    Raises:
        StoreFailed: The class says why. So may `sqlite3.Error`.
        InvalidSetting: The file is another program's, or cannot have a WAL.
    """
    writing = writer(address)
    reading: list[sqlite3.Connection] = []
    try:
        for _ in range(count):
            reading.append(connect_to_read(address, writable=writing is not None))
            if not is_newest(reading[-1]):
                raise StoreReadOnly(store="sqlite", reason="its schema is older, and cannot be brought up to date")
    except BaseException:
        for db in (*reading, *([writing] if writing else [])):
            db.close()
        raise
    return writing, reading


def writer(address: Address) -> sqlite3.Connection | None:
    """Make the file if it is missing, bring its schema up to date, and connect; None: it can only be read.

    Raises as `connections` does.
    """
    create_file(address.path)
    db = connect_to_write(address)
    try:
        version(db)  # before anything is changed in a file that may be somebody else's
        use_wal(db, timeout=address.timeout)
        migrate(db, timeout=address.timeout)
        set_up_to_write(db, address)
    except sqlite3.OperationalError as error:
        db.close()
        if code_of(error) & 0xFF in _REFUSALS:
            return None
        raise
    except BaseException:
        db.close()
        raise
    return db
