"""The Upstash store, `upstash://:TOKEN@host`: the keys and scripts of the Redis store over Upstash's REST protocol."""

from wellkept.stores.redis import health
from wellkept.stores.redis.blocks import RedisBlocks
from wellkept.stores.redis.keys import Keys
from wellkept.stores.upstash.address import parse

__all__ = ["open"]


async def open(url: str) -> RedisBlocks:
    """Open `upstash://:TOKEN@host[:port][?options]`: see `address`.

    Raises:
        Misconfigured: The URL or the token is not what is needed; `problem` says why.
        StoreFailed: The server does not answer; the class says why.
    """
    from wellkept.stores.upstash.rest import RestLink  # the HTTP client takes its time to import

    address = parse(url)
    link = RestLink(address)
    try:
        health.warn(link, await health.look(link))
    except BaseException:
        await link.close()
        raise
    return RedisBlocks(link, Keys(address.prefix))
