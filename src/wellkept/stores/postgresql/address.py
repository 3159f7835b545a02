"""The URL of a PostgreSQL store: libpq's own, and a few options of ours."""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl, urlencode

import msgspec
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from wellkept.model.errors import Misconfigured

CONNECT_SECONDS: Final = 5
"""How long making a connection may take."""

_SCHEMES: Final = ("postgresql", "postgres")
"""libpq takes both, and so do we: many platforms hand out the second."""

_HOW: Final = "write postgresql://user:password@host:5432/database, or postgresql:///database?host=/run/postgresql"

_OPTIONS: Final = "the options of wellkept are timeout=SECONDS, pool=CONNECTIONS, partitions=NUMBER and role=NAME"

_MOST: Final = 1_000

_ROLE: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")

_ALIVE: Final[Mapping[str, str | int]] = {
    "connect_timeout": CONNECT_SECONDS,
    "application_name": "wellkept",
    "client_encoding": "utf8",
    # A server that is gone without a word (a failover, a cut cable) is noticed in seconds, not in hours.
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Which database, and how to use it.

    `timeout`: seconds that one operation may take, waiting for locks and for a
    free connection included, before it fails with `StoreUnavailable`.
    `pool`: connections at most, in each event loop that uses the store.
    `partitions`: with how many hash partitions the tables are made, when they
    are made; 0: none. `role`: whose rights statements have, whoever logs in.
    """

    server: Mapping[str, str | int]
    """What libpq wants to know."""
    timeout: int = 30
    pool: int = 8
    partitions: int = 0
    role: str = "wellkept_app"

    @property
    def conninfo(self) -> str:
        """Spell `server` for the driver."""
        return make_conninfo("", **self.server)

    @property
    def place(self) -> str:
        """Say where the database is, without a user or a secret."""
        host, port, database = (self.server.get(part, "") for part in ("host", "port", "dbname"))
        return f"{host or 'localhost'}{f':{port}' if port else ''}/{database}"


def parse(url: str) -> Address:
    """Read a URL as libpq does, after taking our own options out of it.

    Raises:
        Misconfigured: It is no such URL; `problem` says how to write one. (Never the URL: it may hold a password.)
    """
    rest, _, query = url.partition("?")
    scheme, mark, _ = rest.partition("://")
    if scheme not in _SCHEMES or not mark:
        raise Misconfigured(store="postgresql", problem=_HOW)
    options = parse_qsl(query, keep_blank_values=True)
    theirs = urlencode([(name, value) for name, value in options if name not in Address.__struct_fields__])
    try:
        server = conninfo_to_dict(f"{rest}?{theirs}" if theirs else rest)
    except ProgrammingError as error:
        # Without the driver's words: they quote what they could not read.
        raise Misconfigured(store="postgresql", problem=f"the URL cannot be read; {_HOW}; {_OPTIONS}") from error
    known = {name: value for name, value in server.items() if value is not None}
    return _with_options(Address(server={**_ALIVE, **known}), options)


def _with_options(address: Address, options: Sequence[tuple[str, str]]) -> Address:
    for name, value in options:
        match name:
            case "timeout":
                address = msgspec.structs.replace(address, timeout=_number(name, value, least=1))
            case "pool":
                address = msgspec.structs.replace(address, pool=_number(name, value, least=1))
            case "partitions":
                address = msgspec.structs.replace(address, partitions=_number(name, value, least=0))
            case "role" if _ROLE.fullmatch(value):
                address = msgspec.structs.replace(address, role=value)
            case "role":
                raise Misconfigured(store="postgresql", option=name, problem="a role's name: a-z, 0-9 and _")
            case _:
                pass  # libpq's own
    return address


def _number(name: str, value: str, *, least: int) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= 4 and least <= int(value) <= _MOST):
        raise Misconfigured(store="postgresql", option=name, problem=f"must be from {least} to {_MOST}; {_OPTIONS}")
    return int(value)
