"""Cursors: a place in a list, as an opaque string that is good for that list only."""

import base64
import binascii
import hashlib
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from wellkept.model.errors import InvalidCursor
from wellkept.model.pages import Position

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_SEAL_CHARS: Final = 16


class _Cursor(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    at: int
    id: str
    seal: str


def fingerprint(list_name: str, *parts: str | None) -> str:
    """Name a list with its tenant and filters, so that two different ones never get the same name."""
    return msgspec.json.encode((list_name, *parts)).decode()


def encode(position: Position, *, filter: str) -> str:
    """Spell a place in the list that `filter` names (see `fingerprint`)."""
    at = (position.at - _EPOCH) // _MICROSECOND
    whole = _Cursor(at, position.id, _seal(at, position.id, filter))
    return base64.urlsafe_b64encode(msgspec.json.encode(whole)).decode().rstrip("=")


def decode(cursor: str, *, filter: str) -> Position:
    """Read a cursor back.

    Raises:
        InvalidCursor: It was altered, or is of another list or filter.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        whole = msgspec.json.decode(base64.b64decode(padded, altchars=b"-_", validate=True), type=_Cursor)
        position = Position(_EPOCH + whole.at * _MICROSECOND, whole.id)
    except (UnicodeEncodeError, binascii.Error, msgspec.DecodeError, OverflowError) as error:
        raise InvalidCursor from error
    # Spelling it again also refuses a second spelling of the same place.
    if encode(position, filter=filter) != cursor:
        raise InvalidCursor
    return position


def _seal(at: int, id: str, filter: str) -> str:
    return hashlib.sha256(msgspec.json.encode((at, id, filter))).hexdigest()[:_SEAL_CHARS]
