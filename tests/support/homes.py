"""Where a whole system lies, on each store and wrapper: one line each."""

from collections.abc import Callable

from combinations import Places, routed, tiered

Home = tuple[str, str | None]
"""The URL of the store of everything, and that of the blocks if they lie elsewhere."""

HOMES: dict[str, Callable[[Places], Home]] = {
    "inproc": lambda at: ("inproc://", None),
    "files": lambda at: (at.sqlite, at.files),
    "sqlite": lambda at: (at.sqlite, None),
    "postgresql": lambda at: (at.postgresql, None),
    "redis": lambda at: (at.sqlite, at.redis),
    "upstash": lambda at: (at.sqlite, at.upstash),
    "routed": lambda at: (at.sqlite, routed(user=at.files, default=at.another_sqlite)),
    "tiered": lambda at: (at.postgresql, tiered(at.redis, at.postgresql)),
}
KEEP_EVERYTHING = ["inproc", "sqlite", "postgresql"]
"""Those of which one store keeps everything, with a history of blocks."""
