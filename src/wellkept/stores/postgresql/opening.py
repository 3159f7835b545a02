"""Looking at a database before it is used: whether it is one that we can use, and which schema it has."""

from typing import Final

import psycopg

from wellkept.model.errors import Misconfigured
from wellkept.stores.postgresql.address import Address
from wellkept.stores.postgresql.errors import translated
from wellkept.stores.postgresql.migrations import migrate, version
from wellkept.stores.postgresql.pool import Connection, connect

OLDEST: Final = 15
"""The oldest PostgreSQL that has what we use, and that we are tested on."""

_ROLE: Final = """
SELECT rolsuper OR rolbypassrls, pg_has_role(oid, 'MEMBER'),
    EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('wellkept') AND relowner = pg_roles.oid)
FROM pg_roles WHERE rolname = %s
"""


async def prepare(address: Address) -> None:
    """Look at the server and the role, and bring the schema up to date.

    Raises:
        Misconfigured: The server is not one that we can use, or this user may not do what is needed.
        SchemaTooNew: A newer wellkept wrote the schema.
        StoreFailed: The database cannot be used now; the class says why.
    """
    db = await connect(address)
    try:
        await _look_at_server(db, address)
        if not await _is_standby(db):
            await migrate(db, address)
        await _look_at_schema(db, address)
    except psycopg.Error as error:
        raise translated(error, place=address.place) from error
    finally:
        await db.close()


async def _look_at_server(db: Connection, address: Address) -> None:
    found = db.info.server_version // 10_000
    if found < OLDEST:
        raise _unfit(address, f"PostgreSQL {found} is too old; wellkept needs {OLDEST} or newer")
    encoding = await (await db.execute("SHOW server_encoding")).fetchone()
    if encoding != ("UTF8",):
        raise _unfit(address, "the database is not in UTF8; make one with ENCODING 'UTF8' TEMPLATE template0")


async def _is_standby(db: Connection) -> bool:
    return await (await db.execute("SELECT pg_is_in_recovery()")).fetchone() == (True,)


async def _look_at_schema(db: Connection, address: Address) -> None:
    if not await version(db):
        raise _unfit(address, "there is no schema, and this server takes no writes")
    row = await (await db.execute(_ROLE, [address.role])).fetchone()
    if row is None:
        raise _unfit(address, f"there is no role {address.role}")
    bypasses, is_ours, owns = row
    if bypasses or owns:
        raise _unfit(address, f"the role {address.role} must not be a superuser, own tables or have BYPASSRLS")
    if not is_ours:
        raise _unfit(address, f"this user may not act as {address.role}", do=f"GRANT {address.role} TO <user>")
    layout = await (await db.execute("SELECT partitions FROM wellkept.layout")).fetchone()
    if address.partitions and layout != (address.partitions,):
        raise _unfit(address, "the schema was made with another number of partitions; leave the option out")


def _unfit(address: Address, problem: str, **facts: str) -> Misconfigured:
    return Misconfigured(store="postgresql", server=address.place, problem=problem, **facts)
