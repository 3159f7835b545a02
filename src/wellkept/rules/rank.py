"""Ranked search: every row with evidence for the query, best first.

The score of a row is the sum, over the terms of the query, of
`weight of the best evidence * idf(term)`, plus a bonus for words that follow
each other as in the query, divided by a mild function of the row's length:

    idf(term) = ln(1 + (N - n + 0.5) / (n + 0.5))
    divisor   = 1 + 0.1 * log2(1 + words / 16)

with N rows, n of them with evidence for the term (the idf of BM25; Robertson
and Zaragoza, "The Probabilistic Relevance Framework", 2009). Kinds of evidence
are united, never required together: a row that has one rare word of a long
question is found. A common word (`the`, `my`) finds nothing by itself unless
the query has no other.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, log2
from operator import add
from typing import Final

from wellkept.rules.lexical.common import COMMON, COMMON_PIECES, COMMON_SIGNS
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
        self._exact = f" {term.text} "
        self._folds = [f" {fold} " for fold in (term.fold, *bare(term.fold))]
        self._fold = term.fold
        size = len(term.fold)
        self.gates = [
            f" {fold[: min(max(3, size - 2), 5)]}" if size >= _SHORTEST_PREFIX else f" {fold} "
            for fold in (term.fold, *bare(term.fold))
        ]
        self._open = size >= _SHORTEST_PREFIX
        self._like = re.compile(f"(?<= ){re.escape(self.gates[0][1:])}[^ ]*")
        self._known: dict[str, tuple[str, float]] = {}

    def evidence(self, row: RankTokens) -> tuple[str, float]:
        if self._exact in row.exact:
            return "exact", PARTS["exact"]
        if any(fold in row.folded for fold in self._folds):
            return "folded", PARTS["folded"]
        if not self._open:
            return "", 0.0
        return max(
            map(self._relative, self._like.findall(row.folded)),
            key=lambda told: told[1],
            default=("", 0.0),
        )

    def _relative(self, word: str) -> tuple[str, float]:
        known = self._known.get(word)
        if known is None:
            if related(self._fold, word):
                known = "stem", PARTS["stem"]
            elif word.startswith(self._fold):
                known = "prefix", PARTS["prefix"] * (0.5 + 0.5 * len(self._fold) / len(word))
            else:
                known = "", 0.0
            self._known[word] = known
        return known


class _Run:
    """Looks for a substring in scripts that have no spaces between words."""

    def __init__(self, term: _Term) -> None:
        self._text, self._share = term.text, term.share or 1.0
        self.gates = [term.fold]

    def evidence(self, row: RankTokens) -> tuple[str, float]:
        if f" {self._text} " in row.exact:
            return "exact", PARTS["exact"] * self._share
        if self._text in row.exact:
            return "substring", PARTS["substring"] * self._share
        return "folded", PARTS["folded"] * PARTS["substring"] * self._share


def _hits(term: _Term, rows: Sequence[RankTokens]) -> list[tuple[int, str, float]]:
    seeker = _Word(term) if term.how == "word" else _Run(term)
    first, *others = seeker.gates
    near = [at for at, row in enumerate(rows) if first in row.folded]
    if others:
        near = sorted({*near, *(i for i, row in enumerate(rows) if others[0] in row.folded)})
    told = ((at, *seeker.evidence(rows[at])) for at in near)
    return [(at, part, weight) for at, part, weight in told if weight]


def rank(query: str, rows: Sequence[RankTokens], *, limit: int) -> list[Ranked]:
    """Return the rows with evidence for the query, best first, at most `limit`.

    Any string is a query. One that names only what must be absent (`-this`),
    or no word at all, finds nothing; otherwise `-` means nothing here. Of
    equal scores the row that comes first in `rows` comes first.
    """
    if query.lstrip('!&|()< \t\n"')[:1] == "-" and web_query(query[:LONGEST_QUERY]).only_negations:
        return []
    terms, pairs = _terms(query)
    if any(not term.common for term in terms):
        common = [term for term in terms if term.common]
        terms = [term for term in terms if not term.common]
    else:
        common = []
    if len(terms) > MOST_TERMS:
        terms = _rarest(terms, rows)
    found: dict[int, dict[str, float]] = {}
    worth: dict[str, float] = {}
    for term in terms:
        hits = _hits(term, rows)
        worth[term.fold] = idf = _idf(len(rows), len(hits))
        for at, part, weight in hits:
            parts = found.setdefault(at, {})
            parts[part] = parts.get(part, 0.0) + weight * idf
    if found:
        _add_common(found, common[:MOST_TERMS], rows)
        _add_phrases(found, [pair for pair in pairs if worth.keys() & pair], worth, rows)
    ranked = [_scored(at, parts, rows[at]) for at, parts in found.items()]
    ranked.sort(key=lambda one: (-one.score, one.index))
    return ranked[: max(limit, 0)]


def _idf(rows: int, having: int) -> float:
    return log(1 + (rows - having + 0.5) / (having + 0.5))


def _add_common(found: dict[int, dict[str, float]], common: list[_Term], rows: Sequence[RankTokens]) -> None:
    for term in common:
        word = f" {term.fold} "
        having = [at for at in found if word in rows[at].folded]
        idf = _idf(len(rows), max(len(having), len(rows) // 8))
        for at in having:
            found[at]["common"] = found[at].get("common", 0.0) + PARTS["common"] * idf


def _add_phrases(
    found: dict[int, dict[str, float]],
    pairs: list[tuple[str, str]],
    worth: Mapping[str, float],
    rows: Sequence[RankTokens],
) -> None:
    for left, right in pairs[: 2 * MOST_TERMS]:
        words_in_order = f" {left} {right} "
        bonus = PARTS["phrase"] * max(worth.get(left, 0.0), worth.get(right, 0.0))
        for at, parts in found.items():
            if words_in_order in rows[at].folded:
                parts["phrase"] = parts.get("phrase", 0.0) + bonus


def _scored(at: int, parts: Mapping[str, float], row: RankTokens) -> Ranked:
    divisor = 1 + 0.1 * log2(1 + row.length / 16)
    rounded = {part: round(parts[part] / divisor, 9) for part in PARTS if part in parts}
    return Ranked(at, round(sum(rounded.values()), 9), rounded)
