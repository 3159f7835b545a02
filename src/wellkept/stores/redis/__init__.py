"""The Redis store, `redis://host`: blocks in Redis 7 or later, or Valkey, one server or a cluster."""

from wellkept.stores.redis import health
from wellkept.stores.redis.address import parse
from wellkept.stores.redis.keys import Keys
from wellkept.stores.redis.store import RedisStore

__all__ = ["RedisStore", "open"]


async def open(url: str) -> RedisStore:
    """Open `redis://[user:password@]host[:port][/database][?options]`: see `address`.

    Says in the log when the server may lose or evict what it keeps.

    Raises:
        Misconfigured: The URL, the password or the server is not what is needed; `problem` says why.
        StoreFailed: The server does not answer; the class says why.
    """
    from wellkept.stores.redis.driver import link_to  # takes half a second to import, and Upstash does without

    address = parse(url)
    link = link_to(address)
    try:
        health.warn(link, await health.look(link))
    except BaseException:
        await link.close()
        raise
    return RedisStore(link, Keys(address.prefix))
