"""The stem of an English word: `hike` for `hikes`, `hiked` and `hiking`.

The English stemmer of Snowball (Porter, "The English (Porter2) stemming
algorithm"), held to Snowball's own on a list of words. Words of
other languages lose little to it: most of its endings are not theirs.
"""

import re
from functools import lru_cache
from typing import Final

_SPECIAL: Final = {
    "skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli",
    "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas",
    "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}  # fmt: skip
_AFTER_STEP_1A: Final = frozenset(
    ["inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed", "evening"]
)

_R1_PREFIX: Final = re.compile(r"gener|commun|arsen|past|univers|later|emerg|organ|inter")
_REGION: Final = re.compile(r"[aeiouy][^aeiouy]")
_VOWEL: Final = re.compile(r"[aeiouy]")
_CONSONANT_Y: Final = re.compile(r"(?:^|(?<=[aeiouy]))y")
_SHORT: Final = re.compile(r"(?:^[aeiouy][^aeiouy]|[^aeiouy][aeiouy][^aeiouywxY]|^past)$")
_DOUBLE: Final = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_LI: Final = frozenset("cdeghkmnrt")

_STEP_2: Final = (
    ("ization", "ize"), ("ational", "ate"), ("fulness", "ful"), ("ousness", "ous"), ("iveness", "ive"),
    ("tional", "tion"), ("biliti", "ble"), ("lessli", "less"), ("entli", "ent"), ("ation", "ate"),
    ("alism", "al"), ("aliti", "al"), ("ousli", "ous"), ("iviti", "ive"), ("fulli", "ful"), ("enci", "ence"),
    ("anci", "ance"), ("abli", "able"), ("izer", "ize"), ("ator", "ate"), ("alli", "al"), ("bli", "ble"),
    ("ogist", "og"), ("ogi", "og"), ("li", ""),
)  # fmt: skip
_STEP_3: Final = (
    ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("icate", "ic"), ("iciti", "ic"), ("ative", ""),
    ("ical", "ic"), ("ness", ""), ("ful", ""),
)  # fmt: skip
_STEP_4: Final = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion",
    "al", "er", "ic",
)  # fmt: skip


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; one that is not made of ASCII letters alone is its own."""
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    if word in _SPECIAL:
        return _SPECIAL[word]
    word = _CONSONANT_Y.sub("Y", word)
    r1, r2 = _regions(word)
    word = _step_1a(word)
    if word in _AFTER_STEP_1A:
        return word
    word = _step_1c(_step_1b(word, r1))
    word = _step_3(_step_2(word, r1), r1, r2)
    return _step_5(_step_4(word, r2), r1, r2).lower()


def _regions(word: str) -> tuple[int, int]:
    """Say where R1 and R2 begin: behind the first consonant after a vowel, and behind the next such."""
    start = _R1_PREFIX.match(word) or _REGION.search(word)
    r1 = start.end() if start else len(word)
    again = _REGION.search(word, r1)
    return r1, again.end() if again else len(word)


def _step_1a(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("us", "ss")) or not word.endswith("s"):
        return word
    return word[:-1] if _VOWEL.search(word[:-2]) else word


def _step_1b(word: str, r1: int) -> str:
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            at = len(word) - len(ending)
            return word[:at] + "ee" if at >= r1 else word
    for ending in ("ingly", "edly", "ing", "ed"):
        if word.endswith(ending):
            rest = word[: -len(ending)]
            if ending == "ing" and len(rest) == 2 and rest[1] == "y" and rest[0] not in "aeiouy":
                return rest[0] + "ie"  # dying, lying, tying
            return _mended(rest, r1) if _VOWEL.search(rest) else word
    return word


def _mended(rest: str, r1: int) -> str:
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest.endswith(_DOUBLE):
        return rest if len(rest) == 3 and rest[0] in "aeo" else rest[:-1]
    return rest + "e" if len(rest) <= r1 and _SHORT.search(rest) else rest


def _step_1c(word: str) -> str:
    return word[:-1] + "i" if len(word) > 2 and word[-1] in "yY" and word[-2] not in "aeiouy" else word


def _step_2(word: str, r1: int) -> str:
    for ending, instead in _STEP_2:
        if word.endswith(ending):
            at = len(word) - len(ending)
            if at < r1:
                return word
            if ending == "ogi" and word[at - 1 : at] != "l":
                return word
            if ending == "li" and word[at - 1] not in _LI:
                return word
            return word[:at] + instead
    return word


def _step_3(word: str, r1: int, r2: int) -> str:
    for ending, instead in _STEP_3:
        if word.endswith(ending):
            at = len(word) - len(ending)
            return word[:at] + instead if at >= (r2 if ending == "ative" else r1) else word
    return word


def _step_4(word: str, r2: int) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            at = len(word) - len(ending)
            return word if at < r2 or (ending == "ion" and word[at - 1] not in "st") else word[:at]
    return word


def _step_5(word: str, r1: int, r2: int) -> str:
    at = len(word) - 1
    if word.endswith("e") and (at >= r2 or (at >= r1 and not _SHORT.search(word[:at]))):
        return word[:at]
    return word[:at] if word.endswith("ll") and at >= r2 else word
