"""Scores by words and by meaning, with numpy; those by words are what `plain_scores` comes to, number for number."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wellkept.model.recall import RecallFilter
from wellkept.rules.recall.columns import Columns
from wellkept.rules.recall.filters import passes
from wellkept.rules.recall.matrix import Matrix
from wellkept.rules.recall.postings import Posting
from wellkept.rules.recall.scores import Asked, Scored, one_of_each
from wellkept.rules.recall.shelf import Shelf
from wellkept.rules.recall.weights import CONTEXT, K1, LENGTH, LEXICAL, SEMANTIC

Numbers = NDArray[np.float64]


class _ByBoth(Scored):
    def __init__(
        self, own: Numbers, context: Numbers, cosines: Numbers | None, among: NDArray[np.bool_], shelf: Shelf
    ) -> None:
        self._own, self._context, self._cosines, self._shelf = own, context, cosines, shelf
        sums = np.where(among, own + CONTEXT * context, 0.0)
        self._top = float(sums.max(initial=0.0)) or 1.0
        words = sums / self._top
        self._scores = words if cosines is None or shelf.matrix is None else _fused(words, cosines, shelf.matrix)
        self._scores[~among] = 0.0

    def best(self, many: int) -> list[tuple[int, float]]:
        candidates = np.flatnonzero(self._scores > 0.0)
        taken = 4 * many
        while True:
            slots = candidates
            if len(candidates) > taken:
                bound = np.partition(self._scores[candidates], -taken)[-taken]
                slots = candidates[self._scores[candidates] >= bound - 1e-6]
            told = zip(slots.tolist(), self._scores[slots].tolist(), strict=True)
            kept = one_of_each(told, self._shelf, many)
            if len(kept) == many or len(slots) == len(candidates):
                return kept
            taken *= 4

    def alike(self, slots: Sequence[int]) -> Sequence[Sequence[float]] | None:
        if self._cosines is None or self._shelf.matrix is None:
            return None
        return self._shelf.matrix.alike(slots)

    def parts(self, slot: int) -> dict[str, float]:
        parts = {
            "words": float(self._own[slot]) / self._top,
            "context": CONTEXT * float(self._context[slot]) / self._top,
        }
        if self._cosines is not None:
            parts["meaning"] = float(self._cosines[slot])
        return parts


def scored(asked: Asked, terms: Sequence[tuple[Posting, float]], shelf: Shelf) -> Scored:
    """Score all passages that the filter lets pass."""
    own = _own_sums(terms, shelf.columns, shelf.average_length)
    context = _context_sums(terms, shelf.columns, shelf.average_context)
    cosines = None
    if asked.vector is not None and shelf.matrix is not None:
        cosines = shelf.matrix.cosines(asked.vector, len(shelf.rows))
    return _ByBoth(own, context, cosines, _among(asked.filter, shelf), shelf)


def _fused(words: Numbers, cosines: Numbers, matrix: Matrix) -> Numbers:
    """Weigh both halves. What has no vector keeps the place among the others that its words give it."""
    nearest = float(cosines.max(initial=0.0))
    return LEXICAL * words + SEMANTIC * np.where(matrix.has(len(words)), cosines, nearest * words)


def _among(asked: RecallFilter, shelf: Shelf) -> NDArray[np.bool_]:
    if asked == RecallFilter():
        return np.frombuffer(shelf.columns.alive, np.uint8) > 0
    return np.array([row is not None and passes(asked, row) for row in shelf.rows], np.bool_)


def _own_sums(asked: Sequence[tuple[Posting, float]], columns: Columns, average: float) -> Numbers:
    """Return for each slot the worth of the terms that its passage has."""
    sums = np.zeros(len(columns))
    damping = K1 * (1.0 - LENGTH + LENGTH * np.frombuffer(columns.length, np.uint32) / average)
    for posting, worth in asked:
        slots = np.frombuffer(posting.slots, np.uint32)
        times = np.frombuffer(posting.own, np.uint16).astype(np.float64)
        sums[slots] += worth * (times * (K1 + 1.0) / (times + damping[slots]))
    return sums


def _context_sums(asked: Sequence[tuple[Posting, float]], columns: Columns, average: float) -> Numbers:
    """Return for each slot the worth of the terms that its neighbours have in their first words."""
    sums = np.zeros(len(columns))
    around = np.zeros(len(columns))
    damping = K1 * (1.0 - LENGTH + LENGTH * np.frombuffer(columns.context_length, np.uint32) / average)
    ways = [np.frombuffer(leads, np.int32) for leads in (columns.second, columns.next, columns.previous)]
    for posting, worth in asked:
        near = np.frombuffer(posting.near, np.uint16)
        slots, times = np.frombuffer(posting.slots, np.uint32)[near > 0], near[near > 0].astype(np.float64)
        reached: list[NDArray[np.int32]] = []
        for way in ways:
            there = way[slots]
            around[there[there >= 0]] += times[there >= 0]
            reached.append(there[there >= 0])
        touched = np.unique(np.concatenate(reached))
        counts = around[touched]
        sums[touched] += worth * (counts * (K1 + 1.0) / (counts + damping[touched]))
        around[touched] = 0.0
    return sums
