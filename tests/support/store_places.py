"""Where the stores of tests lie: folders of their own, and servers that are started when the first test asks."""

from collections.abc import Callable
from pathlib import Path

import pgbouncer_server
import postgres_server
import redis_server
import upstash_front

SERVERS: dict[str, Callable[[], str]] = {
    "postgresql": lambda: postgres_server.newest().fresh_url(),
    "postgresql_15": lambda: postgres_server.oldest().fresh_url(),
    "postgresql_parted": lambda: postgres_server.newest().fresh_url(partitions=4),
    "postgresql_pgbouncer": pgbouncer_server.fresh_url,
    "redis": lambda: redis_server.fresh_url(redis_server.shared_url()),
    "redis_cluster": lambda: redis_server.fresh_url(redis_server.shared_cluster().url),
    "upstash": lambda: redis_server.fresh_url(upstash_front.shared_front().url),
}
"""What gives the URL of an empty store on a server."""


class _Places(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return SERVERS[name]()


def placed(template: str, tmp: Path | str) -> str:
    """Fill in a template: {tmp} is a fresh folder, the name of a server the URL of an empty store on it."""
    return template.format_map(_Places(tmp=str(tmp)))
