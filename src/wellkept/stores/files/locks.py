"""One writer at a time for each owner's folder, among the threads and processes that share a root."""

import hashlib
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from wellkept.model.errors import StoreCorrupt, StoreUnavailable
from wellkept.stores.files.folders import make

LOCKS: Final = ".locks"
"""The folder of lock files under the root."""

_STRIPES: Final = 64
_PATIENCE: Final = 30.0
_POLL: Final = 0.002


class Locks:
    """Locks by the folder they guard.

    A fixed number of lock files, apart from the data: an owner's lock file
    would have to outlive the owner's folder (removing a lock file that others
    wait for lets two of them in), and its name would outlive an erasure.
    """

    def __init__(self, root: Path) -> None:
        self._folder = root / LOCKS
        # Threads of one store queue here, at no cost; only one of them asks the file system, which must be polled.
        self._queues = [threading.Lock() for _ in range(_STRIPES)]

    @contextmanager
    def held(self, steps: Sequence[str]) -> Generator[None]:
        """Hold the lock of the folder that lies `steps` below the root.

        Raises:
            StoreUnavailable: Another process has held it for too long.
            OSError: The lock file cannot be made.
        """
        # No step holds "/": joined, two different paths stay different.
        stripe = int.from_bytes(hashlib.sha256("/".join(steps).encode()).digest()[:4]) % _STRIPES
        with self._queues[stripe]:
            make(self._folder)
            if self._folder.is_symlink():
                raise StoreCorrupt(store="files", file=LOCKS, problem="a link, which is not followed")
            lock = FileLock(self._folder / f"{stripe:02x}.lock", mode=0o600)
            try:
                lock.acquire(timeout=_PATIENCE, poll_interval=_POLL)
            except Timeout as error:
                raise StoreUnavailable(store="files", problem=f"locked for more than {_PATIENCE:g} s") from error
            try:
                yield
            finally:
                lock.release()
