"""Pages: from one row more than was asked for to a page with its cursor."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from wellkept.model.errors import InvalidCursor
from wellkept.model.pages import Page, Position
from wellkept.rules import cursor as cursors

T = TypeVar("T")


def place_after(cursor: str | None, *, list_name: str) -> Position | None:
    """Read the place where a page begins; None: at the top.

    Raises:
        InvalidCursor: The cursor is not one that this list gave out.
    """
    return None if cursor is None else cursors.decode(cursor, filter=list_name)


def number_after(cursor: str | None, *, list_name: str) -> int | None:
    """Read the number of the last row before a page, in a list of numbered rows; None: the page is the first.

    Raises:
        InvalidCursor: The cursor is not one that this list gave out.
    """
    after = place_after(cursor, list_name=list_name)
    if after is None:
        return None
    if not (after.id.isascii() and after.id.isdigit()):
        raise InvalidCursor
    return int(after.id)


def page_of(rows: Sequence[T], *, limit: int, place: Callable[[T], Position], list_name: str) -> Page[T]:
    """Make a page of up to `limit` rows; a further row says that there is another page."""
    shown = tuple(rows[:limit])
    more = cursors.encode(place(shown[-1]), filter=list_name) if len(rows) > limit else None
    return Page(shown, more)
