"""What `to_tsvector('simple', text)` keeps of a text: its lexemes and where they stand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Self

from wellkept.rules.lexical.classes import lower
from wellkept.rules.lexical.parser import tokens

LONGEST_LEXEME: Final = 2046
"""UTF-8 bytes; a longer word is left out, and takes no position."""

LAST_POSITION: Final = 16_383
"""Where every later word is said to stand."""

MOST_POSITIONS: Final = 255
"""Positions kept for one lexeme."""

_NOT_INDEXED: Final = frozenset({"blank", "tag", "protocol", "entity"})


def lexemes(text: str) -> Iterator[str]:
    """Yield the lower-cased words of a text in order, as the `simple` configuration does."""
    for token in tokens(text):
        if token.type in _NOT_INDEXED:
            continue
        word = text[token.start : token.end]
        if len(word) * 4 > LONGEST_LEXEME and len(word.encode()) > LONGEST_LEXEME:
            continue
        yield lower(word)


@dataclass(frozen=True, slots=True)
class TsVector:
    """The lexemes of one text with their positions; equal texts, equal vectors.

    `str()` is PostgreSQL's own spelling. `encode()` is a shorter one to keep in
    a column: lexeme and positions take turns between single spaces, which no
    lexeme holds. It is frozen: vectors stored by one release are read by the
    next.
    """

    spelt: Mapping[str, str]
    """For each lexeme, in order, its positions: `"3,10"`."""

    def __contains__(self, lexeme: str) -> bool:
        return lexeme in self.spelt

    def __iter__(self) -> Iterator[str]:
        return iter(self.spelt)

    def __len__(self) -> int:
        return len(self.spelt)

    def __hash__(self) -> int:
        return hash(self.encode())

    def positions(self, lexeme: str) -> tuple[int, ...]:
        """Return where the lexeme stands, counted from 1, ascending; nowhere is `()`."""
        spelt = self.spelt.get(lexeme)
        return tuple(map(int, spelt.split(","))) if spelt else ()

    def encode(self) -> str:
        """Spell the vector for a column."""
        return " ".join(f"{lexeme} {at}" for lexeme, at in self.spelt.items())

    @classmethod
    def decode(cls, spelling: str) -> Self:
        """Read what `encode` wrote."""
        parts = spelling.split(" ") if spelling else []
        return cls(dict(zip(parts[::2], parts[1::2], strict=True)))

    def __str__(self) -> str:
        return " ".join(f"{quoted(lexeme)}:{at}" for lexeme, at in self.spelt.items())


def quoted(lexeme: str) -> str:
    """Quote a lexeme as PostgreSQL prints it."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


def to_tsvector(text: str) -> TsVector:
    """Return PostgreSQL's `to_tsvector('simple', text)`, for any text.

    Where PostgreSQL refuses (a vector over 1 MB), this one answers.
    """
    found: dict[str, list[int]] = {}
    for count, lexeme in enumerate(lexemes(text), start=1):
        at = min(count, LAST_POSITION)
        positions = found.setdefault(lexeme, [])
        if len(positions) < MOST_POSITIONS and (not positions or positions[-1] != at):
            positions.append(at)
    return TsVector({word: ",".join(map(str, found[word])) for word in sorted(found)})
