"""What `websearch_to_tsquery('simple', query)` asks of a vector.

The grammar, from `tsquery.c`: words are joined by AND; `or` between two
operands is OR, which binds looser; `-` before an operand negates it; text in
double quotes is one operand, and a quote that is never closed reaches to the
end. `! & | ( ) <` separate and mean nothing else. An operand of several
lexemes is a phrase: they follow each other. An operand without any lexeme is
left out, and the operator that held it.
"""

from dataclasses import dataclass
from typing import Final

from wellkept.rules.lexical.classes import LETTER, SPACE, kinds
from wellkept.rules.lexical.vector import TsVector, lexemes, quoted

_SEPARATORS: Final = frozenset(b"!&|()<")
_SPACES: Final = frozenset([*b" \t\n\v\f\r", SPACE])
_WORD_ENDS: Final = _SEPARATORS | _SPACES | frozenset(b'":')
_DIGITS: Final = frozenset(b"0123456789")
_LETTERS: Final = frozenset([*b"abcdefghijklmnopqrstuvwxyz", *b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", LETTER])
_GOES_ON: Final = frozenset(b"-_") | _LETTERS | _DIGITS


@dataclass(frozen=True, slots=True)
class Operand:
    """A phrase, and how many minus signs stand before it."""

    phrase: tuple[str, ...]
    signs: int

    @property
    def negated(self) -> bool:
        """Whether the phrase must be absent."""
        return self.signs % 2 == 1

    def matches(self, vector: TsVector) -> bool:
        """Say whether the vector holds the phrase, or lacks it if that is asked."""
        found = self.phrase[0] in vector.spelt
        if found and len(self.phrase) > 1:
            found = self._follows(vector)
        return found != self.negated

    def _follows(self, vector: TsVector) -> bool:
        ends = frozenset(vector.positions(self.phrase[0]))
        for lexeme in self.phrase[1:]:
            ends = frozenset(at for at in vector.positions(lexeme) if at - 1 in ends)
            if not ends:
                return False
        return True

    def __str__(self) -> str:
        spelt = " <-> ".join(map(quoted, self.phrase))
        return "!" * self.signs + (f"( {spelt} )" if self.signs and len(self.phrase) > 1 else spelt)


@dataclass(frozen=True, slots=True)
class WebQuery:
    """A query of mode `web`: alternatives, each a list of operands that must all hold.

    `str()` is PostgreSQL's spelling of the same tsquery.
    """

    alternatives: tuple[tuple[Operand, ...], ...]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for; such a query matches nothing."""
        return not self.alternatives

    @property
    def only_negations(self) -> bool:
        """Whether the query names only what must be absent."""
        return not self.empty and all(operand.negated for operands in self.alternatives for operand in operands)

    def matches(self, vector: TsVector) -> bool:
        """Say whether `vector @@ query`."""
        return any(all(operand.matches(vector) for operand in operands) for operands in self.alternatives)

    def __str__(self) -> str:
        return " | ".join(" & ".join(map(str, operands)) for operands in self.alternatives)


def _is_or(query: str, kind_of: bytes, at: int, last: int) -> bool:
    """Say whether an OR stands here: the word, then later something to look for."""
    return query[at : at + 2].lower() == "or" and at + 3 <= last and kind_of[at + 2] not in _GOES_ON


def _word_end(kind_of: bytes, at: int) -> int:
    # The first character belongs to the word whatever it is.
    at += 1
    while at < len(kind_of) and kind_of[at] not in _WORD_ENDS:
        at += 1
    return at


def web_query(query: str) -> WebQuery:
    """Read a query as PostgreSQL's `websearch_to_tsquery('simple', query)` does.

    Any string is a query: where PostgreSQL refuses (more than 31 pending
    signs, a query over 1 MB), this one goes on by the same rules.
    """
    kind_of = kinds(query)
    alternatives: list[list[Operand]] = [[]]
    signs, between, at = 0, False, 0
    last = max((i for i, kind in enumerate(kind_of) if kind not in _SPACES), default=-1)
    while at < len(query):
        kind = kind_of[at]
        if kind in _SPACES or kind in _SEPARATORS:
            at += 1
        elif between:
            between = False
            if _is_or(query, kind_of, at, last):
                alternatives.append([])
                at += 2
        elif kind == ord("-"):
            signs += 1
            at += 1
        else:
            if kind == ord('"'):
                close = query.find('"', at + 1)
                start, end = at + 1, close if close >= 0 else len(query)
                at = end + 1
            else:
                start, at = at, _word_end(kind_of, at)
                end = at
            phrase = tuple(lexemes(query[start:end]))
            if phrase:
                alternatives[-1].append(Operand(phrase, signs))
            signs, between = 0, True
    return WebQuery(tuple(tuple(operands) for operands in alternatives if operands))
