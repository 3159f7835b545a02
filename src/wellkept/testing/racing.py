"""Many at once: from tasks of one loop, and from threads with loops of their own."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


async def in_tasks(works: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
    """Do all at once, in tasks of this loop; give the answers in order, or raise what the first failure raised."""
    return list(await asyncio.gather(*(work() for work in works)))


async def in_threads(works: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
    """Do all at once, each in a thread with a loop of its own."""

    async def done(work: Callable[[], Awaitable[T]]) -> T:
        return await work()

    def run(work: Callable[[], Awaitable[T]]) -> T:
        return asyncio.run(done(work))

    return list(await asyncio.gather(*(asyncio.to_thread(run, work) for work in works)))
