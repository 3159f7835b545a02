"""Moments, for people."""

from datetime import datetime


def moment(at: datetime) -> str:
    """Spell a moment in the time of this machine, to the second."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
