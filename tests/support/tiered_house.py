"""A cache before a durable store, and two ways to it, for the tests of `tiered`."""

from troubled_store import Trouble, TroubledStore
from wellkept.contract.block_store import ANY, BlockStore
from wellkept.stores.inproc import InprocStore
from wellkept.testing.clock import FakeClock
from wellkept.testing.samples import a_block, a_change, a_key
from wellkept.wrappers.tiered import Tiered

TROUBLES: list[Trouble] = ["fails", "breaks", "hangs", "loses"]
PATIENT, HASTY = 5.0, 0.05


class House:
    """A durable store, a cache, and the ways of two processes to them; that of the first one may be in trouble."""

    def __init__(self) -> None:
        self.clock, self.timeout = FakeClock(), PATIENT
        self.cache, self.durable = InprocStore(), TroubledStore(InprocStore())
        self.way = TroubledStore(self.cache)
        self.mine = self.tiered(self.way)
        self.theirs = self.tiered(self.cache)

    def tiered(self, cache: BlockStore) -> Tiered:
        return Tiered(cache=cache, durable=self.durable, ttl=60, timeout=self.timeout, clock=self.clock)

    def trouble(self, trouble: Trouble) -> None:
        """Let the first one's way to the cache be in trouble; where that takes time, it does not wait long."""
        self.way.trouble = trouble
        if trouble == "hangs":
            self.timeout = HASTY
            self.mine = self.tiered(self.way)

    async def write(self, text: str, *, by: Tiered | None = None) -> None:
        await (by or self.mine).put(a_block(text), expect=ANY, change=a_change())

    async def read(self, by: Tiered) -> str | None:
        block = await by.get(a_key())
        return block.text if block else None

    async def cached_text(self) -> str:
        block = await self.cache.get(a_key())
        return block.text if block else ""
