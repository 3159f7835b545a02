"""The URL of a Redis store."""

from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from wellkept.model.errors import InvalidInput, Misconfigured
from wellkept.stores.redis.keys import Keys

_HOW: Final = (
    "write redis://host, redis://:password@host:6379/0 or redis://?socket=/run/redis.sock; the options are "
    "cluster=true, tls=true, ca=FILE, prefix=NAME, timeout=SECONDS, connections=NUMBER"
)


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where a server is, and how to talk to it.

    `socket` instead of host and port: a Unix socket. `timeout`: seconds to wait
    for a connection, and for an answer. `connections`: how many at once, in
    each event loop. `prefix`: stands before all keys.
    """

    host: str = "localhost"
    port: int = 6379
    socket: str | None = None
    user: str | None = None
    password: str | None = None
    database: int = 0
    cluster: bool = False
    tls: bool = False
    ca: str | None = None
    prefix: str = ""
    timeout: float = 5.0
    connections: int = 50


def parse(url: str) -> Address:
    """Read `redis://[user:password@]host[:port][/database][?options]`, percent-encoded where needed; `rediss://`: TLS.

    Raises:
        Misconfigured: It is no such URL; `problem` says how to write one, without repeating it.
    """
    try:
        return _parse(url)
    except (ValueError, InvalidInput) as error:
        problem = error.facts["problem"] if isinstance(error, InvalidInput) else "is no URL of a Redis server"
        raise Misconfigured(store="redis", problem=f"{problem}; {_HOW}") from None  # its message may hold the password


def _parse(url: str) -> Address:
    parts = urlsplit(url)
    path = parts.path.strip("/")
    if parts.scheme not in ("redis", "rediss") or parts.fragment:
        raise ValueError
    options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True)) if parts.query else {}
    address = Address(
        host=parts.hostname or "localhost",
        port=parts.port or 6379,
        socket=options.pop("socket", None),
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        database=int(path) if path else 0,
        cluster=_flag(options.pop("cluster", "false")),
        tls=_flag(options.pop("tls", "false")) or parts.scheme == "rediss",
        ca=options.pop("ca", None),
        prefix=Keys(options.pop("prefix", "")).prefix,
        timeout=seconds(options.pop("timeout", "5")),
        connections=int(options.pop("connections", "50")),
    )
    if options or address.database < 0 or address.connections < 1:
        raise ValueError
    if address.cluster and (address.database or address.socket):
        raise InvalidInput(param="cluster", problem="a cluster has one database, and is reached by host and port")
    return address


def seconds(value: str) -> float:
    """Read a time to wait.

    Raises:
        ValueError: It is not a number of seconds above 0.
    """
    number = float(value)
    if not 0 < number < 86_400:
        raise ValueError
    return number


def _flag(value: str) -> bool:
    if value not in ("true", "false"):
        raise ValueError
    return value == "true"
