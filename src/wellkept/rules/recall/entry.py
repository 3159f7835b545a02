"""What searching keeps of a passage: its terms; and what an embedder is told of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Self

import msgspec

from wellkept.rules.recall.analysis import analysed_terms

_VERSION: Final = b"\x01"
"""Another analysis, another number: entries of before are then made anew from the texts."""

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


class Entry(msgspec.Struct, frozen=True):
    """The terms of a text: `ordered` one for each word, `beside` each once."""

    ordered: Sequence[str]
    beside: Sequence[str]

    def encode(self) -> bytes:
        """Spell the entry for a column."""
        return _VERSION + f"{' '.join(self.ordered)}\n{' '.join(self.beside)}".encode()

    @classmethod
    def decode(cls, spelling: bytes) -> Self | None:
        """Read what `encode` wrote; None: another version did."""
        if spelling[:1] != _VERSION:
            return None
        ordered, _, beside = spelling[1:].decode().partition("\n")
        return cls(ordered.split(" ") if ordered else (), beside.split(" ") if beside else ())


def analysed(text: str) -> Entry:
    """Analyse a text."""
    return Entry(*analysed_terms(text))


def day_of(at: datetime) -> str:
    """Spell a day as people say it: `8 May 2023`."""
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def spoken(speaker: str, at: datetime, text: str) -> str:
    """Return what an embedder is given for a passage: when it was said, by whom, and what."""
    return f"({day_of(at)}) {speaker}: {text}"
