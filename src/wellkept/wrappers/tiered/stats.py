"""What a cache was worth, and what went wrong with it, as counts."""

import threading
from typing import Literal

import msgspec

Counted = Literal["hits", "misses", "fills", "errors", "timeouts", "unreadable", "unfenced"]


class CacheStats(msgspec.Struct, frozen=True, kw_only=True):
    """Counts since the store was made.

    `hits` and `misses` are blocks that were read, `fills` copies that were put
    into the cache. `errors`: the cache failed; `timeouts`: it was too slow;
    `unreadable`: it held something that is no copy; `unfenced`: writes that
    could not take the old copy away in time. `owed`: keys and owners whose
    copies this process has still to take away, now.
    """

    hits: int = 0
    misses: int = 0
    fills: int = 0
    errors: int = 0
    timeouts: int = 0
    unreadable: int = 0
    unfenced: int = 0
    owed: int = 0


class Counts:
    """Counts that threads may share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[Counted, int] = {}

    def add(self, what: Counted, number: int = 1) -> None:
        """Count."""
        with self._lock:
            self._counts[what] = self._counts.get(what, 0) + number

    def stats(self, *, owed: int) -> CacheStats:
        """Give the counts of this moment."""
        with self._lock:
            return CacheStats(**self._counts, owed=owed)
