"""A clock that stands still until it is told."""

from datetime import UTC, datetime, timedelta

from wellkept.contract.clock import Clock

START = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
"""When a `FakeClock` begins, unless it is told otherwise."""


class FakeClock(Clock):
    """Tells the time that it was given, forwards and backwards as a test needs it."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def now(self) -> datetime:
        """Give the same instant until `advance` or `jump`."""
        return self._now

    def advance(self, seconds: float) -> datetime:
        """Let time pass (or run back, below zero); give the new instant."""
        self._now += timedelta(seconds=seconds)
        return self._now

    def jump(self, to: datetime) -> None:
        """Set the clock, as an administrator or a time server does."""
        self._now = to
