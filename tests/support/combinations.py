"""The combinations of stores that the wrappers are tried with: one line each."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from urllib.parse import urlencode
from uuid import uuid4

from store_places import placed

PATIENT = "10"
"""Seconds for the cache: these suites try the promises, on machines that may be busy."""


class Places:
    """Where the stores of one test lie: the same place each time it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.files = f"files://{folder}/blocks"
        self.sqlite = f"sqlite:///{folder}/wellkept.db"
        self.another_sqlite = f"sqlite:///{folder}/cache.db"
        self.inproc = f"inproc://{uuid4().hex}"
        self.another_inproc = f"inproc://{uuid4().hex}"

    @cached_property
    def redis(self) -> str:
        return placed("{redis}", "")

    @cached_property
    def upstash(self) -> str:
        return placed("{upstash}", "")

    @cached_property
    def postgresql(self) -> str:
        return placed("{postgresql}", "")


def routed(**stores: str) -> str:
    return f"routed://?{urlencode(stores)}"


def tiered(cache: str, durable: str) -> str:
    return f"tiered://?{urlencode({'cache': cache, 'durable': durable, 'timeout': PATIENT})}"


COMBINATIONS: dict[str, Callable[[Places], str]] = {
    "files and sqlite by scope": lambda at: routed(user=at.files, agent=at.sqlite, shared=at.sqlite),
    "inproc beside sqlite": lambda at: routed(agent=at.inproc, default=at.sqlite),
    "one sqlite for all": lambda at: routed(user=at.sqlite, agent=at.sqlite, default=at.sqlite),
    "inproc before sqlite": lambda at: tiered(at.inproc, at.sqlite),
    "inproc before files": lambda at: tiered(at.inproc, at.files),
    "sqlite before files": lambda at: tiered(at.sqlite, at.files),
    "sqlite before sqlite": lambda at: tiered(at.another_sqlite, at.sqlite),
    "files before inproc": lambda at: tiered(at.files, at.inproc),
    "redis before sqlite": lambda at: tiered(at.redis, at.sqlite),
    "redis before postgresql": lambda at: tiered(at.redis, at.postgresql),
    "routed before routed": lambda at: tiered(
        routed(user=at.inproc, default=at.another_sqlite), routed(user=at.files, default=at.sqlite)
    ),
    "tiered beside files": lambda at: routed(user=tiered(at.inproc, at.sqlite), default=at.files),
    "tiered before tiered": lambda at: tiered(at.another_inproc, tiered(at.inproc, at.sqlite)),
}
WITH_HISTORY = [
    *("inproc beside sqlite", "one sqlite for all", "inproc before sqlite", "sqlite before sqlite"),
    *("files before inproc", "redis before sqlite", "redis before postgresql", "tiered before tiered"),
]
SHARED = {
    *("files and sqlite by scope", "one sqlite for all", "sqlite before sqlite", "sqlite before files"),
    *("redis before sqlite", "redis before postgresql"),
}
"""Those that several processes may use at once."""
