"""The words of a text for ranked search, in whatever script it is.

Text is cut where its letters stop or its script changes. Chinese, Japanese,
Korean, Thai, Lao, Khmer and Burmese are searched by substrings, so there a
run of letters is kept whole. What a word holds inside (`4092` in
`ERR4092B`, `user` and `name` in `userName`) or is part of (`app.py`,
`user@example.com`, `c++`) is kept beside it.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Final, Self

from wellkept.rules.lexical.folding import folded, plain

MARGIN: Final = "|"
"""Stands between the words of a text in their order and what was found inside and around them."""

_SUBSTRING_SCRIPTS: Final = (
    (0x0E00, 0x0EFF, "thai"),  # and Lao
    (0x1000, 0x109F, "thai"),  # Burmese
    (0x1780, 0x17FF, "thai"),  # Khmer
    (0x1100, 0x11FF, "hangul"),
    (0x3005, 0x3007, "han"),
    (0x3041, 0x309F, "hiragana"),
    (0x30A0, 0x30FF, "katakana"),
    (0x3130, 0x318F, "hangul"),
    (0x31F0, 0x31FF, "katakana"),
    (0x3400, 0x4DBF, "han"),
    (0x4E00, 0x9FFF, "han"),
    (0xAC00, 0xD7FF, "hangul"),
    (0xF900, 0xFAFF, "han"),
    (0x20000, 0x3FFFF, "han"),
)
_LONGEST_WHOLE: Final = 80
_CHUNK: Final = re.compile(r"[^\s,;()\[\]{}<>\"“”„«»。、，]+")
_ASCII_WORD: Final = re.compile(r"[a-z0-9]+")
_SIMPLE: Final = re.compile(r"[\w'’]+")
_AROUND: Final = re.compile(r"[/\\@:=?&]+")
_INSIDE: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_MIXED: Final = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z]*[a-z]+[A-Z0-9]|[A-Z]+[0-9]|[0-9]+[A-Za-z])[A-Za-z0-9]*")
_APOSTROPHES: Final = re.compile(r"(?<!\w)\w+(?:['’]\w+)+")
_SPLIT_NUMBER: Final = re.compile(r"(?<!\w)[0-9]+(?:[-. /][0-9]+)+")
_SHARP: Final = re.compile(r"[a-z]\+\+|[a-z]#")
_ARTICLE: Final = re.compile(r"(?:[وفبك]?ال|لل|[وفب])(?=\w{3})")
_HEBREW_PREFIX: Final = re.compile(r"[והבלמשכ](?=[א-ת]{3})")


@lru_cache(maxsize=8192)
def script(character: str) -> str:
    """Return how a character is searched: `word`, a script searched by substrings, or `""`."""
    code = ord(character)
    if code >= 0x0E00:
        for first, last, name in _SUBSTRING_SCRIPTS:
            if first <= code <= last:
                return name if unicodedata.category(character)[0] in "LMN" or code > 0x3000 else ""
    if character in "\u200c\u200d":
        return "word"
    category = unicodedata.category(character)
    return "word" if category[0] in "LMN" and category != "Me" else ""


def words(text: str) -> Iterator[tuple[str, str]]:
    """Yield the words of a plain text in order, each with how it is searched."""
    if text.isascii():
        for match in _ASCII_WORD.finditer(text):
            yield match[0], "word"
        return
    for how, run in groupby(text, script):
        word = "".join(run).strip("\u200c\u200d")
        if how and any(map(str.isalnum, word)):
            yield word, how


def around(text: str) -> Iterator[str]:
    """Yield the compound names of a plain text, and their segments: `a@b.c`, `b.c`."""
    for match in _CHUNK.finditer(text):
        whole = match[0].strip(".!?:'`*~|-_")
        if _SHARP.fullmatch(whole):
            yield whole
        if whole.isalnum() or len(whole) > _LONGEST_WHOLE:
            continue
        segments = [part.strip(".-_~|'") for part in _AROUND.split(whole)]
        for part in [whole, *segments] if len(segments) > 1 else segments:
            if part[:1].isalnum() and not _SIMPLE.fullmatch(part):
                yield part.replace(MARGIN, "")


def inside(text: str) -> Iterator[str]:
    """Yield what longer words hold, and what split ones make.

    Parts of `camelCase` and `ERR4092B`; `dont` for `don't`, `5550100` for `555-0100`.
    """
    for match in _MIXED.finditer(text):
        yield from (part.lower() for part in _INSIDE.findall(match[0]))
    for match in _SPLIT_NUMBER.finditer(text):
        yield "".join(filter(str.isdigit, match[0]))
    for match in _APOSTROPHES.finditer(text):
        yield plain(match[0].replace("'", "").replace("’", ""))


def bare(word: str) -> Iterator[str]:
    """Yield a folded word without the article or particle written onto its front."""
    for written_on in (_ARTICLE, _HEBREW_PREFIX):
        rest = written_on.sub("", word, count=1)
        if rest != word and written_on.match(word):
            yield rest


@dataclass(frozen=True, slots=True)
class RankTokens:
    """What ranked search knows of one text. Cheap to keep with a row, fast to read back.

    Words stand between single spaces, in their order; after the margin `|`,
    each once, what was found inside and around them.
    """

    exact: str
    folded: str

    def encode(self) -> str:
        """Spell the tokens for a column."""
        return self.exact if self.exact == self.folded else f"{self.exact}\n{self.folded}"

    @classmethod
    def decode(cls, spelling: str) -> Self:
        """Read what `encode` wrote."""
        exact, _, other = spelling.partition("\n")
        return cls(exact, other or exact)


def _spell(ordered: list[str], beside: list[str]) -> str:
    known = frozenset(ordered)
    extra = [word for word in dict.fromkeys(beside) if word and word not in known]
    return " ".join(["", *ordered, MARGIN, *extra, ""])


def rank_tokens(text: str) -> RankTokens:
    """Return what ranked search needs to know of a text."""
    lowered = plain(text)
    ordered = [word for word, _ in words(lowered)]
    beside = [*around(lowered), *inside(text)]
    exact = _spell(ordered, beside)
    if exact.isascii():
        return RankTokens(exact, exact)
    low = [folded(word) for word in ordered]
    more = [folded(word) for word in beside]
    more += [part for word in low for part in bare(word)]
    more += [part for word in ordered if "\u200c" in word for part in word.split("\u200c")]
    return RankTokens(exact, _spell(low, more))


def grams(run: str, size: int) -> list[str]:
    """Return the substrings of a run that are searched for: all of `size` letters."""
    if size == 2:
        return [left + right for left, right in pairwise(run)]
    return [run[at : at + size] for at in range(len(run) - size + 1)]
