"""What lies under a passage's id: seven fields, each ended by NUL, and its entry.

session, kind, message, number   in this order, which also is a passage's place
time                             16 hexadecimal digits, later instants later in the alphabet
more                             JSON: part, speaker, metadata, sources
text                             UTF-8, byte for byte

No field can hold NUL. Equal passages have equal fields.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from wellkept.model.errors import InvalidInput, StoreCorrupt
from wellkept.model.ids import SessionId
from wellkept.model.pages import Position
from wellkept.model.passages import MetaValue, Passage, PassageKind, PassageOwner
from wellkept.rules.instants import to_instant, to_number
from wellkept.rules.whole_messages import MessageName

_NUL: Final = b"\0"
_FIELDS: Final = 7
_ID: Final = 20
_FIRST: Final = 2**62
"""Added to an instant, so that none is below zero."""


class _More(msgspec.Struct, frozen=True):
    part: int
    speaker: str
    metadata: dict[str, MetaValue]
    sources: tuple[str, ...]


_READ: Final = msgspec.json.Decoder(_More)
_KINDS: Final[dict[bytes, PassageKind]] = {b"message": "message", b"fact": "fact"}


def spell(passage: Passage) -> bytes:
    """Spell a passage's row, without its entry."""
    more = _More(passage.part, passage.speaker, dict(passage.metadata), passage.sources)
    fields = (
        *(part.encode() for part in (passage.session_id, passage.kind, passage.message, str(passage.number))),
        _time(to_number(passage.at)),
        msgspec.json.encode(more, order="sorted"),
        passage.text.encode(),
    )
    return _NUL.join((*fields, b""))


def read(owner: PassageOwner, row: bytes, *, spelled: str, store: str) -> tuple[Passage, bytes]:
    """Give the passage that a row is, and its entry.

    Raises:
        StoreCorrupt: It is none that a store wrote.
    """
    try:
        session, kind, message, number, time, more, text, entry = row.split(_NUL, _FIELDS)
        known = _READ.decode(more)
        passage = Passage(
            tenant_id=owner.tenant,
            agent_id=owner.agent,
            user_id=owner.user,
            session_id=SessionId(session.decode()),
            message=message.decode(),
            part=known.part,
            number=int(number),
            kind=_KINDS[kind],
            speaker=known.speaker,
            at=to_instant(int(time, 16) - _FIRST),
            text=text.decode(),
            metadata=known.metadata,
            sources=known.sources,
        )
    except (ValueError, KeyError, OverflowError, InvalidInput, msgspec.MsgspecError) as error:
        raise StoreCorrupt(store=store, key=spelled, problem="no passage lies there") from error
    return passage, entry


def place_of_session(session: SessionId, *kind: PassageKind) -> bytes:
    """Spell how the places of a session begin, or those of a kind in it."""
    return _NUL.join((session.encode(), *(one.encode() for one in kind), b""))


def place_of_message(message: MessageName) -> bytes:
    """Spell how the places of a message's pieces begin."""
    return _NUL.join((*(part.encode() for part in message), b""))


def time_of(after: Position) -> bytes:
    """Spell a place among the times."""
    return _time(to_number(after.at)) + after.id.encode()


def ids_of(members: Sequence[object]) -> list[str]:
    """Give the ids at the ends of places or times."""
    return [member[-_ID:].decode() for member in members if isinstance(member, bytes)]


def _time(number: int) -> bytes:
    return b"%016x" % (number + _FIRST)
