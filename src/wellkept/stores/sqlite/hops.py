"""How an operation gets to a thread: one hop, whole."""

from typing import TypeVar

from wellkept.model.errors import StoreReadOnly
from wellkept.stores.sqlite.crew import Crew
from wellkept.stores.sqlite.jobs import Work

T = TypeVar("T")


class Hops:
    """What the parts of the store share: the threads that read and the one that writes."""

    _readers: Crew
    _writer: Crew | None
    """None: the file cannot be written."""

    async def _read(self, work: Work[T]) -> T:
        """Do `work` on a connection that only reads; each of its statements sees what is committed by then."""
        return await self._readers.run(work)

    async def _write(self, work: Work[T]) -> T:
        """Do `work` in a transaction that is committed when this answers; if it raises, nothing was changed."""
        return await self._to_write().run(work)

    async def _mention(self, work: Work[T]) -> T:
        """Write what may be lost in a power cut: without waiting for the disk, unless somebody else does just then."""
        return await self._to_write().run(work, urgent=False)

    def _to_write(self) -> Crew:
        if self._writer is None:
            raise StoreReadOnly(store="sqlite")
        return self._writer
