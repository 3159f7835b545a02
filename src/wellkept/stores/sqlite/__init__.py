"""The SQLite store, `sqlite:///path`: everything in one file, which several processes may have open."""

from wellkept.stores.sqlite.address import parse
from wellkept.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore", "open"]


async def open(url: str) -> SqliteStore:
    """Open `sqlite:///relative`, `sqlite:////absolute` or `sqlite:///~/in-your-home`; what is missing is made.

    Raises:
        InvalidSetting: The URL names no file, or one of another program.
        StoreFailed: The file cannot be opened; the class says why.
    """
    return await SqliteStore.open_at(parse(url))
