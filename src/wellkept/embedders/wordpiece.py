"""BERT's tokens of a text (uncased WordPiece), in plain Python."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

_ASCII: Final = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_LONGEST: Final = 100
_REMEMBERED: Final = 65_536

_SIGNS: Final = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """Tells texts apart into the tokens of a vocabulary. Words that were seen are remembered."""

    def __init__(self, vocabulary: Mapping[str, int], *, unknown: int) -> None:
        self._numbers = vocabulary
        self._unknown = unknown
        self._known: dict[str, tuple[int, ...]] = {}

    def tokens(self, text: str) -> list[int]:
        """Return the numbers of a text's tokens, without any that mark its ends."""
        found: list[int] = []
        known = self._known
        for word in _words(text):
            told = known.get(word)
            if told is None:
                told = self._pieces(word)
                if len(known) >= _REMEMBERED:
                    known.clear()
                known[word] = told
            found += told
        return found

    def _pieces(self, word: str) -> tuple[int, ...]:
        """Take the longest beginning that is a token, again and again."""
        pieces: list[int] = []
        start = 0 if len(word) <= _LONGEST else len(word) + 1
        while start < len(word):
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._numbers.get(mark + word[start:end])
                if number is not None:
                    pieces.append(number)
                    start = end
                    break
            else:
                start = len(word) + 1
        return tuple(pieces) if start == len(word) else (self._unknown,)


def _words(text: str) -> list[str]:
    if text.isascii():
        return _ASCII.findall(text.lower())
    plain = unicodedata.normalize("NFD", text.lower())
    spaced = "".join(map(_spaced, plain))
    return spaced.split()


def _spaced(character: str) -> str:
    """Drop accents and control characters; set punctuation and Chinese signs apart."""
    category = unicodedata.category(character)
    if category == "Mn":
        return ""
    if category[0] == "C":
        return " " if character in "\t\n\r" else ""
    if category[0] == "P" or (character.isascii() and not character.isalnum()) or _sign(ord(character)):
        return f" {character} "
    return character


def _sign(code: int) -> bool:
    return code >= 0x3400 and any(first <= code <= last for first, last in _SIGNS)
