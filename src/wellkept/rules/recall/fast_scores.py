"""Scores by words and by meaning, with numpy; those by words are what `plain_scores` comes to, number for number."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wellkept.model.recall import RecallFilter
from wellkept.rules.recall.asking import rarity
from wellkept.rules.recall.columns import Columns
from wellkept.rules.recall.filters import passes
from wellkept.rules.recall.matrix import Matrix
from wellkept.rules.recall.postings import Posting
from wellkept.rules.recall.scores import Scored, Sought, one_of_each
from wellkept.rules.recall.shelf import Shelf
from wellkept.rules.recall.weights import CONTEXT, K1, LENGTH, MEANING, SESSION, SHORT, SPEAKER, WORDS

Numbers = NDArray[np.float64]

_Weighed = Sequence[tuple[Posting, float]]
"""Postings, each with what its term is worth."""


class _ByBoth(Scored):
    def __init__(self, sought: Sought, shelf: Shelf) -> None:
        columns = shelf.columns
        self._shelf = shelf
        among = _among(sought.filter, shelf)
        own = own_sums(sought.terms, columns, shelf.average_length)
        context = CONTEXT * context_sums(sought.terms, columns, shelf.average_context)
        sums = np.where(among, own + context, 0.0)
        top = float(sums.max(initial=0.0)) or 1.0
        sessions = session_sums(sought.terms, columns)
        session = (sessions / (float(sessions.max(initial=0.0)) or 1.0))[np.frombuffer(columns.session, np.int32)]
        named = np.isin(np.frombuffer(columns.speaker, np.int32), list(sought.speakers)).astype(np.float64)
        words = sums / top
        total = WORDS * words + SESSION * session + SPEAKER * named
        whole = WORDS + SESSION + (SPEAKER if sought.speakers else 0.0)
        meaning = _meaning(sought, words, shelf)
        if meaning is None:
            among = among & (words > 0.0)
        else:
            total, whole = total + MEANING * meaning, whole + MEANING
        self._scores = np.where(among, total / whole, 0.0)
        self._parts = {
            "words": (own / top, WORDS / whole),
            "context": (context / top, WORDS / whole),
            "session": (session, SESSION / whole),
            "speaker": (named, SPEAKER / whole),
        }
        if meaning is not None:
            self._parts["meaning"] = (meaning, MEANING / whole)

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
        if "meaning" not in self._parts or self._shelf.matrix is None:
            return None
        return self._shelf.matrix.alike(slots)

    def parts(self, slot: int) -> dict[str, float]:
        return {name: float(told[slot]) * share for name, (told, share) in self._parts.items()}


def scored(sought: Sought, shelf: Shelf) -> Scored:
    """Score all passages that the filter lets pass."""
    return _ByBoth(sought, shelf)


def _among(asked: RecallFilter, shelf: Shelf) -> NDArray[np.bool_]:
    if asked == RecallFilter():
        return np.frombuffer(shelf.columns.alive, np.uint8) > 0
    return np.array([row is not None and passes(asked, row) for row in shelf.rows], np.bool_)


def _meaning(sought: Sought, words: Numbers, shelf: Shelf) -> Numbers | None:
    """Compare with all passages; one without a vector is as near as its words let expect."""
    matrix: Matrix | None = shelf.matrix
    cosines = None
    if sought.vector is not None and matrix is not None:
        cosines = matrix.cosines(sought.vector, len(shelf.rows))
    if cosines is None or matrix is None:
        return None
    length = np.frombuffer(shelf.columns.length, np.uint32)
    damped = cosines * (length / (length + SHORT))
    return np.where(matrix.has(len(words)), damped, float(damped.max(initial=0.0)) * words)


def own_sums(asked: _Weighed, columns: Columns, average: float) -> Numbers:
    """Return for each slot the worth of the terms that its passage has."""
    sums = np.zeros(len(columns))
    damping = K1 * (1.0 - LENGTH + LENGTH * np.frombuffer(columns.length, np.uint32) / average)
    for posting, worth in asked:
        slots = np.frombuffer(posting.slots, np.uint32)
        times = np.frombuffer(posting.own, np.uint16).astype(np.float64)
        sums[slots] += worth * (times * (K1 + 1.0) / (times + damping[slots]))
    return sums


def context_sums(asked: _Weighed, columns: Columns, average: float) -> Numbers:
    """Return for each slot the worth of the terms that its neighbours have in their first words."""
    sums = np.zeros(len(columns))
    around = np.zeros(len(columns))
    damping = K1 * (1.0 - LENGTH + LENGTH * np.frombuffer(columns.context_length, np.uint32) / average)
    ways = [np.frombuffer(leads, np.int32) for leads in (columns.second, columns.next, columns.previous)]
    for posting, worth in asked:
        near = np.frombuffer(posting.near, np.uint16)
        slots, times = np.frombuffer(posting.slots, np.uint32)[near > 0], near[near > 0].astype(np.float64)
        for way in ways:
            there = way[slots]
            around[there[there >= 0]] += times[there >= 0]
        touched = np.flatnonzero(around)
        counts = around[touched]
        sums[touched] += worth * (counts * (K1 + 1.0) / (counts + damping[touched]))
        around[touched] = 0.0
    return sums


def session_sums(asked: _Weighed, columns: Columns) -> Numbers:
    """Return for each session the worth of the terms that it has, as if it were one text."""
    session = np.frombuffer(columns.session, np.int32)
    kept = session[session >= 0]
    lengths = np.bincount(kept, np.frombuffer(columns.length, np.uint32)[session >= 0], minlength=1)
    present = int(np.count_nonzero(np.bincount(kept)))
    average = max(float(lengths.sum()) / max(present, 1), 1.0)
    damping = K1 * (1.0 - LENGTH + LENGTH * lengths / average)
    sums = np.zeros(len(lengths))
    for posting, _ in asked:
        slots = np.frombuffer(posting.slots, np.uint32)
        counts = np.bincount(session[slots], np.frombuffer(posting.own, np.uint16), minlength=len(lengths))
        worth = rarity(present, int(np.count_nonzero(counts)))
        sums += worth * (counts * (K1 + 1.0) / (counts + damping))
    return sums
