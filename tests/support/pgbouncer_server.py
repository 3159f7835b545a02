"""PgBouncer in transaction mode, before the PostgreSQL of the tests: started when first asked for.

Debian's package (`scripts/servers` installs it): there is none on PyPI.
"""

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg.conninfo import conninfo_to_dict

import postgres_server

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
SESSIONS = 5
"""Sessions of PostgreSQL for a database, whatever the number of those who are connected here."""

PATIENCE = 60.0
SETTINGS = """
[databases]
* = host={host} port={port} user={user} {password}
[pgbouncer]
pool_mode = transaction
default_pool_size = {sessions}
max_client_conn = 200
auth_type = any
listen_port = 6432
listen_addr =
unix_socket_dir = {folder}
logfile = {folder}/log
admin_users = pgbouncer
"""


def url_of(database: str) -> str:
    """Name a database of `postgres_server.newest()`, as it is reached through here."""
    return f"postgresql://postgres@/{database}?host={shared()}&port=6432"


def fresh_url() -> str:
    """Give the URL of a database with an empty schema."""
    return url_of(postgres_server.newest().fresh())


def ask(question: LiteralString) -> list[dict[str, object]]:
    """Ask PgBouncer itself, which knows the simple protocol alone."""
    url = f"postgresql://pgbouncer@/pgbouncer?host={shared()}&port=6432"
    with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as db:
        cursor = db.execute(question)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@cache
def shared() -> Path:
    """Start it; give the folder of its socket."""
    assert PROGRAM, "there is no pgbouncer: see scripts/servers"
    behind = conninfo_to_dict(postgres_server.newest().url_of("postgres"))
    host = str(behind.get("host", ""))
    folder = Path(tempfile.mkdtemp(prefix="wk-pgb-"))
    # It refuses to run as root; and a socket in a folder is for the folder's owner.
    user = os.stat(host).st_uid if os.geteuid() == 0 and host.startswith("/") else None
    if os.geteuid() == 0:
        user = user or postgres_server.NOBODY
        os.chown(folder, user, -1)
    (folder / "ini").write_text(
        SETTINGS.format(
            folder=folder,
            host=host,
            port=behind.get("port", 5432),
            user=behind.get("user", "postgres"),
            password=f"password={behind['password']}" if behind.get("password") else "",
            sessions=SESSIONS,
        )
    )
    process = subprocess.Popen(
        [PROGRAM, "-q", folder / "ini"], user=user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder
    )

    def end() -> None:
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
        shutil.rmtree(folder)

    atexit.register(end)
    until = time.monotonic() + PATIENCE
    while not (folder / ".s.PGSQL.6432").exists():
        assert process.poll() is None, (folder / "log").read_text()
        assert time.monotonic() < until, "pgbouncer does not start"
        time.sleep(0.02)
    return folder
