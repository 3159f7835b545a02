"""The terms of a text: what its words are looked up by, in whatever script it is.

An English word becomes its stem, any other alphabetic word loses case and
accents. A run of a script without spaces becomes all substrings of two letters
(Thai, Lao, Khmer and Burmese: three). A word too common to be evidence is kept
with a `-` in front: it is looked for when a query has nothing else.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from wellkept.rules.lexical.common_words import COMMON, COMMON_PIECES, COMMON_SIGNS
from wellkept.rules.lexical.folding import folded, plain
from wellkept.rules.lexical.terms import around, bare, grams, inside, words
from wellkept.rules.recall.stemming import stem

COMMON_MARK: Final = "-"

_GRAM: Final = {"han": 2, "katakana": 2, "hiragana": 2, "hangul": 2, "thai": 3}


@lru_cache(maxsize=32_768)
def term_of(word: str) -> str:
    """Return the term of one plain word of an alphabetic script."""
    low = folded(word)
    return COMMON_MARK + low if word in COMMON or low in COMMON else stem(low)


def terms_in_order(lowered: str) -> Iterator[str]:
    """Yield the terms of a plain text, one for each word or piece of a run."""
    for word, how in words(lowered):
        if how == "word":
            yield term_of(word)
        else:
            yield from _pieces(word, _GRAM[how])


def terms_beside(text: str, lowered: str) -> Iterator[str]:
    """Yield what else a text is found by.

    Compound names and what words hold inside; words without a written-on
    article; the single signs of Chinese and Japanese.
    """
    yield from map(folded, around(lowered))
    yield from map(term_of, inside(text))
    if lowered.isascii():
        return
    for word, how in words(lowered):
        if how == "han":
            yield from word if len(word) > 1 else ()
        elif how == "word":
            yield from bare(folded(word))
            yield from map(term_of, word.split("\u200c") if "\u200c" in word else ())


def analysed_terms(text: str) -> tuple[list[str], list[str]]:
    """Return the terms of a text in order, and those beside them, each once."""
    lowered = plain(text)
    ordered = list(terms_in_order(lowered))
    known = frozenset(ordered)
    beside = dict.fromkeys(term for term in terms_beside(text, lowered) if term and term not in known)
    return ordered, [term for term in beside if not term.startswith(COMMON_MARK)]


def _pieces(run: str, size: int) -> Iterator[str]:
    for piece in grams(run, size) if len(run) > size else [run]:
        common = piece in COMMON or piece in COMMON_PIECES or not COMMON_SIGNS.isdisjoint(piece)
        yield COMMON_MARK + piece if common else folded(piece)
