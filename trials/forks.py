"""Processes that a trial forks: they begin with all that is imported, in milliseconds, and can be killed at any moment.

Whoever forks must have no other threads. So a trial runs its event loops to their end (`asyncio.run`) before it forks.
"""

import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar, cast

T = TypeVar("T")


class Fork(Generic[T]):
    """A process that does one thing; what it says and gives comes through a pipe."""

    def __init__(self, work: Callable[[int], T]) -> None:
        """Begin at once. `work` is called with the pipe to write to; what it returns is pickled behind that."""
        sys.stdout.flush()
        self.pipe, theirs = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.pipe)
            _end(work, theirs)
        os.close(theirs)

    def kill(self) -> None:
        """End it here and now."""
        os.kill(self.pid, signal.SIGKILL)

    def read(self) -> bytes:
        """Read all that is still in the pipe, until the process is gone; then bury it."""
        pieces: list[bytes] = []
        while piece := os.read(self.pipe, 1 << 16):
            pieces.append(piece)
        os.close(self.pipe)
        os.waitpid(self.pid, 0)
        return b"".join(pieces)

    def result(self) -> T:
        """Wait for what the work returned."""
        told = self.read()
        if not told:
            raise RuntimeError("a forked process failed; its trace is above")
        return cast("T", pickle.loads(told))


def _end(work: Callable[[int], T], pipe: int) -> None:
    """Work, and leave without the parent's farewells (its `atexit`, its open files)."""
    status = 1
    try:
        with os.fdopen(pipe, "wb", buffering=0) as out:
            found = pickle.dumps(work(pipe))
            while found:
                found = found[out.write(found) or 0 :]
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def in_forks(works: Sequence[Callable[[], T]]) -> list[T]:
    """Do all at once, each in a process of its own; give what they return."""
    forks = [Fork(partial(_ignoring_the_pipe, work)) for work in works]
    return [fork.result() for fork in forks]


def _ignoring_the_pipe(work: Callable[[], T], pipe: int) -> T:
    return work()
