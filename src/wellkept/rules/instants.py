"""Instants as databases keep them: whole microseconds since 1970, UTC."""

from datetime import UTC, datetime, timedelta
from typing import Final

from wellkept.model.pages import Position

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_BEFORE_THE_NEWEST: Final = (2**63 - 1, "")
"""Later than every instant there is."""


def to_number(at: datetime) -> int:
    """Spell an instant as a number."""
    return (at - _EPOCH) // _MICROSECOND


def to_instant(number: int) -> datetime:
    """Read an instant back."""
    return _EPOCH + number * _MICROSECOND


def behind(after: Position | None) -> tuple[int, str]:
    """Spell where a page of a list that runs from the newest to the oldest begins; None: at the newest."""
    return (to_number(after.at), after.id) if after else _BEFORE_THE_NEWEST


def span(since: datetime | None, until: datetime | None) -> tuple[int, int]:
    """Spell a span of time; None: from the first instant there is, until after the last."""
    return (-(2**63) if since is None else to_number(since), 2**63 - 1 if until is None else to_number(until))
