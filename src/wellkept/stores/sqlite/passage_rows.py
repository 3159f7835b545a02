"""Rows of passages, as the statements of `passages.sql` take and give them."""

from typing import Final

import msgspec

from wellkept.model.ids import AgentId, PassageId, SessionId, TenantId, UserId
from wellkept.model.passages import NewPassage, Passage, PassageKind, PassageOwner
from wellkept.rules.instants import to_instant, to_number
from wellkept.rules.whole_messages import read_metadata, spell_metadata

PassageRow = tuple[SessionId, PassageKind, str, int, int, str, int, str, str, str]
"""session, kind, message, part, number, speaker, at, text, metadata, sources."""

NewRow = tuple[PassageId, int, SessionId, PassageKind, str, int, int, str, int, str, str, str, bytes]
"""id, revision, and what a `PassageRow` has, and entry."""

_SOURCES: Final = msgspec.json.Decoder(tuple[str, ...])


def place_of(owner: PassageOwner) -> tuple[TenantId, AgentId, UserId]:
    """Spell whose passages."""
    return owner.tenant, owner.agent, owner.user


def to_passage(owner: PassageOwner, row: PassageRow) -> Passage:
    """Make a passage of a row."""
    session, kind, message, part, number, speaker, at, text, metadata, sources = row
    return Passage(
        tenant_id=owner.tenant,
        agent_id=owner.agent,
        user_id=owner.user,
        session_id=session,
        message=message,
        part=part,
        number=number,
        kind=kind,
        speaker=speaker,
        at=to_instant(at),
        text=text,
        metadata=read_metadata(metadata),
        sources=_SOURCES.decode(sources),
    )


def to_row(piece: NewPassage, revision: int) -> NewRow:
    """Make a row of a passage."""
    passage = piece.passage
    return (
        *(passage.id, revision, passage.session_id, passage.kind, passage.message, passage.part, passage.number),
        *(passage.speaker, to_number(passage.at), passage.text),
        *(spell_metadata(passage.metadata), msgspec.json.encode(passage.sources).decode(), piece.entry),
    )
