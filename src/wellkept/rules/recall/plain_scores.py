"""Scores by words, in plain Python: what `fast_scores` comes to with numpy, number for number."""

from collections.abc import Sequence

from wellkept.rules.recall.columns import Columns
from wellkept.rules.recall.filters import passes
from wellkept.rules.recall.postings import Posting
from wellkept.rules.recall.scores import Asked, Scored, one_of_each
from wellkept.rules.recall.shelf import Shelf
from wellkept.rules.recall.weights import CONTEXT, K1, LENGTH

_Weighed = Sequence[tuple[Posting, float]]
"""Postings, each with what its term is worth."""


class _ByWords(Scored):
    def __init__(self, own: list[float], context: list[float], among: list[int], shelf: Shelf) -> None:
        self._own, self._context, self._shelf = own, context, shelf
        self._sums = {slot: own[slot] + CONTEXT * context[slot] for slot in among}
        self._top = max(self._sums.values(), default=0.0) or 1.0

    def best(self, many: int) -> list[tuple[int, float]]:
        told = [(slot, total / self._top) for slot, total in self._sums.items() if total > 0.0]
        return one_of_each(told, self._shelf, many)

    def alike(self, slots: Sequence[int]) -> None:
        return None

    def parts(self, slot: int) -> dict[str, float]:
        return {"words": self._own[slot] / self._top, "context": CONTEXT * self._context[slot] / self._top}


def scored(asked: Asked, terms: _Weighed, shelf: Shelf) -> Scored:
    """Score all passages that the filter lets pass."""
    among = [slot for slot, row in enumerate(shelf.rows) if row is not None and passes(asked.filter, row)]
    own = _own_sums(terms, shelf.columns, shelf.average_length)
    context = _context_sums(terms, shelf.columns, shelf.average_context)
    return _ByWords(own, context, among, shelf)


def _own_sums(asked: _Weighed, columns: Columns, average: float) -> list[float]:
    """Return for each slot the worth of the terms that its passage has."""
    sums = [0.0] * len(columns)
    length = columns.length
    for posting, worth in asked:
        for slot, times in zip(posting.slots, posting.own, strict=True):
            sums[slot] += worth * (times * (K1 + 1.0) / (times + K1 * (1.0 - LENGTH + LENGTH * length[slot] / average)))
    return sums


def _context_sums(asked: _Weighed, columns: Columns, average: float) -> list[float]:
    """Return for each slot the worth of the terms that its neighbours have in their first words."""
    sums = [0.0] * len(columns)
    length = columns.context_length
    for posting, worth in asked:
        around: dict[int, int] = {}
        for leads in (columns.second, columns.next, columns.previous):
            for slot, times in zip(posting.slots, posting.near, strict=True):
                if times and leads[slot] >= 0:
                    around[leads[slot]] = around.get(leads[slot], 0) + times
        for slot, times in around.items():
            sums[slot] += worth * (times * (K1 + 1.0) / (times + K1 * (1.0 - LENGTH + LENGTH * length[slot] / average)))
    return sums
