"""The first screen: does a text instruct the model instead of telling it something?

Memory is data that was written by users and models, and it is read again in
every turn. What is looked for are the plain forms of an attack: orders to drop
earlier instructions, a new identity without limits, marks with which prompts
part their roles. A text is read as a model would read it, not as it is
spelled: invisible characters, look-alike letters, emphasis and the marks
between entries are taken away first.

It aims for few false alarms. What is certain is rejected, the rest is held
for a person to decide.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from wellkept.model.review import Screened, Verdict
from wellkept.rules.screen_patterns import PATTERNS, Reading

# Latin letters as others draw them; enough to read an English word in disguise.
_LOOK_ALIKES: Final = str.maketrans(
    "асеёорхукмтнвѕіїјԁһԛԝӏгпɡıαβεικνορτυχηѵⅼօոսց",
    "aceeopxykmthbsiijdhqwlrngiabeikvoptuxnvlonug",
)
_SPACED_LETTERS: Final = re.compile(r"(?<!\w)(?:\w[ .\-_]){2,}\w(?!\w)")
_EMPHASIS: Final = re.compile(r"[*_~`]+")
_LIST_MARK: Final = re.compile(r"^[ \t]*(?:[-+•>#|§]+|\d+[.)])[ \t]+", re.MULTILINE)
_BETWEEN_WORDS: Final = re.compile(r"[\s|§\"“”„«»]+|(?<=\w)[.](?=[^\W\d])")
_TAGS: Final = {0xE0000 + code: code for code in range(0x20, 0x7F)}  # invisible copies of ASCII, which models read


def look(text: str) -> Screened:
    """Give the verdict on `text`, with the names of the patterns that were met."""
    visible = _without_invisible(unicodedata.normalize("NFKC", _without_invisible(text.translate(_TAGS))))
    readings: dict[Reading, str] = {"shape": visible.lower(), "words": _words(visible), "plain": _plain(visible)}
    met = [pattern for pattern in PATTERNS if pattern.expression.search(readings[pattern.reading])]
    if not met:
        return Screened(verdict="accept")
    verdict: Verdict = "reject" if any(pattern.certain for pattern in met) else "hold"
    return Screened(verdict=verdict, findings=tuple(dict.fromkeys(pattern.name for pattern in met)))


def _without_invisible(text: str) -> str:
    """Drop what is drawn as nothing: zero-width and format characters, variation selectors, tags."""
    return _without(text, lambda char: unicodedata.category(char) == "Cf" or _selects_variation(char))


def _without(text: str, dropped: Callable[[str], bool]) -> str:
    """Drop characters; each is asked about once, however often it stands in the text."""
    if text.isascii():
        return text
    return text.translate(dict.fromkeys(ord(char) for char in set(text) if dropped(char)))


def _selects_variation(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _words(text: str) -> str:
    """Give the words, in lower case, with one space between: what a reader reads across marks and line ends."""
    bare = _EMPHASIS.sub("", _LIST_MARK.sub(" ", text))
    return _BETWEEN_WORDS.sub(" ", bare.casefold()).strip()


def _plain(text: str) -> str:
    """Give the words in plain Latin letters: without accents, look-alikes and spaces between single letters."""
    letters = _without(unicodedata.normalize("NFD", text), lambda char: unicodedata.category(char) == "Mn")
    joined = _SPACED_LETTERS.sub(lambda run: re.sub(r"[ .\-_]", "", run.group()), letters)
    return _words(joined).translate(_LOOK_ALIKES)
