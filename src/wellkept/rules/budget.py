"""How much text fits: words, characters, and where to cut."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

_WORD: Final = re.compile(r"\S+")
_ZERO_WIDTH_JOINER: Final = "\u200d"


class Fitted(NamedTuple):
    """A text, or as much of its beginning as fitted; and the words that it has."""

    text: str
    cut: bool
    words: int


def count_words(text: str) -> int:
    """Count the runs of non-space."""
    return len(text.split())


def fit(text: str, *, words: int | None = None, chars: int) -> Fitted | None:
    """Give `text`, or its beginning up to the end of a word; None when not even one word fits.

    A word that is longer than `chars` by itself is cut inside, but never
    between a letter and its marks.
    """
    count = count_words(text)
    end = len(text)
    if words is not None and count > words:
        end = _end_of_word(text, words)
    if end > chars:
        end = _last_end_of_word(text, chars) or _whole_letters(text, chars)
    cut = end < len(text)
    if cut:
        text = text[:end]
        count = count_words(text)
    return Fitted(text, cut, count) if count else None


def fit_all(texts: Iterable[str], *, words: int, chars: int) -> list[Fitted]:
    """Give as many texts as fit together, in order; the last one may be cut, and after it there is none."""
    fitted: list[Fitted] = []
    for text in texts:
        one = fit(text, words=words, chars=chars)
        if one is None:
            break
        fitted.append(one)
        if one.cut:
            break
        words -= one.words
        chars -= len(one.text)
    return fitted


def _end_of_word(text: str, number: int) -> int:
    """Say where word `number` (from 1) ends; 0 for none."""
    if number <= 0:
        return 0
    for count, word in enumerate(_WORD.finditer(text), start=1):
        if count == number:
            return word.end()
    return len(text)


def _last_end_of_word(text: str, most: int) -> int:
    """Say where the last whole word ends within the first `most` characters; 0 when none does."""
    if most <= 0:
        return 0
    within = most
    if not text[most : most + 1].isspace():
        # The word at the border goes on behind it.
        while within > 0 and not text[within - 1].isspace():
            within -= 1
    return len(text[:within].rstrip())


def _whole_letters(text: str, most: int) -> int:
    end = max(most, 0)
    while end > 0 and end < len(text) and _belongs_to_the_one_before(text, end):
        end -= 1
    return end


def _belongs_to_the_one_before(text: str, at: int) -> bool:
    joined = text[at - 1] == _ZERO_WIDTH_JOINER or text[at] == _ZERO_WIDTH_JOINER
    return joined or unicodedata.category(text[at])[0] == "M"
