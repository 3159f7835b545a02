"""Storing whole messages: which of their pieces are written, and which go. The rule of every store of passages."""

from collections.abc import Iterable, Sequence

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import PassageId, SessionId
from wellkept.model.passages import Metadata, MetaValue, NewPassage, Passage, PassageKind, PassageOwner, PassagesPut

MessageName = tuple[SessionId, PassageKind, str]
"""Which message of an owner: its session, its kind, and its name in there."""


class Rewriting(msgspec.Struct, frozen=True, kw_only=True):
    """What storing messages does to what is stored. With nothing `written` and nothing `gone` it changes nothing."""

    written: tuple[NewPassage, ...]
    """New and changed pieces, by id."""
    replaced: tuple[PassageId, ...]
    """Those of them that are stored, otherwise: their vectors go."""
    gone: tuple[PassageId, ...]
    """Stored pieces of the same messages that were not given any more."""
    removes: bool
    """Whether a passage goes or gets another text."""
    put: PassagesPut

    @property
    def changes(self) -> bool:
        """Say whether there is anything to do."""
        return bool(self.written or self.gone)


def message_of(passage: Passage) -> MessageName:
    """Name the message that a passage is of."""
    return passage.session_id, passage.kind, passage.message


def messages_of(owner: PassageOwner, pieces: Sequence[NewPassage]) -> list[MessageName]:
    """Name the messages that `pieces` are of, each once.

    Raises:
        InvalidInput: A piece is another owner's.
    """
    place = (owner.tenant, owner.agent, owner.user)
    for piece in pieces:
        passage = piece.passage
        if (passage.tenant_id, passage.agent_id, passage.user_id) != place:
            raise InvalidInput(param="passages", problem="must all be of the owner that they are stored for")
    return list(dict.fromkeys(message_of(piece.passage) for piece in pieces))


def rewriting(pieces: Sequence[NewPassage], stored: Iterable[Passage]) -> Rewriting:
    """Compare the pieces that are given with those that are stored of the same messages."""
    given = {piece.passage.id: piece for piece in pieces}
    known = {passage.id: passage for passage in stored}
    changed = [id for id, piece in given.items() if id in known and not _same(piece.passage, known[id])]
    new = [id for id in given if id not in known]
    gone = [id for id in known if id not in given]
    return Rewriting(
        written=tuple(given[id] for id in sorted([*changed, *new])),
        replaced=tuple(changed),
        gone=tuple(gone),
        removes=bool(gone) or any(given[id].passage.text != known[id].text for id in changed),
        put=PassagesPut(
            stored=len(new),
            replaced=len(changed),
            unchanged=len(given) - len(new) - len(changed),
            removed=len(gone),
        ),
    )


def spell_metadata(metadata: Metadata) -> str:
    """Spell metadata as JSON: equal facts of equal types, equal texts."""
    return msgspec.json.encode(dict(metadata), order="sorted").decode()


def read_metadata(text: str) -> dict[str, MetaValue]:
    """Read back what `spell_metadata` wrote."""
    return _METADATA.decode(text)


_METADATA = msgspec.json.Decoder(dict[str, MetaValue])


def _same(one: Passage, other: Passage) -> bool:
    # `1`, `1.0` and `True` are equal to Python, and three things to whoever filters by them.
    return one == other and spell_metadata(one.metadata) == spell_metadata(other.metadata)
