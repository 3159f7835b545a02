"""Uses of memories: noted at once, written together a little later.

A row may be rendered into every prompt; writing each use by itself would
write the whole pool once a turn. So the latest use of each row is kept here
and written in the background, and handed to the store before it chooses
which rows leave a full pool.
"""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from wellkept.contract.clock import Clock
from wellkept.contract.events import Event, Listener
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.errors import WellkeptError
from wellkept.model.ids import MemoryId
from wellkept.model.memories import Pool

MAX_PENDING: Final = 100_000
"""Rows whose use is kept while the store cannot write; beyond that, the pools that waited longest are dropped."""

_MAX_WAIT: Final = 60.0


class Touches:
    """The uses that are not written yet."""

    def __init__(self, store: MemoryStore, *, clock: Clock, listener: Listener, every: float) -> None:
        self._store = store
        self._clock = clock
        self._listener = listener
        self._every = every
        self._pending: dict[Pool, dict[MemoryId, datetime]] = {}
        self._count = 0
        self._writer: asyncio.Task[None] | None = None

    def note(self, pool: Pool, ids: Iterable[MemoryId]) -> None:
        """Note that rows are used now."""
        at = self._clock.now()
        noted = self._pending.setdefault(pool, {})
        before = len(noted)
        for id in ids:
            noted[id] = max(at, noted.get(id, at))
        self._count += len(noted) - before
        if not noted:
            del self._pending[pool]
            return
        while self._count > MAX_PENDING and len(self._pending) > 1:
            self._count -= len(self._pending.pop(next(iter(self._pending))))
        loop = asyncio.get_running_loop()
        # A loop that was closed takes its tasks with it without ending them.
        if self._writer is None or self._writer.done() or self._writer.get_loop() is not loop:
            self._writer = loop.create_task(self._write_until_done())

    def pending(self, pool: Pool) -> Mapping[MemoryId, datetime]:
        """Give a pool's uses that are not written yet."""
        return dict(self._pending.get(pool, {}))

    def written(self, pool: Pool, touched: Mapping[MemoryId, datetime]) -> None:
        """Forget uses that the store has by now; a later use of the same row stays."""
        noted = self._pending.get(pool)
        if noted is None:
            return
        for id, at in touched.items():
            if noted.get(id) == at:
                del noted[id]
                self._count -= 1
        if not noted:
            del self._pending[pool]

    async def flush(self) -> bool:
        """Write what is noted; say whether all of it could be. What could not is kept."""
        whole = True
        for pool in list(self._pending):
            touched = self.pending(pool)
            try:
                await self._store.touch(pool, touched)
            except WellkeptError:
                whole = False
                self._listener(Event(kind="touch_failed", tenant=pool.tenant, agent=pool.agent, count=len(touched)))
            else:
                self.written(pool, touched)
        return whole

    async def close(self) -> None:
        """Write what is noted, once, and stop."""
        writer, self._writer = self._writer, None
        if writer is not None and writer.get_loop() is asyncio.get_running_loop():
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
        await self.flush()

    async def _write_until_done(self) -> None:
        wait = self._every
        while self._pending:
            await asyncio.sleep(wait)
            wait = self._every if await self.flush() else min(max(wait, self._every) * 2, _MAX_WAIT)
