"""What an edit makes of a block's text."""

from collections.abc import Sequence
from typing import Final

from wellkept.model.edits import Add, Remove, Replace, Write
from wellkept.model.errors import EntryAmbiguous, EntryNotFound, InvalidInput, OverLimit
from wellkept.rules.entries import SEPARATOR, Place, entries, places, separators

MAX_CANDIDATES: Final = 20
"""Entries that an error lists, so that the caller can name one of them."""


def apply(edit: Add | Replace | Remove | Write, text: str, *, limit: int, template: str = "") -> str:
    """Give the text that `edit` makes of `text`; everything that it does not name stays as it is, to the byte.

    Raises:
        EntryNotFound: No entry contains `match`.
        EntryAmbiguous: Several do, and not exactly one of them is equal to it.
        OverLimit: The result has more code points than `limit`, and is not shorter than `text`.
        InvalidInput: The empty template would replace what was noted down.
    """
    result = _apply(edit, text, template)
    if len(result) > limit and len(result) >= len(text) and result != text:
        raise OverLimit(limit=limit, used=len(result))
    return result


def is_empty(text: str) -> bool:
    """Say whether a block shows its template: nothing but white space is stored."""
    return not text.strip()


def _apply(edit: Add | Replace | Remove | Write, text: str, template: str) -> str:
    match edit:
        case Add(content):
            return _add(content, template if is_empty(text) else text)
        case Replace(content, match):
            return _replace(content, match, text, template)
        case Remove(match):
            return _remove(text, _the_one(text, match))
        case Write(whole):
            return whole


def _add(content: str, text: str) -> str:
    if is_empty(text):
        return content
    if content in entries(text):
        return text  # said again, it is known already
    marks = separators(text)
    if marks and is_empty(text[marks[-1].end :]):
        # Someone left a separator at the end: the new entry goes there.
        return text + content if text.endswith("\n") else f"{text}\n{content}"
    return text + SEPARATOR + content


def _replace(content: str, match: str | None, text: str, template: str) -> str:
    if match is not None:
        # What is shown can be matched: a template too.
        shown = template if is_empty(text) else text
        place = _the_one(shown, match)
        return shown[: place.start] + content + shown[place.end :]
    if not is_empty(template) and content.strip() == template.strip() and not is_empty(text) and content != text:
        raise InvalidInput(param="content", problem="is the empty template; remove entries one by one instead")
    return content


def _the_one(text: str, match: str) -> Place:
    """Find the entry that `match` names: the only one that contains it, or the only one that is equal to it."""
    everywhere = places(text)
    fitting = [place for place in everywhere if match in text[place.start : place.end]]
    exact = [place for place in fitting if text[place.start : place.end] == match]
    if not fitting:
        raise EntryNotFound(candidates=_shown(text, everywhere), entries=len(everywhere))
    if len(fitting) > 1 and len(exact) != 1:
        raise EntryAmbiguous(candidates=_shown(text, fitting), fitting=len(fitting))
    return fitting[0] if len(fitting) == 1 else exact[0]


def _shown(text: str, found: Sequence[Place]) -> list[str]:
    return [text[place.start : place.end] for place in found[:MAX_CANDIDATES]]


def _remove(text: str, place: Place) -> str:
    """Cut an entry out with one separator beside it: the one after it, else the one before."""
    after = next((mark for mark in separators(text) if mark.start >= place.end), None)
    if after is not None:
        rest = text[: place.start] + text[after.end :]
    else:
        before = [mark for mark in separators(text) if mark.end <= place.start]
        rest = text[: before[-1].start] if before else ""
    return rest if places(rest) else ""
