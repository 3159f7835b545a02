"""Ranked search: every row with evidence for the query, best first.

The score of a row is the sum, over the terms of the query, of
`weight of the best evidence * idf(term)`, plus a bonus for words that follow
each other as in the query, divided by a mild function of the row's length:

    idf(term) = ln(1 + (N - n + 0.5) / (n + 0.5))
    divisor   = 1 + 0.1 * log2(1 + characters / 96)

with N rows, n of them with evidence for the term (the idf of BM25; Robertson
and Zaragoza, "The Probabilistic Relevance Framework", 2009). Kinds of evidence
are united, never required together: a row that has one rare word of a long
question is found. A common word (`the`, `my`) finds nothing by itself unless
the query has no other.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import log, log2
from operator import add
from typing import Final

from wellkept.rules.lexical.common_words import COMMON, COMMON_PIECES, COMMON_SIGNS
from wellkept.rules.lexical.folding import folded, plain
from wellkept.rules.lexical.inflection import related
from wellkept.rules.lexical.query import web_query
from wellkept.rules.lexical.terms import (
    RankTokens,
    around,
    bare,
    grams,
    inside,
    rank_tokens,
    words,
)

__all__ = ["MOST_TERMS", "PARTS", "RankTokens", "Ranked", "rank", "rank_tokens"]

MOST_TERMS: Final = 64
"""Of a longer query the rarest terms are kept, by how many rows have them."""

LONGEST_QUERY: Final = 50_000
"""Characters of a query that are read."""

REFINED: Final = 128
"""Of the rows found, so many of the best are told apart by common words and word order."""

PARTS: Final[Mapping[str, float]] = {
    "exact": 1.0,
    "folded": 0.8,
    "stem": 0.6,
    "prefix": 0.5,
    "substring": 0.7,
    "common": 0.1,
    "phrase": 0.25,
}
"""The parts of a score, with the weight of each kind of evidence.

`exact`: the word as it was typed, case and compatibility forms aside. `folded`:
without accents. `stem`: another form of the word. `prefix`: the row's word
begins with it; up to its weight, by how much of the word it covers.
`substring`: inside a run of a script without spaces, or a part of such a run.
`common`: a common word. `phrase`: two words that follow each other.
"""

_SHORTEST_PREFIX: Final = 3
_PIECE: Final = {"han": 2, "katakana": 2, "hiragana": 2, "hangul": 2, "thai": 3}
_PIECE_SHARE: Final = {"han": 0.6, "katakana": 0.4, "hiragana": 0.3, "hangul": 0.5, "thai": 0.25}


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row that was found: its index among the rows, its score, and what the score is made of."""

    index: int
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Term:
    text: str
    fold: str
    how: str
    share: float = 1.0

    @property
    def common(self) -> bool:
        return self.share == 0 or self.text in COMMON or self.fold in COMMON


def _pieces(run: str, how: str) -> Iterator[_Term]:
    """Yield what a run without spaces is searched by: itself, and its substrings."""
    size = _PIECE[how]
    common = run in COMMON or run in COMMON_PIECES or COMMON_SIGNS.issuperset(run)
    if how == "hiragana" and len(run) == 1:
        common = True
    yield _Term(run, folded(run), how, 0.0 if common else 1.0)
    if len(run) > size:
        for piece in grams(run, size):
            if piece not in COMMON_PIECES and COMMON_SIGNS.isdisjoint(piece):
                yield _Term(piece, folded(piece), how, _PIECE_SHARE[how])


def _terms(query: str) -> tuple[list[_Term], list[tuple[str, str]]]:
    """Return the terms of a query, each once, and its folded words in pairs."""
    lowered = plain(query[:LONGEST_QUERY])
    found: dict[str, _Term] = {}
    ordered: list[str] = []
    for word, how in words(lowered):
        ordered.append(folded(word))
        for term in [_Term(word, ordered[-1], "word")] if how == "word" else _pieces(word, how):
            found.setdefault(term.text, term)
    for name in [*around(lowered), *inside(query[:LONGEST_QUERY])]:
        found.setdefault(name, _Term(name, folded(name), "word"))
    return list(found.values()), list(dict.fromkeys(pairwise(ordered)))


def _rarest(terms: list[_Term], rows: Sequence[RankTokens]) -> list[_Term]:
    """Keep the terms that fewest rows have; those no row has as they are come last."""
    many: Counter[str] = Counter()
    for row in rows:
        many.update(frozenset(row.folded.split(" ")))
        if not row.folded.isascii():
            many.update(frozenset(map(add, row.folded, row.folded[1:])))
    told = [(many[term.fold] or many[term.fold[:2]], at) for at, term in enumerate(terms)]
    order = sorted((count == 0, count, at) for count, at in told)
    return [terms[at] for at in sorted(at for _, _, at in order[:MOST_TERMS])]


class _Word:
    """Looks for one word: the word itself, its folded form, then its relatives."""

    def __init__(self, term: _Term) -> None:
        self._folds = [f" {fold} " for fold in (term.fold, *bare(term.fold))]
        self._fold = term.fold
        size = len(term.fold)
        self.gates = [
            f" {fold[: min(max(3, size - 2), 5)]}" if size >= _SHORTEST_PREFIX else f" {fold} "
            for fold in (term.fold, *bare(term.fold))
        ]
        self._open = size >= _SHORTEST_PREFIX
        self._like = re.compile(f"{re.escape(self.gates[0])}[^ ]*")
        self._known: dict[str, tuple[str, float]] = {}

    def evidence(self, exact: str, low: str) -> tuple[str, float]:
        if any(fold in low for fold in self._folds):
            return "folded", PARTS["folded"]
        if not self._open:
            return "", 0.0
        return max(
            map(self._relative, self._like.findall(low)),
            key=lambda told: told[1],
            default=("", 0.0),
        )

    def _relative(self, spaced: str) -> tuple[str, float]:
        known = self._known.get(spaced)
        if known is None:
            word = spaced[1:]
            if related(self._fold, word):
                known = "stem", PARTS["stem"]
            elif word.startswith(self._fold) and not _cuts_a_number(self._fold, word):
                known = "prefix", PARTS["prefix"] * (0.5 + 0.5 * len(self._fold) / len(word))
            else:
                known = "", 0.0
            self._known[spaced] = known
        return known


def _cuts_a_number(start: str, word: str) -> bool:
    return start[-1].isdigit() and word[len(start)].isdigit()


class _Run:
    """Looks for a substring in scripts that have no spaces between words."""

    def __init__(self, term: _Term) -> None:
        self._text, self._share = term.text, term.share or 1.0
        self.gates = [term.fold]

    def evidence(self, exact: str, low: str) -> tuple[str, float]:
        if self._text in exact:
            return "substring", PARTS["substring"] * self._share
        return "folded", PARTS["folded"] * PARTS["substring"] * self._share


class _Rows:
    """The rows of one search, and what has been found in them so far."""

    def __init__(self, rows: Sequence[RankTokens]) -> None:
        self._exact = [row.exact for row in rows]
        self._folded = [row.folded for row in rows]
        self._totals = [0.0] * len(rows)
        self._evidence: list[tuple[float, Mapping[int, tuple[str, float]]]] = []
        self._worth: dict[str, float] = {}

    def look_for(self, term: _Term) -> None:
        """Add what there is for a term to every row that has any."""
        hits = self._hits(term)
        idf = _idf(len(self._totals), len(hits))
        self._worth[term.fold] = idf
        self._add(idf, hits)

    def _hits(self, term: _Term) -> dict[int, tuple[str, float]]:
        seeker = _Word(term) if term.how == "word" else _Run(term)
        word, whole = f" {term.text} ", ("exact", PARTS["exact"] * (term.share or 1.0))
        hits = {at: whole for at, text in enumerate(self._exact) if word in text}
        for gate in seeker.gates:
            for at, text in enumerate(self._folded):
                if gate in text and at not in hits:
                    told = seeker.evidence(self._exact[at], text)
                    if told[1]:
                        hits[at] = told
        return hits

    def _add(self, worth: float, hits: Mapping[int, tuple[str, float]]) -> None:
        totals = self._totals
        for at, (_, weight) in hits.items():
            totals[at] += worth * weight
        self._evidence.append((worth, hits))

    def _order(self, among: Iterable[int]) -> list[tuple[float, int]]:
        folded_rows, totals = self._folded, self._totals
        return sorted((-round(totals[at] / _divisor(len(folded_rows[at])), 9), at) for at in among)

    def _refine(self, best: Sequence[int], common: Sequence[_Term], pairs: Sequence[tuple[str, str]]) -> None:
        """Let common words and the order of words tell the best rows apart."""
        near = [(at, self._folded[at]) for at in best]
        for term in common:
            word, told = f" {term.fold} ", ("common", PARTS["common"])
            hits = {at: told for at, text in near if word in text}
            self._add(_idf(len(near), len(hits)), hits)
        for left, right in pairs:
            worth = max(self._worth.get(left, 0.0), self._worth.get(right, 0.0))
            if worth:
                words_in_order, told = f" {left} {right} ", ("phrase", PARTS["phrase"])
                self._add(worth, {at: told for at, text in near if words_in_order in text})

    def ranked(self, common: Sequence[_Term], pairs: Sequence[tuple[str, str]], limit: int) -> list[Ranked]:
        """Return the best rows, with the parts of their scores."""
        order = self._order(at for at, total in enumerate(self._totals) if total)
        best = [at for _, at in order[:REFINED]]
        self._refine(best, common, pairs)
        # What refining adds only lifts the best, so the rest stays below them.
        order = [*self._order(best), *order[REFINED:]][: max(limit, 0)]
        return [Ranked(at, -below, self._parts(at)) for below, at in order]

    def _parts(self, at: int) -> dict[str, float]:
        parts: dict[str, float] = {}
        for worth, hits in self._evidence:
            if at in hits:
                part, weight = hits[at]
                parts[part] = parts.get(part, 0.0) + worth * weight / _divisor(len(self._folded[at]))
        return parts


@lru_cache(maxsize=4096)
def _divisor(characters: int) -> float:
    return 1 + 0.1 * log2(1 + characters / 96)


def _idf(rows: int, having: int) -> float:
    return log(1 + (rows - having + 0.5) / (having + 0.5))


def rank(query: str, rows: Sequence[RankTokens], *, limit: int) -> list[Ranked]:
    """Return the rows with evidence for the query, best first, at most `limit`.

    Any string is a query. One that names only what must be absent (`-this`),
    or no word at all, finds nothing; otherwise `-` means nothing here. Of
    equal scores the row that comes first in `rows` comes first.
    """
    query = query[:LONGEST_QUERY]
    if "-" in query and web_query(query).only_negations:
        return []
    every, pairs = _terms(query)
    terms = [term for term in every if not term.common] or every
    common = [term for term in every if term.common] if terms is not every else []
    if len(terms) > MOST_TERMS:
        terms = _rarest(terms, rows)
    found = _Rows(rows)
    for term in terms:
        found.look_for(term)
    return found.ranked(common[:MOST_TERMS], pairs[: 2 * MOST_TERMS], limit)
