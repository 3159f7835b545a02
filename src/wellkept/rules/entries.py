"""The entries of a block: its parts between lines that hold only `§`.

Entries are places in the text, not copies of it: an edit replaces one place
and leaves everything else as it was written, whoever wrote it and however
they spaced it.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from wellkept.model.edits import ENTRY_MARK

SEPARATOR: Final = f"\n{ENTRY_MARK}\n"
"""What we write between two entries."""

# `[^\S\n]` also takes the "\r" of a line that ends in "\r\n".
_MARK_LINE: Final = re.compile(rf"^[^\S\n]*{ENTRY_MARK}[^\S\n]*$", re.MULTILINE)


class Place(NamedTuple):
    """Where an entry stands in its block."""

    start: int
    end: int


def entries(text: str) -> list[str]:
    """Give the entries of a block, blank ones left out."""
    return [text[place.start : place.end] for place in places(text)]


def join(entries: Iterable[str]) -> str:
    """Make a block's text of its entries."""
    return SEPARATOR.join(entries)


def places(text: str) -> list[Place]:
    """Say where the entries of a block stand, blank ones left out."""
    found: list[Place] = []
    start = 0
    for mark in (*separators(text), Place(len(text), len(text))):
        if text[start : mark.start].strip():
            found.append(Place(start, mark.start))
        start = mark.end
    return found


def separators(text: str) -> list[Place]:
    """Say where the separators stand: a line of `§` with the line ends that it needs."""
    return [_with_line_ends(text, line) for line in _MARK_LINE.finditer(text)]


def _with_line_ends(text: str, line: re.Match[str]) -> Place:
    start, end = line.span()
    if start > 0:
        start -= 1
        # The "\r" before it is the line end's only where the mark's own line ends
        # that way; else it is the entry's, which may end in one.
        if line.group().endswith("\r") and start > 0 and text[start - 1] == "\r":
            start -= 1
    return Place(start, min(end + 1, len(text)))
