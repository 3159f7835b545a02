"""Cutting a message into pieces of about 80 words, where its paragraphs, lines and sentences end."""

import re
from collections.abc import Iterator
from typing import Final

PIECE_WORDS: Final = 80
"""Words that a piece has at most, unless it ends what would be too short a piece."""

_SHORTEST: Final = 20
"""A last piece of fewer words joins the one before it."""

_LONGEST_WORD: Final = 24
"""Characters that count as one word: a script without spaces, or a run without any, is cut too."""

_ENDS: Final = re.compile(r"\n\s*\n|\n|[.!?…]+[\"'”’)\]]*\s+|[。！？｡]+|[؟۔।॥]+\s*")
_WORD: Final = re.compile(r"\S+\s*")
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def pieces_of(text: str) -> list[str]:
    """Cut a text; joined, the pieces are the text, whatever it holds."""
    if len(text) <= PIECE_WORDS:
        return [text]
    pieces: list[str] = []
    held: list[str] = []
    weight = 0
    for part, words in _parts(text):
        if held and weight + words > PIECE_WORDS:
            pieces.append("".join(held))
            held, weight = [], 0
        held.append(part)
        weight += words
    last = "".join(held)
    if pieces and weight < _SHORTEST:
        pieces[-1] += last
    else:
        pieces.append(last)
    return pieces


def _parts(text: str) -> Iterator[tuple[str, int]]:
    """Yield sentences with their words; one that is too long for a piece comes in parts."""
    start = 0
    for end in [*(match.end() for match in _ENDS.finditer(text)), len(text)]:
        if end > start:
            sentence = text[start:end]
            words = weight_of(sentence)
            yield from [(sentence, words)] if words <= PIECE_WORDS else _by_words(sentence)
        start = end


def _by_words(sentence: str) -> Iterator[tuple[str, int]]:
    start = 0
    for end in [*(match.start() for match in _WORD.finditer(sentence)), len(sentence)]:
        for at in range(start, end, _LONGEST_WORD * 4):
            part = sentence[at : min(at + _LONGEST_WORD * 4, end)]
            yield part, weight_of(part)
        start = end


def weight_of(text: str) -> int:
    """Count words; long runs and scripts without spaces weigh what their letters would in words."""
    spaced = len(text.split())
    if text.isascii():
        return max(spaced, len(text) // _LONGEST_WORD)
    return max(spaced, len(text) // _LONGEST_WORD) + len(_UNSPACED.findall(text)) // 2
