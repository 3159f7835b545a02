"""The URL of an Upstash store."""

from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from wellkept.model.errors import InvalidInput, Misconfigured
from wellkept.stores.redis.address import seconds
from wellkept.stores.redis.keys import Keys

_HOW: Final = (
    "write upstash://:TOKEN@name-12345.upstash.io; the options are prefix=NAME, timeout=SECONDS, connections=NUMBER, "
    "and tls=false for a REST server of your own"
)


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where the REST server is, and how to talk to it.

    `timeout`: seconds to wait for a connection, and for an answer.
    `connections`: how many at once, in each event loop. `prefix`: stands before all keys.
    """

    base: str
    token: str
    prefix: str = ""
    timeout: float = 5.0
    connections: int = 50


def parse(url: str) -> Address:
    """Read `upstash://:TOKEN@host[:port][?options]`, percent-encoded where needed.

    Raises:
        Misconfigured: It is no such URL; `problem` says how to write one, without repeating it.
    """
    try:
        return _parse(url)
    except (ValueError, InvalidInput) as error:
        problem = error.facts["problem"] if isinstance(error, InvalidInput) else "is no URL of an Upstash database"
        raise Misconfigured(store="upstash", problem=f"{problem}; {_HOW}") from None  # its message may hold the token


def _parse(url: str) -> Address:
    parts = urlsplit(url)
    if parts.scheme != "upstash" or not parts.hostname or parts.fragment or parts.path.strip("/"):
        raise ValueError
    options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True)) if parts.query else {}
    token = parts.password or parts.username
    if not token:
        raise InvalidInput(param="token", problem="holds no token")
    tls = options.pop("tls", "true")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    address = Address(
        base=f"{'https' if tls == 'true' else 'http'}://{host}{f':{parts.port}' if parts.port else ''}",
        token=unquote(token),
        prefix=Keys(options.pop("prefix", "")).prefix,
        timeout=seconds(options.pop("timeout", "5")),
        connections=int(options.pop("connections", "50")),
    )
    if options or tls not in ("true", "false") or address.connections < 1 or not address.token.isprintable():
        raise ValueError
    return address
