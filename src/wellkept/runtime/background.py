"""One event loop in a thread of its own, for callers without a loop."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Final, TypeVar

from wellkept.model.errors import Misconfigured

T = TypeVar("T")
Work = Callable[[], Coroutine[Any, Any, T]]  # Any: what a coroutine yields and is sent is the loop's business


class BackgroundLoop:
    """A loop that starts with the first call and runs until it is stopped; another call starts it anew.

    The thread is a daemon: it never keeps a program alive.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._guard = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def call(self, work: Work[T]) -> T:
        """Run `work` on the loop and give what it gives; an interrupted caller cancels it.

        Raises:
            Misconfigured: It was called from the loop's own thread, which would wait for itself.
        """
        if threading.current_thread() is self._thread:
            raise Misconfigured(what="a blocking call inside the background loop", do="await the async method there")
        future: Future[T] = asyncio.run_coroutine_threadsafe(work(), self._running())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """Stop the loop and end its thread. Without one it does nothing."""
        with self._guard:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._guard:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=[self._loop], name=self._name, daemon=True)
                self._thread.start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run the loop until someone stops it, and leave nothing of it running."""
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.get_loop().run_forever()


BLOCKING: Final = BackgroundLoop("wellkept-blocking")
"""The loop of all blocking calls of the runtime."""
