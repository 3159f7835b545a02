"""What is different between two texts."""

import difflib
from typing import Final

CONTEXT: Final = 3
"""Lines around a change that are shown with it, unless more are asked for."""


def unified(before: str, after: str, *, names: tuple[str, str], context: int = CONTEXT) -> str:
    """Give a unified diff, `""` between equal texts; a last line without an end is marked, so that nothing is lost."""
    found = difflib.unified_diff(_lines(before), _lines(after), *names, n=context)
    return "".join(map(_ended, found))


def _lines(text: str) -> list[str]:
    """Part a text after each "\\n" and nowhere else, so that a diff loses nothing."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of text\n"
