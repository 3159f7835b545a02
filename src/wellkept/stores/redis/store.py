"""Blocks and passages, in Redis or Valkey, one server or a cluster."""

from wellkept.stores.redis import passage_check
from wellkept.stores.redis.blocks import RedisBlocks
from wellkept.stores.redis.keys import Keys
from wellkept.stores.redis.link import Link
from wellkept.stores.redis.passage_keys import PassageKeys
from wellkept.stores.redis.passages import RedisPassages


class RedisStore(RedisBlocks, RedisPassages):
    """Keeps blocks and passages, never with a time after which they end. Several processes may use the same data.

    What was acknowledged lasts as long as the server keeps it: `facts` says when that is not for ever.
    """

    def __init__(self, link: Link, keys: Keys) -> None:
        """Use `link`, and close it in the end."""
        super().__init__(link, keys)
        self._passage_keys = PassageKeys(keys)

    async def check(self) -> list[str]:
        """Look at every key, list blocks that are not listed, and say what is damaged or foreign, one line each."""
        passages = [line async for line in passage_check.problems(self._link, self._passage_keys)]
        return [*await super().check(), *passages]
