"""The memory part of a prompt: written here, and read back here.

    ## Working memory

    …the directive…

    ### USER (user)

    | - name: Sam

    ## Memories

    …

    ### mem_0123456789abcdef (2026-01-31)

    | Prefers heliotrope accents.

    ## Context from past conversations

    …

    ### psg_0123456789abcdef (2026-01-31)

    | Sam:
    | My dog is called Rex.

Same pieces, same bytes: nothing of the moment of rendering goes in. Headings
hold ids and dates alone, stored text stands in marked lines (see `escape`),
also who said a passage, and what is said about a piece stands in brackets between the two.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from wellkept.model.receipts import PieceKind
from wellkept.rules import escape
from wellkept.rules.directive import DATA_NOTE

BLOCKS_TITLE: Final = "## Working memory"
MEMORIES_TITLE: Final = "## Memories"
PASSAGES_TITLE: Final = "## Context from past conversations"

EMPTY: Final = "[empty: nothing is stored here yet]"
TEMPLATE: Final = "[empty: this is its template]"
CUT: Final = "[cut here: more is stored]"
NEWEST_FIRST: Final = "Saved earlier, newest first."
BEST_FIRST: Final = "Said in other conversations, best match first; each begins with who said it."
HEADING: Final = re.compile(
    r"### (?:(?P<key>[A-Za-z0-9_.-]+) \((?P<scope>user|agent|shared)\)"
    r"|(?P<memory>mem_\w+) \(.*\)|(?P<passage>psg_\w+) \(.*\))"
)


class ShownBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A block as it is shown: `id` is `scope/KEY`; `text` "" shows that it is empty."""

    scope: str
    key: str
    text: str
    template: bool = False
    cut: bool = False

    @property
    def id(self) -> str:
        """Name the piece, as receipts do."""
        return f"{self.scope}/{self.key}"


class ShownMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory as it is shown. `general`: it belongs to no user."""

    id: str
    text: str
    created_at: datetime
    general: bool = False
    cut: bool = False


class ShownPassage(msgspec.Struct, frozen=True, kw_only=True):
    """A passage as it is shown. `fact`: it was taken from what was said."""

    id: str
    text: str
    speaker: str
    at: datetime
    fact: bool = False
    cut: bool = False


class Parsed(msgspec.Struct, frozen=True, kw_only=True):
    """A stored text, read back from a rendered section."""

    kind: PieceKind
    id: str
    text: str
    template: bool = False
    cut: bool = False


def render(
    blocks: Sequence[ShownBlock],
    memories: Sequence[ShownMemory],
    passages: Sequence[ShownPassage] = (),
    *,
    directive: str,
) -> str:
    """Write the section; "" when there is nothing to show."""
    parts: list[str] = []
    if blocks:
        parts += [BLOCKS_TITLE, directive]
        for block in blocks:
            parts += [f"### {block.key} ({block.scope})", _body(block.text, template=block.template, cut=block.cut)]
    if memories:
        parts += [MEMORIES_TITLE, NEWEST_FIRST if blocks else f"{NEWEST_FIRST} {DATA_NOTE}"]
        for memory in memories:
            about = memory.created_at.date().isoformat() + (", general" if memory.general else "")
            parts += [f"### {memory.id} ({about})", _body(memory.text, template=False, cut=memory.cut)]
    if passages:
        parts += [PASSAGES_TITLE, BEST_FIRST if blocks or memories else f"{BEST_FIRST} {DATA_NOTE}"]
        parts += [render_passage(passage) for passage in passages]
    return "\n\n".join(parts)


def render_passage(passage: ShownPassage) -> str:
    """Write one passage: when it was said, by whom, and what."""
    about = passage.at.date().isoformat() + (", fact" if passage.fact else "")
    body = _body(f"{passage.speaker}:\n{passage.text}", template=False, cut=passage.cut)
    return f"### {passage.id} ({about})\n\n{body}"


def parse_rendered(text: str) -> list[Parsed]:
    """Give the texts of a rendered section, in order, exactly as they are stored; empty blocks have none."""
    found: list[Parsed] = []
    lines = text.split("\n")
    heading: re.Match[str] | None = None
    notes: list[str] = []
    at = 0
    while at < len(lines):
        end = escape.data_lines(lines, at)
        if end > at and heading is not None:
            cut = end < len(lines) and lines[end] == CUT
            found.append(_parsed(heading, escape.from_data(lines[at:end]), template=TEMPLATE in notes, cut=cut))
            at = end
            continue
        opened = HEADING.fullmatch(lines[at])
        heading, notes = (opened, []) if opened else (heading, [*notes, lines[at]])
        at += 1
    return found


def _body(text: str, *, template: bool, cut: bool) -> str:
    if not text:
        return EMPTY
    return "\n".join((*((TEMPLATE,) if template else ()), escape.as_data(text), *((CUT,) if cut else ())))


def _parsed(heading: re.Match[str], text: str, *, template: bool, cut: bool) -> Parsed:
    memory = heading["memory"]
    if memory is not None:
        return Parsed(kind="memory", id=memory, text=text, cut=cut)
    if heading["passage"] is not None:
        return Parsed(kind="passage", id=heading["passage"], text=text.partition("\n")[2], cut=cut)
    return Parsed(kind="block", id=f"{heading['scope']}/{heading['key']}", text=text, template=template, cut=cut)
