"""Whether the server takes requests, and when the last one is done."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager


class Lifecycle:
    """Counts running requests, and remembers that the server is about to stop."""

    def __init__(self) -> None:
        self.draining = False
        self.running = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def drain(self) -> None:
        """Say from now on that the server is about to stop."""
        self.draining = True

    @contextmanager
    def request(self) -> Generator[None, None, None]:
        """Count a request while the body runs."""
        self.running += 1
        self._idle.clear()
        try:
            yield
        finally:
            self.running -= 1
            if not self.running:
                self._idle.set()

    async def idle(self, *, within: float) -> bool:
        """Wait until no request runs; say whether that came within so many seconds."""
        try:
            async with asyncio.timeout(within):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True
