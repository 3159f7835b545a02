"""Scores by words, in plain Python: what `fast_scores` comes to with numpy, number for number."""

from collections.abc import Sequence

from wellkept.rules.recall.asking import rarity
from wellkept.rules.recall.columns import Columns
from wellkept.rules.recall.filters import passes
from wellkept.rules.recall.postings import Posting
from wellkept.rules.recall.scores import Scored, Sought, one_of_each
from wellkept.rules.recall.shelf import Shelf
from wellkept.rules.recall.weights import CONTEXT, K1, LENGTH, SESSION, SPEAKER, WORDS

_Weighed = Sequence[tuple[Posting, float]]
"""Postings, each with what its term is worth."""


class _ByWords(Scored):
    def __init__(self, sought: Sought, shelf: Shelf) -> None:
        self._shelf, self._speakers = shelf, sought.speakers
        self._own = own_sums(sought.terms, shelf.columns, shelf.average_length)
        self._context = context_sums(sought.terms, shelf.columns, shelf.average_context)
        self._sessions = session_sums(sought.terms, shelf.columns)
        self._session_top = max(self._sessions, default=0.0) or 1.0
        self._whole = WORDS + SESSION + (SPEAKER if sought.speakers else 0.0)
        among = [slot for slot, row in enumerate(shelf.rows) if row is not None and passes(sought.filter, row)]
        self._sums = {slot: self._own[slot] + CONTEXT * self._context[slot] for slot in among}
        self._top = max(self._sums.values(), default=0.0) or 1.0

    def best(self, many: int) -> list[tuple[int, float]]:
        told = [(slot, self._score(slot)) for slot, total in self._sums.items() if total > 0.0]
        return one_of_each(told, self._shelf, many)

    def alike(self, slots: Sequence[int]) -> None:
        return None

    def parts(self, slot: int) -> dict[str, float]:
        share = WORDS / self._whole
        return {
            "words": self._own[slot] / self._top * share,
            "context": CONTEXT * self._context[slot] / self._top * share,
            "session": self._session(slot) * (SESSION / self._whole),
            "speaker": self._named(slot) * (SPEAKER / self._whole),
        }

    def _score(self, slot: int) -> float:
        words = self._sums[slot] / self._top
        return (WORDS * words + SESSION * self._session(slot) + SPEAKER * self._named(slot)) / self._whole

    def _session(self, slot: int) -> float:
        return self._sessions[self._shelf.columns.session[slot]] / self._session_top

    def _named(self, slot: int) -> float:
        return 1.0 if self._shelf.columns.speaker[slot] in self._speakers else 0.0


def scored(sought: Sought, shelf: Shelf) -> Scored:
    """Score all passages that the filter lets pass."""
    return _ByWords(sought, shelf)


def own_sums(asked: _Weighed, columns: Columns, average: float) -> list[float]:
    """Return for each slot the worth of the terms that its passage has."""
    sums = [0.0] * len(columns)
    length = columns.length
    for posting, worth in asked:
        for slot, times in zip(posting.slots, posting.own, strict=True):
            sums[slot] += worth * (times * (K1 + 1.0) / (times + K1 * (1.0 - LENGTH + LENGTH * length[slot] / average)))
    return sums


def context_sums(asked: _Weighed, columns: Columns, average: float) -> list[float]:
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


def session_sums(asked: _Weighed, columns: Columns) -> list[float]:
    """Return for each session the worth of the terms that it has, as if it were one text."""
    lengths = [0] * (max(columns.session, default=-1) + 1)
    kept: set[int] = set()
    for session, length in zip(columns.session, columns.length, strict=True):
        if session >= 0:
            lengths[session] += length
            kept.add(session)
    average = max(sum(lengths) / max(len(kept), 1), 1.0)
    sums = [0.0] * len(lengths)
    for posting, _ in asked:
        counts: dict[int, int] = {}
        for slot, times in zip(posting.slots, posting.own, strict=True):
            counts[columns.session[slot]] = counts.get(columns.session[slot], 0) + times
        worth = rarity(len(kept), len(counts))
        for session, times in counts.items():
            damping = K1 * (1.0 - LENGTH + LENGTH * lengths[session] / average)
            sums[session] += worth * (times * (K1 + 1.0) / (times + damping))
    return sums
