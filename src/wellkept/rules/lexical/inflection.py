"""Light inflection: `runs` and `running` for `run`, `allergy` for `allergic`.

No dictionary, and deliberately timid: evidence from here ranks below the word
itself, and two words that merely begin alike are not related.
"""

from functools import lru_cache
from typing import Final

_SPELT_ENDINGS: Final = """
a e i o u y s es as os is us en er em n d t te r ed ing ings ers ly al als ic ics ion ions
ies ied ier able ment ments ar ir ais ait ons ez ent ando iendo ado ido aba
"""
_ENDINGS: Final = frozenset(["", *_SPELT_ENDINGS.split()])
"""What may differ at the end of two Latin words that share a stem."""

SHORTEST_STEM: Final = 4


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return an English stem: plural, `-ed` and `-ing` gone, a final `e` too, `y` as `i`."""
    if len(word) < SHORTEST_STEM or not word.isascii() or not word.isalpha():
        return word
    if word.endswith(("ies", "sses", "xes", "ches", "shes", "zes")) and len(word) > SHORTEST_STEM:
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and any(vowel in rest for vowel in "aeiouy"):
            word = rest
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    if word.endswith("y") and len(word) > 3:
        word = word[:-1] + "i"
    return word


def related(left: str, right: str) -> bool:
    """Say whether two folded words look like forms of one word.

    Latin words share all but a known ending; words of other alphabets share
    their first four letters or more, and differ in three at most.
    """
    shared = next(
        (at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other),
        min(len(left), len(right)),
    )
    if shared < SHORTEST_STEM:
        return stem(left) == stem(right)
    if not (left.isascii() or right.isascii()):
        longest = max(len(left), len(right)) - shared
        return longest <= 3 and shared >= longest * 2
    cuts = range(max(shared - 1, SHORTEST_STEM), shared + 1)
    endings = any(_ENDINGS.issuperset((left[cut:], right[cut:])) for cut in cuts)
    return endings or stem(left) == stem(right)
