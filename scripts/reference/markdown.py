"""The little Markdown that the pages are made of."""

import inspect
import re
from collections.abc import Iterable, Sequence

NOTE = "<!-- Written by scripts/docs from the code; a change here is overwritten. -->"


def page(title: str, *parts: str) -> str:
    return "\n\n".join((f"# {title}", NOTE, *(part.strip() for part in parts if part.strip()))) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [
        heads,
        ["---"] * len(heads),
        *([cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows),
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def code(text: object) -> str:
    return f"`{text}`"


def docstring(of: object) -> str:
    """A docstring as Markdown: `Raises:` becomes a list."""
    text = inspect.getdoc(of) or ""
    body, raises, rest = text.partition("\nRaises:\n")
    if not raises:
        body, raises, rest = ("", "x", rest) if text.startswith("Raises:\n") else (text, "", "")
    told = [f"- `{name}`: {why}" for name, why in re.findall(r"^ +(\w+): (.+(?:\n {8,}.+)*)", rest, re.MULTILINE)]
    told = [re.sub(r"\s*\n\s+", " ", line) for line in told]
    return body.strip() + ("\n\nRaises:\n\n" + "\n".join(told) if told else "")


def first_line(of: object) -> str:
    return (inspect.getdoc(of) or "").split("\n\n")[0].replace("\n", " ")
