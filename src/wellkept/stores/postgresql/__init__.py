"""The PostgreSQL store, `postgresql://host/database`: everything in one database, for any number of servers."""

from wellkept.stores.postgresql.address import parse
from wellkept.stores.postgresql.store import PostgresStore

__all__ = ["PostgresStore", "open"]


async def open(url: str) -> PostgresStore:
    """Open `postgresql://user:password@host:port/database`; the schema is made, or brought up to date, where needed.

    Raises:
        Misconfigured: The URL is no such URL, or the server does not let us in, or is not one that we can use.
        StoreFailed: The database cannot be used now; the class says why.
    """
    return await PostgresStore.open_at(parse(url))
