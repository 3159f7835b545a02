"""What a user wants, read from what is said: the few sentences that the scripted model understands."""

import re
from typing import Final

import msgspec


class Tell(msgspec.Struct, frozen=True):
    """Here is a fact about me: my `label` is `value`."""

    label: str
    value: str


class Remember(msgspec.Struct, frozen=True):
    """Remember this."""

    text: str


class Forget(msgspec.Struct, frozen=True):
    """Forget what says this; or, with a `label`, that fact about me."""

    text: str
    label: str = ""


class AskAll(msgspec.Struct, frozen=True):
    """What do you know about me?"""


class Ask(msgspec.Struct, frozen=True):
    """What is my `label`?"""

    label: str


class Chat(msgspec.Struct, frozen=True):
    """Anything else. `words` are the distinctive ones of a question; none: it is no question."""

    words: tuple[str, ...] = ()


Wish = Tell | Remember | Forget | AskAll | Ask | Chat

LABELS: Final = ("name", "plan", "email", "company", "city", "language")
"""The facts about a user that have a name."""

_LABEL: Final = rf"(?P<label>{'|'.join(LABELS)})"
_TELLS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:call me|i am called|i'm called)\s+(?P<name>.+)",
        rf"\bmy {_LABEL} is\s+(?P<value>.+)",
        r"\bi(?:'m| am) on the\s+(?P<plan>.+?)\s+plan\b",
    )
)
_CLAUSES: Final = re.compile(
    r"[!?;\n]+|(?<!\b[A-Za-z])\.(?=\s|$)|,\s+|\s+and\s+(?=(?:call me|my|i am|i'm)\b)", re.IGNORECASE
)
_REMEMBER: Final = re.compile(
    r"(?:please\s+)?remember(?:\s+that\b|\s*:)?\s+(?P<text>.*[^?\s])", re.IGNORECASE | re.DOTALL
)
_FORGET: Final = re.compile(r"(?:please\s+)?forget(?:\s+that|\s+about)?\s+(?P<text>.*\S)", re.IGNORECASE | re.DOTALL)
_MINE: Final = re.compile(rf"my {_LABEL}", re.IGNORECASE)
_ASK_ALL: Final = re.compile(
    r"what (?:do|did|can) you (?:know|remember|recall)|do you (?:know|remember) me\b", re.IGNORECASE
)
_ASK: Final = re.compile(rf"(?:what|which|who|tell me|do you know|do you remember)\b.*\bmy {_LABEL}\b", re.IGNORECASE)
_ASK_NAME: Final = re.compile(r"\bwho am i\b", re.IGNORECASE)
_ASK_PLAN: Final = re.compile(r"(?:what|which) plan\b", re.IGNORECASE)
_DISTINCTIVE: Final = re.compile(r"\w{4,}")
_EVERYDAY: Final = frozenset(
    (
        *("about", "have", "what", "when", "where", "which", "with", "your", "this", "that", "they", "them"),
        *("there", "does", "could", "would", "should", "please", "tell", "know", "like"),
    )
)


def wishes(said: str) -> list[Wish]:
    """Give what `said` asks for; several only when it tells several facts."""
    text = said.strip()
    if found := _REMEMBER.fullmatch(text):
        return [Remember(_plain(found["text"]))]
    if found := _FORGET.fullmatch(text):
        what = _plain(found["text"])
        mine = _MINE.fullmatch(what)
        return [Forget(what, label=mine["label"].lower() if mine else "")]
    if _ASK_ALL.search(text):
        return [AskAll()]
    if found := _ASK.search(text):
        return [Ask(found["label"].lower())]
    if _ASK_NAME.search(text):
        return [Ask("name")]
    if _ASK_PLAN.match(text):
        return [Ask("plan")]
    told = [tell for clause in _CLAUSES.split(text) for tell in _tells(clause)]
    return [*told] or [Chat(words=_distinctive(text))]


def _tells(clause: str) -> list[Tell]:
    for pattern in _TELLS:
        found = pattern.search(clause)
        if found is None:
            continue
        groups = found.groupdict()
        if "label" in groups:
            return [Tell(found["label"].lower(), _plain(found["value"]))]
        label = "name" if "name" in groups else "plan"
        return [Tell(label, _plain(found[label]))]
    return []


def _plain(text: str) -> str:
    """Give a text without what ends the sentence; an initial keeps its dot."""
    text = text.strip()
    return text if re.search(r"\b[A-Za-z]\.$", text) else text.rstrip(".!").rstrip()


def _distinctive(text: str) -> tuple[str, ...]:
    if not text.endswith("?"):
        return ()
    return tuple(word for word in _DISTINCTIVE.findall(text.casefold()) if word not in _EVERYDAY)
