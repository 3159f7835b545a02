"""Transcripts of conversations: JSON Lines of `{session, speaker, time, text}`."""

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.passages import Metadata, MetaValue, Said


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One message of a transcript. `user` says whose it is, where the command does not."""

    session: str
    speaker: str
    time: datetime
    text: str
    id: str = ""
    user: str | None = None
    metadata: Metadata = msgspec.field(default_factory=dict[str, MetaValue])


Conversation = tuple[str, str]
"""A user and a session."""


def batches(lines: Iterable[bytes], *, user: str | None, size: int) -> Iterator[tuple[Conversation, list[Said]]]:
    """Give what the lines say, conversation by conversation, up to `size` messages at a time.

    A message's place in its session is its place in the file.

    Raises:
        InvalidInput: A line is none of a transcript; it names the line's number.
    """
    waiting: dict[Conversation, list[Said]] = {}
    places: dict[Conversation, int] = {}
    held = 0
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        line = _read(raw, number)
        whose = line.user if user is None else user
        if whose is None:
            raise InvalidInput(param=f"line {number}", problem="names no user; pass --user, or write one in each line")
        conversation = (whose, line.session)
        places[conversation] = places.get(conversation, 0) + 1
        waiting.setdefault(conversation, []).append(_said(line, number, places[conversation]))
        held += 1
        if held >= size:
            yield from waiting.items()
            waiting, held = {}, 0
    yield from waiting.items()


def _read(raw: bytes, number: int) -> Line:
    try:
        return msgspec.json.decode(raw, type=Line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(
            param=f"line {number}", problem=f"must be JSON with session, speaker, time and text: {error}"
        ) from error


def _said(line: Line, number: int, place: int) -> Said:
    try:
        return Said(
            text=line.text, speaker=line.speaker, at=line.time, id=line.id, number=place, metadata=line.metadata
        )
    except InvalidInput as error:
        raise InvalidInput(param=f"line {number}, {error.param}", problem=error.problem) from error
