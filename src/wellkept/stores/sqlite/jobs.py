"""Jobs: whole operations that callers in event loops hand to a thread."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Generic, TypeVar

from wellkept.stores.sqlite.errors import translated

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Work = Callable[[sqlite3.Connection], T]
"""A whole operation on a connection. It may be done again when its transaction is lost to somebody else's failure."""


class Job(Generic[T_co]):
    """A piece of work, and who waits for it. `urgent`: what it writes must be on the disk when it is done.

    As a context manager it keeps what the block raises, for that one: a
    thread that serves many must outlive what one of them asked for.
    """

    __slots__ = ("_error", "_future", "_loop", "_result", "_work", "urgent")

    def __init__(self, work: Work[T_co], *, urgent: bool = True) -> None:
        self._work = work
        self.urgent = urgent
        self._loop = asyncio.get_running_loop()
        self._future: asyncio.Future[T_co] = self._loop.create_future()
        self._error: BaseException | None = None
        self._result: list[T_co] = []

    async def done(self) -> T_co:
        """Wait for the result. Who is cancelled while the job waits takes it back; once begun it is finished."""
        return await self._future

    @property
    def wanted(self) -> bool:
        """Whether someone still waits."""
        return not self._future.cancelled()

    def perform(self, db: sqlite3.Connection) -> None:
        """Do the work and keep its result."""
        self._result = [self._work(db)]

    def fail(self, error: BaseException) -> None:
        """Keep an error instead of a result."""
        self._error = error

    def __enter__(self) -> None:
        self._error = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        match error:
            case None:
                return False
            case sqlite3.Error():
                self._error = translated(error)
            case StopIteration():  # a future refuses it, and its caller would wait for ever
                self._error = RuntimeError("the operation raised StopIteration")
                self._error.__cause__ = error
            case _:
                self._error = error
        return True

    def settle(self) -> None:
        """Give the one who waits the result or the error; in its own event loop only."""
        if self._future.done():
            return
        if self._error is not None:
            self._future.set_exception(self._error)
        else:
            self._future.set_result(self._result[0])

    @staticmethod
    def deliver(jobs: "Iterable[Job[object]]") -> None:
        """Tell those who wait, waking each event loop once."""
        by_loop: dict[asyncio.AbstractEventLoop, list[Job[object]]] = {}
        for job in jobs:
            by_loop.setdefault(job._loop, []).append(job)
        for loop, theirs in by_loop.items():
            try:
                loop.call_soon_threadsafe(_settle_all, theirs)
            except RuntimeError:
                continue  # the loop is closed: nobody waits there any more


def _settle_all(jobs: list[Job[object]]) -> None:
    for job in jobs:
        job.settle()
