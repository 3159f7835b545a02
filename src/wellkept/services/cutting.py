"""From what was said to what is stored: one message after the other, in pieces."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from typing import Final

from msgspec.structs import replace

from wellkept.model.ids import SessionId
from wellkept.model.passages import Passage, PassageOwner, Said, message_name
from wellkept.model.text import has_visible
from wellkept.rules.recall.cutting import pieces_of
from wellkept.rules.rendered import without_rendered

BATCH: Final = 256
"""Passages that are stored at once; a message is never parted, so there may be more."""

Message = list[Passage]
"""The pieces of one message, in order; joined they are the message."""


def messages_of(owner: PassageOwner, session: SessionId, said: Sequence[Said]) -> list[Message]:
    """Cut messages into passages; what was rendered from memory is left out.

    Of several messages with one id the last counts. Messages without an id
    that are the same in text, speaker and time are told apart by their order.
    """
    named: dict[str, Said] = {}
    repeats: dict[str, int] = {}
    for one in said:
        first = message_name(one)
        repeated = 0 if one.id else repeats.get(first, 0)
        repeats[first] = repeated + 1
        named[message_name(one, repeated=repeated)] = one
    own = {name: _without_rendered(one) for name, one in named.items()}
    return [_cut(owner, session, name, one) for name, one in own.items() if one is not None]


def batches_of(messages: Iterable[Message]) -> Iterator[list[Passage]]:
    """Put whole messages together, `BATCH` passages at a time."""
    batch: list[Passage] = []
    for message in messages:
        if batch and len(batch) + len(message) > BATCH:
            yield batch
            batch = []
        batch += message
    if batch:
        yield batch


def _without_rendered(said: Said) -> Said | None:
    text = without_rendered(said.text)
    if text == said.text:
        return said
    return replace(said, text=text) if has_visible(text) else None


def _cut(owner: PassageOwner, session: SessionId, name: str, said: Said) -> Message:
    return [
        Passage(
            tenant_id=owner.tenant,
            agent_id=owner.agent,
            user_id=owner.user,
            session_id=session,
            message=name,
            part=part,
            number=said.number,
            speaker=said.speaker,
            at=said.at.astimezone(UTC),
            text=text,
            metadata=said.metadata,
        )
        for part, text in enumerate(pieces_of(said.text))
    ]
