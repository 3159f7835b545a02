"""The schema, as numbered steps that only go forward."""

from functools import cache
from importlib.resources import files
from typing import Final

from psycopg import sql
from psycopg.errors import DuplicateObject, InsufficientPrivilege, UniqueViolation

from wellkept.model.errors import Misconfigured, SchemaTooNew
from wellkept.stores.postgresql.address import Address
from wellkept.stores.postgresql.pool import Connection

_LOCK: Final = "SELECT pg_advisory_xact_lock(2003529844, 0)"
"""`wkpt`, and 0: of several who start at once, one changes the schema and the others wait."""

_HAS_SCHEMA: Final = "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'wellkept' AND tablename = 'migrations')"
"""Asked of the table of tables: `to_regclass` may answer from a cache that is older than the lock."""

_BY_TENANT: Final = "/* BY TENANT */"


@cache
def steps() -> tuple[str, ...]:
    """Give the SQL of every step; the first leads to version 1."""
    found = sorted(
        (file.name, file.read_text(encoding="utf-8"))
        for file in files("wellkept.stores.postgresql").joinpath("migrations").iterdir()
        if file.name.endswith(".sql")
    )
    numbers = [int(name.partition("_")[0]) for name, _ in found]
    if numbers != list(range(1, len(found) + 1)):
        raise Misconfigured(store="postgresql", problem="the package's migrations are not numbered from 1 without gaps")
    return tuple(text for _, text in found)


async def version(db: Connection) -> int:
    """Read which version of the schema the database has; 0: none.

    Raises:
        SchemaTooNew: A newer wellkept wrote it.
    """
    if await (await db.execute(_HAS_SCHEMA)).fetchone() != (True,):
        return 0
    row = await (await db.execute("SELECT max(number) FROM wellkept.migrations")).fetchone()
    number = int(row[0] or 0) if row else 0
    if number > len(steps()):
        raise SchemaTooNew(store="postgresql", stored=number, known=len(steps()))
    return number


async def migrate(db: Connection, address: Address) -> None:
    """Bring the database to the newest version, in one transaction; of several processes one does it, the others wait.

    Raises:
        Misconfigured: It is to be done, and this user may not.
        SchemaTooNew: A newer wellkept has done more.
    """
    if await version(db) == len(steps()):
        return
    try:
        await _make_role(db, address.role)
        async with db.transaction():
            await db.execute(_LOCK)
            at = await version(db)
            if at == 0:
                await _begin(db, address)
            await db.execute("SELECT set_config('wellkept.app_role', %s, true)", [address.role])
            for number, step in enumerate(steps()[at:], start=at + 1):
                await db.execute(_laid_out(step, await _partitions(db)).encode())
                await db.execute("INSERT INTO wellkept.migrations (number) VALUES (%s)", [number])
            await _grant(db, address.role)
    except InsufficientPrivilege as error:
        raise Misconfigured(
            store="postgresql",
            server=address.place,
            problem="the schema is missing or older, and this user may not change it",
            do="start once as the schema's owner; see the page on running on PostgreSQL",
        ) from error


async def _begin(db: Connection, address: Address) -> None:
    await db.execute("CREATE SCHEMA IF NOT EXISTS wellkept")
    await db.execute("CREATE TABLE wellkept.migrations (number integer NOT NULL PRIMARY KEY)")
    await db.execute("CREATE TABLE wellkept.layout (partitions integer NOT NULL)")
    await db.execute("INSERT INTO wellkept.layout (partitions) VALUES (%s)", [address.partitions])


async def _partitions(db: Connection) -> int:
    row = await (await db.execute("SELECT partitions FROM wellkept.layout")).fetchone()
    return int(row[0]) if row else 0


def _laid_out(step: str, partitions: int) -> str:
    return step.replace(_BY_TENANT, "PARTITION BY HASH (tenant)" if partitions else "")


async def _make_role(db: Connection, role: str) -> None:
    """Make the role that statements run as, unless it is there; roles are of the whole server, not of a database."""
    known = await (await db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])).fetchone()
    if known:
        return
    try:
        await db.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOBYPASSRLS").format(sql.Identifier(role)))
    except (DuplicateObject, UniqueViolation):
        return  # somebody else was quicker
    await db.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(role)))


async def _grant(db: Connection, role: str) -> None:
    """Let the role do what statements do: no more than rows, and the functions of this schema."""
    for right in (
        "GRANT USAGE ON SCHEMA wellkept TO {}",
        "GRANT SELECT ON wellkept.migrations, wellkept.layout TO {}",
        "GRANT SELECT, INSERT ON wellkept.tenants TO {}",
        "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA wellkept TO {}",
    ):
        await db.execute(sql.SQL(right).format(sql.Identifier(role)))
    await db.execute("REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA wellkept FROM PUBLIC")
