"""One spelling for many: what a search should not be made to type.

`plain` undoes what no reader sees (Unicode's compatibility forms, case).
`folded` goes further and drops accents, vowel points and the like; what matches
only there ranks lower. Marks that make another syllable (Devanagari, Thai) stay.
"""

import unicodedata
from functools import lru_cache
from typing import Final

_DROPPED: Final = (
    (0x0300, 0x036F),  # Latin, Greek and Cyrillic accents
    (0x0483, 0x0487),
    (0x0591, 0x05C7),  # Hebrew points
    (0x0610, 0x061A),  # Arabic vowel signs
    (0x0640, 0x0640),  # tatweel
    (0x064B, 0x065F),
    (0x0670, 0x0670),
    (0x06D6, 0x06ED),
    (0x093C, 0x093C),  # nukta
    (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF),
    (0x200C, 0x200D),  # the joiners of Persian and of Indic scripts
    (0xFE00, 0xFE0F),
    (0xFE20, 0xFE2F),
)
_ZEROS: Final = "\u0660\u06f0\u0966\u09e6\u0a66\u0ae6\u0be6\u0c66\u0ce6\u0d66\u0e50"
_LETTERS: Final = {
    "ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ħ": "h",
    "ى": "ي", "ة": "ه", "ی": "ي", "ک": "ك", "ٱ": "ا", "ې": "ي", "ھ": "ه", "ہ": "ه", "ँ": "ं",
}  # fmt: skip
_FOLDS: Final[dict[int, str | None]] = {
    **{code: None for first, last in _DROPPED for code in range(first, last + 1)},
    **{ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)},
    **{ord(letter): instead for letter, instead in _LETTERS.items()},
}


def plain(text: str) -> str:
    """Return the text in compatibility form (NFKC) and lower case.

    A sigma is the same wherever it stands, and a dotted capital I is an i.
    """
    if text.isascii():
        return text.lower()
    lowered = unicodedata.normalize("NFKC", text).lower()
    return unicodedata.normalize("NFKC", lowered.replace("i\u0307", "i").replace("ς", "σ"))


@lru_cache(maxsize=4096)
def folded(word: str) -> str:
    """Return a plain word without accents, points, joiners and the like."""
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFKD", word.casefold()).translate(_FOLDS)
    return unicodedata.normalize("NFC", parts)
