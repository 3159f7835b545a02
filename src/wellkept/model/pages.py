"""A page of a list, and where the next one begins."""

from datetime import datetime
from typing import Final, Generic, TypeVar

import msgspec

from wellkept.model.errors import InvalidInput

T = TypeVar("T")

DEFAULT_LIMIT: Final = 50
MAX_LIMIT: Final = 100


class Position(msgspec.Struct, frozen=True, order=True):
    """A place in a list that is ordered by time and then by id: just after the row it names."""

    at: datetime
    id: str


class Page(msgspec.Struct, Generic[T], frozen=True):
    """Some rows, and the opaque cursor of the next page; None when this is the last."""

    data: tuple[T, ...]
    next_cursor: str | None = None


def checked_limit(value: int, *, param: str = "limit", most: int = MAX_LIMIT) -> int:
    """Return `value` if a list may be asked for that many rows.

    Raises:
        InvalidInput: It is not from 1 to `most`.
    """
    if not 1 <= value <= most:
        raise InvalidInput(param=param, problem=f"must be from 1 to {most}")
    return value
