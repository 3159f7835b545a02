"""Where the tests of each store lie, and which of them are asked first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Home:
    """A folder of tests, and what `-k` takes of it. `own`: what the store's own tests are called."""

    narrow: str
    """One of each test: on one server, with one schema."""
    wide: str
    """All that there are."""
    folder: str = "tests/stores"
    own: tuple[str, ...] = ()

    def file(self, name: str) -> str:
        """Give the file of a suite; one of another folder is named with it: `upgrade/test_redis_spelling`."""
        return f"tests/{name}.py" if "/" in name else f"{self.folder}/test_{name}.py"


def _plain(store: str) -> Home:
    return Home(narrow=store, wide=store)


_POSTGRES: Final = ("errors", "once", "opening", "statements", "walls", "address", "connections")
_REDIS: Final = ("redis_values", "redis_listing", "redis_connections", "redis_health")
_TIERED: Final = "tiered or addresses or interleavings or histories"

HOMES: Final[Mapping[str, Home]] = {
    "inproc": _plain("inproc"),
    "files": _plain("files"),
    "sqlite": _plain("sqlite"),
    "postgresql": Home(
        narrow="postgres and not postgresql-",
        wide="postgres",
        own=tuple(f"postgres_{name}" for name in _POSTGRES),
    ),
    "redis": Home(narrow="redis and not redis-cluster", wide="redis", own=_REDIS),
    # Its keys and scripts are those of the Redis store, and so are the tests of these.
    "upstash": Home(
        narrow="upstash or redis_values or redis_listing or redis_spelling or closed_store",
        wide="upstash or redis_values or redis_listing or redis_spelling or closed_store",
        own=("upstash_rest", *_REDIS),
    ),
    "routed": Home(
        narrow="beside or routed or addresses",
        wide="beside or routed or addresses or scope",
        folder="tests/wrappers",
        own=("routed", "addresses"),
    ),
    "tiered": Home(
        narrow=_TIERED,
        wide=f"{_TIERED} or before",
        folder="tests/wrappers",
        own=("tiered", "tiered_fences", "addresses"),
    ),
}
"""The tests of each store, in the order of the table."""
