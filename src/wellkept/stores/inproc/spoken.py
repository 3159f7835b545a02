"""What the in-process store holds of one owner's passages."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wellkept.model.ids import PassageId
from wellkept.model.passages import Passage, PassageStamp, StoredPassage, Vector
from wellkept.rules.whole_messages import MessageName, message_of


@dataclass(slots=True)
class Piece:
    """A passage, and what is kept beside it. `vectors` are by model."""

    passage: Passage
    entry: bytes
    vectors: dict[str, Vector]
    revision: int

    def given(self, model: str | None) -> StoredPassage:
        """Give it as an index wants it."""
        vector = self.vectors.get(model) if model else None
        return StoredPassage(passage=self.passage, revision=self.revision, entry=self.entry, vector=vector)


@dataclass(slots=True)
class Spoken:
    """An owner's passages, by id, in the order of their last change: by revision and then by id."""

    stamp: PassageStamp = field(default_factory=PassageStamp)
    by_id: dict[PassageId, Piece] = field(default_factory=dict[PassageId, Piece])
    by_message: dict[MessageName, set[PassageId]] = field(default_factory=dict[MessageName, set[PassageId]])

    def put(self, pieces: Iterable[Piece]) -> None:
        """Add pieces of a new revision, or put them in the place of others."""
        for piece in sorted(pieces, key=lambda piece: piece.passage.id):
            self.by_id.pop(piece.passage.id, None)  # it comes to the end
            self.by_id[piece.passage.id] = piece
            self.by_message.setdefault(message_of(piece.passage), set()).add(piece.passage.id)

    def remove(self, ids: Iterable[PassageId]) -> None:
        """Forget pieces that are there."""
        for id in ids:
            message = message_of(self.by_id.pop(id).passage)
            self.by_message[message].remove(id)
            if not self.by_message[message]:
                del self.by_message[message]

    def pieces_of(self, messages: Iterable[MessageName]) -> list[Passage]:
        """Give the passages of messages."""
        return [self.by_id[id].passage for message in messages for id in self.by_message.get(message, ())]

    def latest_first(self) -> Iterator[Piece]:
        """Yield the pieces from the last change back."""
        yield from reversed(self.by_id.values())
