"""When to send again, and how long to wait before."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Final

from wellkept.contract.clock import Clock, SystemClock


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often a call that may be sent again is, at most, and the pauses in seconds.

    A server that asks (`Retry-After`) is waited for, unless that takes longer
    than `longest`: then the error is the caller's. Else pauses double from
    `first`, each shortened by chance, so that callers who failed together do
    not come back together.
    """

    most: int = 2
    first: float = 0.5
    longest: float = 30.0
    chance: Callable[[], float] = field(default=random.random, repr=False)
    clock: Clock = field(default_factory=SystemClock, repr=False)

    def after_failure(self, attempt: int) -> float | None:
        """Give the pause after a failed attempt (counted from 0); None: no further one."""
        if attempt >= self.most:
            return None
        return min(self.longest, self.first * 2.0**attempt) * (0.5 + self.chance() / 2)

    def after_answer(self, attempt: int, status: int, retry_after: str | None) -> float | None:
        """Give the pause after an answer; None: take the answer as it is."""
        if status not in (429, 503) or retry_after is None or attempt >= self.most:
            return None
        asked = self._seconds(retry_after.strip())
        return asked if asked is not None and asked <= self.longest else None

    def _seconds(self, retry_after: str) -> float | None:
        """Read `Retry-After`: seconds, or a date of HTTP; None when it is neither."""
        if retry_after.isascii() and retry_after.isdigit():
            return float(retry_after)
        try:
            at = parsedate_to_datetime(retry_after)
        except ValueError:
            return None
        if at.tzinfo is None:
            return None
        return max(0.0, (at - self.clock.now()).total_seconds())


RETRIES: Final = Retries()
"""What clients do unless told otherwise."""
