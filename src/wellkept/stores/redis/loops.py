"""One of a thing for each event loop: connections belong to the loop in which they were made."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from wellkept.model.errors import Closed

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Makes a `T` for each event loop that asks for one, and closes them all."""

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[None]], *, store: str) -> None:
        self._make = make
        self._close = close
        self._store = store
        self._made: dict[asyncio.AbstractEventLoop, T] = {}
        self._lock = threading.Lock()
        self._closed = False

    def here(self) -> T:
        """Give the running loop's own.

        Raises:
            Closed: `close` was called.
        """
        loop = asyncio.get_running_loop()
        with self._lock:
            if self._closed:
                raise Closed(what=self._store)
            if loop not in self._made:
                # What belongs to a loop that has ended can only be dropped; its sockets close with it.
                self._made = {other: made for other, made in self._made.items() if not other.is_closed()}
                self._made[loop] = self._make()
            return self._made[loop]

    async def close(self) -> None:
        """Close all: the running loop's own now, those of others that run as soon as they get to it."""
        with self._lock:
            self._closed = True
            made, self._made = self._made, {}
        here = asyncio.get_running_loop()
        for loop, thing in made.items():
            if loop is here:
                await self._close(thing)
            elif loop.is_running():
                asyncio.run_coroutine_threadsafe(self._closing(thing), loop)

    async def _closing(self, thing: T) -> None:
        await self._close(thing)
