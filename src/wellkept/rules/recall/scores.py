"""What a search asks and finds, and the order of what was scored."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from wellkept.model.ids import PassageId
from wellkept.model.passages import Vector
from wellkept.model.recall import RecallFilter
from wellkept.rules.recall.postings import Posting
from wellkept.rules.recall.shelf import Row, Shelf


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A search: what for, the place of that where the index's vectors are, how many, among which."""

    text: str
    vector: Vector | None = None
    limit: int = 10
    filter: RecallFilter = RecallFilter()


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """The best piece of a message that was found, its score, and what the score is made of."""

    id: PassageId
    score: float
    parts: Mapping[str, float]


class Sought(msgspec.Struct, frozen=True, kw_only=True):
    """A search as the index's passages understand it: postings with their worth, and the speakers it names."""

    terms: Sequence[tuple[Posting, float]]
    speakers: frozenset[int]
    vector: Vector | None
    filter: RecallFilter


class Scored(ABC):
    """The scores of one search."""

    @abstractmethod
    def best(self, many: int) -> list[tuple[int, float]]:
        """Give the slots and scores of the best `many` messages, best first, ties by id."""

    @abstractmethod
    def alike(self, slots: Sequence[int]) -> Sequence[Sequence[float]] | None:
        """Compare some passages with each other; None: that cannot be told."""

    @abstractmethod
    def parts(self, slot: int) -> dict[str, float]:
        """Say what a score is made of."""


def one_of_each(told: Iterable[tuple[int, float]], shelf: Shelf, many: int) -> list[tuple[int, float]]:
    """Order slots by score, ties by id, and keep the best piece of each message, `many` in all."""
    rows: list[tuple[float, Row, int]] = []
    for slot, score in told:
        row = shelf.rows[slot]
        if row is not None:
            rows.append((-round(score, 6), row, slot))
    rows.sort(key=lambda each: (each[0], each[1].id))
    kept: dict[object, tuple[int, float]] = {}
    for below, row, slot in rows:
        kept.setdefault(row.source, (slot, -below))
        if len(kept) == many:
            break
    return list(kept.values())
