"""Cursors of lists whose rows are numbered."""

from datetime import datetime

from wellkept.model.errors import InvalidCursor
from wellkept.model.pages import Position
from wellkept.rules import cursor as cursors


def number_of(cursor: str | None, *, list_name: str) -> int | None:
    """Read the number of the last row before a page; None: the page is the first.

    Raises:
        InvalidCursor: The cursor is not one that this list gave out.
    """
    if cursor is None:
        return None
    place = cursors.decode(cursor, filter=list_name)
    if not (place.id.isascii() and place.id.isdigit()):
        raise InvalidCursor
    return int(place.id)


def cursor_after(number: int, at: datetime, *, list_name: str) -> str:
    """Spell the place after a numbered row."""
    return cursors.encode(Position(at, str(number)), filter=list_name)
