"""The index of one owner's passages: kept in memory, filled from a store, asked for the best.

Every score is computed here, whatever the store, so that each finds the same in
the same order. With numpy it compares by meaning too, and is fast for a hundred
thousand passages; without, it finds by words, in the same order.
"""

from collections.abc import Collection, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from wellkept.model.ids import PassageId
from wellkept.model.passages import StoredPassage
from wellkept.rules.recall import plain_scores
from wellkept.rules.recall.asking import query_terms, weighed
from wellkept.rules.recall.diversity import diverse_order
from wellkept.rules.recall.naming import named
from wellkept.rules.recall.scores import Asked, Hit, Sought
from wellkept.rules.recall.shelf import Shelf
from wellkept.rules.recall.weights import DIVERSE

FAST: Final = find_spec("numpy") is not None
"""Whether there is numpy; it comes with the extra `recall`."""

if TYPE_CHECKING or FAST:
    from wellkept.rules.recall import fast_scores

__all__ = ["Asked", "Hit", "Index"]


class Index:
    """One owner's passages. No two calls of one index may overlap.

    `fast` False: in plain Python, and by words alone, as without numpy.
    """

    def __init__(self, *, fast: bool = True) -> None:
        self._fast = fast and FAST
        self._shelf = Shelf(semantic=self._fast)

    def __len__(self) -> int:
        return len(self._shelf.slots)

    @property
    def without_vector(self) -> int:
        """Count the passages that cannot be compared by meaning."""
        return self._shelf.without_vector

    def apply(self, rows: Sequence[StoredPassage], removed: Collection[PassageId]) -> None:
        """Take over what a store says: passages as they are now, and those that are gone. Twice is as once."""
        for row in rows:
            self._shelf.put(row)
        for id in removed:
            self._shelf.take_out(id)
        if self._shelf.sparse:
            self._shelf = self._shelf.compacted()

    def search(self, asked: Asked) -> list[Hit]:
        """Find the best, one passage of each message: best first, ties by id.

        A score is what a passage is worth by itself; among the best, one that
        repeats another stands lower than its score.
        """
        shelf = self._shelf
        speakers = shelf.speakers
        who, terms = named(query_terms(asked.text), speakers)
        sought = Sought(
            terms=weighed(terms, shelf.postings, len(shelf.slots)),
            speakers=frozenset(speakers[speaker] for speaker in who),
            vector=asked.vector,
            filter=asked.filter,
        )
        scored = (fast_scores.scored if self._fast else plain_scores.scored)(sought, shelf)
        best = list(scored.best(max(asked.limit, DIVERSE)))
        head = best[:DIVERSE]
        alike = scored.alike([slot for slot, _ in head])
        if alike is not None:
            head = [head[at] for at in diverse_order([score for _, score in head], alike, many=asked.limit)]
        found: list[Hit] = []
        for slot, score in [*head, *best[DIVERSE:]][: asked.limit]:
            row = shelf.rows[slot]
            if row is not None:
                found.append(Hit(id=row.id, score=score, parts=scored.parts(slot)))
        return found
