"""Which of the found passages go into a prompt."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from wellkept.model.passages import Passage
from wellkept.model.recall import PassageFound, RecallSettings
from wellkept.rules.budget import fit
from wellkept.rules.render import ShownPassage, render_passage

CHARS_OF_A_TOKEN: Final = 4
"""What a token is taken for: no tokenizer is asked. In scripts other than Latin a token is often shorter."""


class Preloaded(NamedTuple):
    """The passages that went in, as they are shown, and those for which there was no room."""

    shown: tuple[ShownPassage, ...] = ()
    found: tuple[Passage, ...] = ()
    left_out: tuple[Passage, ...] = ()


def preloaded(found: Sequence[PassageFound], settings: RecallSettings) -> Preloaded:
    """Choose, best first, what is at least as good as the threshold and fits the room, headings and marks included.

    A passage that does not fit is left out, and a shorter one behind it may
    still go in. Only the best one is cut rather than left out.
    """
    room = settings.tokens * CHARS_OF_A_TOKEN
    shown: list[ShownPassage] = []
    took: list[Passage] = []
    left_out: list[Passage] = []
    for passage in (one.passage for one in found[: settings.limit] if one.score >= settings.threshold):
        one = _shown(passage)
        if not took and not left_out:
            one = _cut_to(one, room) or one
        takes = _length(one)
        if takes > room:
            left_out.append(passage)
            continue
        room -= takes
        shown.append(one)
        took.append(passage)
    return Preloaded(tuple(shown), tuple(took), tuple(left_out))


def _shown(passage: Passage) -> ShownPassage:
    return ShownPassage(
        id=passage.id, text=passage.text, speaker=passage.speaker, at=passage.at, fact=passage.kind == "fact"
    )


def _length(shown: ShownPassage) -> int:
    return len(render_passage(shown)) + 2  # the blank line before it


def _cut_to(shown: ShownPassage, room: int) -> ShownPassage | None:
    """Give as much of a passage as fits the room; None: nothing does, or all of it."""
    if _length(shown) <= room:
        return None
    # Marks of lines and what must be spelled out take room as well: so it is tried, and not reckoned.
    most = bisect_right(range(1, len(shown.text)), room, key=lambda chars: _length(_cut(shown, chars)))
    cut = _cut(shown, most)
    return cut if cut.text and _length(cut) <= room else None


def _cut(shown: ShownPassage, chars: int) -> ShownPassage:
    part = fit(shown.text, chars=chars)
    return replace(shown, text=part.text if part else "", cut=True)
