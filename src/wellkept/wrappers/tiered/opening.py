"""From a URL to a tiered store."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Final

from wellkept.model.errors import Misconfigured
from wellkept.wrappers.address import OpenStore, options
from wellkept.wrappers.tiered.store import TIMEOUT, TTL, Tiered

_EXAMPLE: Final = "tiered://?cache=inproc%3A%2F%2F&durable=sqlite%3A%2F%2F%2Fmemory.db&ttl=60&timeout=0.05"


async def open(url: str, open_store: OpenStore) -> Tiered:
    """Open `tiered://?cache=URL&durable=URL`, each URL percent-encoded. Options: `ttl=60`, `timeout=0.05`, in seconds.

    Raises:
        Misconfigured: It is no such URL.
        WellkeptError: An inner store cannot be opened; one that was is closed again.
    """
    given = options(url, known=("cache", "durable", "ttl", "timeout"), example=_EXAMPLE)
    for name in ("cache", "durable"):
        if name not in given:
            raise Misconfigured(store="tiered", option=name, problem="it is missing", do=f"write {_EXAMPLE}")
    ttl, timeout = _seconds(given, "ttl", TTL), _seconds(given, "timeout", TIMEOUT)
    async with AsyncExitStack() as opened:
        durable = await open_store(given["durable"])
        opened.push_async_callback(durable.close)
        cache = await open_store(given["cache"])
        opened.push_async_callback(cache.close)
        tiered = Tiered(cache, durable, ttl=ttl, timeout=timeout)
        opened.pop_all()
        return tiered


def _seconds(given: Mapping[str, str], name: str, default: float) -> float:
    try:
        return float(given.get(name, default))
    except ValueError as error:
        raise Misconfigured(store="tiered", option=name, problem="must be a number of seconds") from error
