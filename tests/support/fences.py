"""The fenced blocks of a Markdown page, in order, and its links."""

import re
from dataclasses import dataclass
from pathlib import Path

from sources import ROOT

_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)|!\[[^\]]*\]\((?P<image>[^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(?P<text>.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Fence:
    """A block: its language, its text, and where it stands, as an editor can open it."""

    language: str
    text: str
    place: str


def pages() -> list[Path]:
    """Every page for readers: the README, and what lies in docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def fences(page: Path) -> list[Fence]:
    text = page.read_text(encoding="utf-8")
    found = [
        Fence(match["language"], match["text"], f"{name(page)}:{text.count(chr(10), 0, match.start()) + 1}")
        for match in _FENCE.finditer(text)
    ]
    assert text.count("\n```") + text.startswith("```") == 2 * len(found), f"{name(page)}: a fence is not closed"
    return found


def prose(page: Path) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    return [match["target"] or match["image"] for match in _LINK.finditer(prose(page))]


def anchors(page: Path) -> set[str]:
    """The fragments that the page's headings can be reached by."""
    texts = [re.sub(r"[^\w\- ]", "", match["text"].lower()) for match in _HEADING.finditer(prose(page))]
    return {text.replace(" ", "-") for text in texts}
