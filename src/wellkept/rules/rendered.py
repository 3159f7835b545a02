"""What was rendered from memory, told from what was said.

A caller may hand over as a message what it sent to the model: the rendered
section and the user's words in one. Kept as if it had been said, memory would
feed on itself.
"""

from collections.abc import Sequence
from typing import Final

from wellkept.rules import escape, render
from wellkept.rules.directive import DATA_NOTE

_TITLES: Final = frozenset({render.BLOCKS_TITLE, render.MEMORIES_TITLE, render.PASSAGES_TITLE})
_UNDER_TITLES: Final = (DATA_NOTE, "- ", render.NEWEST_FIRST, render.BEST_FIRST)


def without_rendered(text: str) -> str:
    """Give what of a text was said: without the sections that `render` wrote, and the blank lines around them.

    A text without any is given back exactly. A section begins with its title:
    headings and marked lines without one are somebody's own.
    """
    if not any(title in text for title in _TITLES):
        return text
    lines = text.split("\n")
    kept: list[str] = []
    at = 0
    while at < len(lines):
        end = _end_of_section(lines, at)
        if end == at:
            kept.append(lines[at])
            at += 1
            continue
        while kept and not kept[-1]:
            kept.pop()
        at = _over_blank(lines, end)
        if kept and at < len(lines):
            kept.append("")
    return text if len(kept) == len(lines) else "\n".join(kept)


def _end_of_section(lines: Sequence[str], start: int) -> int:
    """Say where the section whose title stands at `start` ends; `start` itself when none begins there."""
    if lines[start] not in _TITLES:
        return start
    at = start + 1
    while at < len(lines) and (not lines[at] or lines[at].startswith(_UNDER_TITLES)):
        at += 1
    end = start
    while (after := _end_of_piece(lines, at)) > at:
        end, at = after, _over_blank(lines, after)
    return end


def _end_of_piece(lines: Sequence[str], start: int) -> int:
    """Say where the piece whose heading stands at `start` ends: a heading, a blank line, and a body as `render` has."""
    if start >= len(lines) or not render.HEADING.fullmatch(lines[start]):
        return start
    at = _over_blank(lines, start + 1)
    if at < len(lines) and lines[at] == render.EMPTY:
        return at + 1
    if at < len(lines) and lines[at] == render.TEMPLATE:
        at += 1
    end = escape.data_lines(lines, at)
    if end == at:
        return start
    return end + 1 if end < len(lines) and lines[end] == render.CUT else end


def _over_blank(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at]:
        at += 1
    return at
