"""Time, as something that is handed in."""

from abc import ABC, abstractmethod
from datetime import UTC, datetime


class Clock(ABC):
    """Tells the time: UTC, to the microsecond, aware."""

    @abstractmethod
    def now(self) -> datetime:
        """Give the present instant in UTC."""


class SystemClock(Clock):
    """The machine's clock."""

    def now(self) -> datetime:
        """Give the present instant in UTC."""
        return datetime.now(UTC)
