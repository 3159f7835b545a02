"""Waiting for the cache: not long, and its failures are no one's."""

import asyncio
from collections.abc import Coroutine
from enum import Enum
from typing import Final, TypeVar

from wellkept.wrappers.tiered.stats import Counts

T = TypeVar("T")

_MOST_LATE: Final = 64
"""How many of a slow cache's steps go on by themselves before more of them are cancelled."""


class Missed(Enum):
    """The cache did not do it, or nobody knows: it failed, or was too slow."""

    MISSED = "missed"


class Late:
    """Steps that nobody waits for any more: a fence that arrives late still takes an old copy away."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    def leave(self, task: asyncio.Task[object]) -> None:
        """Let a step go on by itself; when too many do, cancel it."""
        self._tasks.add(task)
        task.add_done_callback(self._done)
        if len(self._tasks) > _MOST_LATE:
            task.cancel()

    async def end(self) -> None:
        """Cancel the steps of this loop that still go on; other loops end theirs."""
        mine = [task for task in list(self._tasks) if task.get_loop() is asyncio.get_running_loop()]
        for task in mine:
            task.cancel()
        await asyncio.gather(*mine, return_exceptions=True)

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # Asked for, so that asyncio does not report what nobody waits for.


class Patience:
    """What one call may wait for the cache, all its steps together. After trouble there is none left."""

    def __init__(self, seconds: float, *, counts: Counts, late: Late) -> None:
        self._left = seconds
        self._counts = counts
        self._late = late

    @property
    def lost(self) -> bool:
        """Say whether the cache is given up for the rest of this call."""
        return self._left <= 0

    async def ask(self, step: Coroutine[object, object, T], *, late: bool = False) -> T | Missed:
        """Wait for a step as long as may be. `late`: when it is too slow, let it go on by itself."""
        if self.lost:
            step.close()
            return Missed.MISSED
        loop = asyncio.get_running_loop()
        task = loop.create_task(step)
        began = loop.time()
        try:
            await asyncio.wait({task}, timeout=self._left)
        except asyncio.CancelledError:
            self._late.leave(task)
            task.cancel()
            raise
        self._left -= loop.time() - began
        if not task.done():
            self._counts.add("timeouts")
            self._left = 0
            self._late.leave(task)
            if not late:
                task.cancel()
            return Missed.MISSED
        if task.cancelled() or isinstance(task.exception(), Exception):
            # Whatever it is, a fault of the cache is no fault of the call: here all are met, and counted.
            self._counts.add("errors")
            self._left = 0
            return Missed.MISSED
        return task.result()
