"""What an index holds of one owner's passages, and how one is put in or taken out."""

from datetime import datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec

from wellkept.model.ids import PassageId, SessionId
from wellkept.model.passages import Metadata, PassageKind, StoredPassage, Vector
from wellkept.rules.lexical.folding import plain
from wellkept.rules.recall.analysis import terms_in_order
from wellkept.rules.recall.columns import Columns
from wellkept.rules.recall.entry import Entry, analysed, day_of
from wellkept.rules.recall.postings import Postings, evidence
from wellkept.rules.recall.session_order import SessionOrder
from wellkept.rules.recall.weights import NEAR_WORDS

if TYPE_CHECKING or find_spec("numpy") is not None:  # numpy comes with the extra `recall`
    from wellkept.rules.recall.matrix import Matrix


class Row(msgspec.Struct, frozen=True):
    """A passage without its text."""

    id: PassageId
    session_id: SessionId
    message: str
    part: int
    number: int
    kind: PassageKind
    speaker: str
    at: datetime
    metadata: Metadata
    entry: Entry

    @property
    def place(self) -> tuple[int, datetime, str, int]:
        """Say where in its session it stands."""
        return (self.number, self.at, self.message, self.part)

    @property
    def source(self) -> tuple[SessionId, PassageKind, str]:
        """Name the message that it is a piece of."""
        return (self.session_id, self.kind, self.message)


class Shelf:
    """Passages by slot. A slot is never given out twice; `sparse` says when it is time to begin anew."""

    def __init__(self, *, semantic: bool) -> None:
        self.rows: list[Row | None] = []
        self.slots: dict[PassageId, int] = {}
        self.columns = Columns()
        self.postings = Postings()
        self.matrix = Matrix() if semantic else None
        self.total_length = 0
        self._sessions: dict[SessionId, tuple[int, SessionOrder]] = {}
        self._speakers: dict[str, int] = {}
        self._spoke: list[int] = []
        self._bare: set[PassageId] = set()

    @property
    def sparse(self) -> bool:
        """Say whether most slots are empty."""
        return len(self.rows) > 2 * len(self.slots) + 64

    @property
    def without_vector(self) -> int:
        """Count the passages that cannot be compared by meaning."""
        return len(self._bare)

    @property
    def sessions(self) -> int:
        """Count the sessions that ever were."""
        return len(self._sessions)

    @property
    def speakers(self) -> dict[str, int]:
        """Give the speakers of what is kept, each with its number."""
        return {speaker: number for speaker, number in self._speakers.items() if self._spoke[number]}

    @property
    def average_length(self) -> float:
        """Give the mean number of telling terms of a passage; never 0."""
        return max(self.total_length / max(len(self.slots), 1), 1.0)

    @property
    def average_context(self) -> float:
        """Give the mean number of telling terms around a passage; never 0."""
        return max(self.columns.total_context / max(len(self.slots), 1), 1.0)

    def put(self, stored: StoredPassage) -> None:
        """Keep a passage as it is now, whatever was kept of it."""
        row = row_of(stored)
        slot = self.slots.get(row.id)
        if slot is None or self.rows[slot] != row:
            self.take_out(row.id)
            slot = self._new(row)
        self._put_vector(row.id, slot, stored.vector)

    def take_out(self, id: PassageId) -> None:
        """Forget a passage, if it is there."""
        slot = self.slots.pop(id, None)
        row = None if slot is None else self.rows[slot]
        if slot is None or row is None:
            return
        self.postings.remove(slot, described(row))
        if row.kind == "message":
            self._sessions[row.session_id][1].remove(row.place, self.columns)
        self._spoke[self._speakers[row.speaker]] -= 1
        self.total_length -= self.columns.length[slot]
        self.columns.clear(slot)
        self.rows[slot] = None
        self._bare.discard(id)
        if self.matrix is not None:
            self.matrix.drop(slot)

    def compacted(self) -> "Shelf":
        """Return the same passages without empty slots."""
        other = Shelf(semantic=self.matrix is not None)
        for slot, row in enumerate(self.rows):
            if row is not None:
                new = other._new(row)
                took = (
                    other.matrix is not None and self.matrix is not None and other.matrix.take(new, self.matrix, slot)
                )
                if not took:
                    other._bare.add(row.id)
        return other

    def _new(self, row: Row) -> int:
        session, order = self._sessions.setdefault(row.session_id, (len(self._sessions), SessionOrder()))
        whole = described(row)
        slot = self.columns.add(
            length=evidence(row.entry.ordered),
            near_length=evidence(row.entry.ordered[:NEAR_WORDS]),
            session=session,
            speaker=self._speaker(row.speaker),
        )
        self.rows.append(row)
        self.slots[row.id] = slot
        self.postings.add(slot, whole, first=row.entry.ordered[:NEAR_WORDS])
        self.total_length += self.columns.length[slot]
        if row.kind == "message":
            order.add(row.place, slot, self.columns)
        return slot

    def _speaker(self, speaker: str) -> int:
        number = self._speakers.setdefault(speaker, len(self._spoke))
        if number == len(self._spoke):
            self._spoke.append(0)
        self._spoke[number] += 1
        return number

    def _put_vector(self, id: PassageId, slot: int, vector: Vector | None) -> None:
        if self.matrix is not None:
            if vector is not None and self.matrix.put(slot, vector):
                self._bare.discard(id)
                return
            self.matrix.drop(slot)
        self._bare.add(id)


def row_of(stored: StoredPassage) -> Row:
    """Return what is kept of a passage; one whose terms were spelt by another version is analysed anew."""
    passage = stored.passage
    return Row(
        id=passage.id,
        session_id=passage.session_id,
        message=passage.message,
        part=passage.part,
        number=passage.number,
        kind=passage.kind,
        speaker=passage.speaker,
        at=passage.at,
        metadata=passage.metadata,
        entry=Entry.decode(stored.entry) or analysed(passage.text),
    )


def described(row: Row) -> Entry:
    """Return the terms of a passage, with those of the day it was said."""
    return Entry([*row.entry.ordered, *terms_in_order(plain(day_of(row.at)))], row.entry.beside)
