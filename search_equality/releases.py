"""Which characters a release of PostgreSQL reads differently from mode `web`, which reads them as release 15 does."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

import msgspec
import psycopg

from wellkept.rules.lexical import to_tsvector, web_query

CHARACTERS_AT_ONCE: Final = 3_000


class Probe(msgspec.Struct, frozen=True):
    """What is written around a character, so that it is seen whether a word ends there; and up to which character."""

    function: str
    around: str
    last: int

    def texts(self) -> dict[str, str]:
        """Give each text with its character."""
        codes = [code for code in range(1, self.last + 1) if not 0xD800 <= code < 0xE000]
        return {self.around.format(chr(code)): chr(code) for code in codes}


IN_TEXTS: Final = Probe("to_tsvector", "a{}b", 0x2FFFF)
"""What is beyond is no letter."""
IN_QUERIES: Final = Probe("websearch_to_tsquery", "a{}or b", 0xFFFF)
"""What is beyond is no white space; words are read as in texts."""


class Differs(msgspec.Struct, frozen=True):
    """Characters that a server reads in another way."""

    in_texts: frozenset[str] = frozenset()
    in_queries: frozenset[str] = frozenset()
    """Of these, those too that it reads alike in texts."""

    def in_pair(self, text: str, query: str) -> bool:
        """Say whether one of them is in a text or in a query that is asked of it."""
        return not self.in_texts.isdisjoint(text + query) or not self.in_queries.isdisjoint(query)


def differs(url: str) -> Differs:
    """Find them for the server at `url`."""
    with psycopg.connect(url) as db:
        in_texts = _different(db, IN_TEXTS)
        return Differs(in_texts, _different(db, IN_QUERIES) - in_texts)


def _different(db: psycopg.Connection, probe: Probe) -> frozenset[str]:
    asked, ours = probe.texts(), _ours(probe)
    texts, theirs = list(asked), dict[str, str]()
    for start in range(0, len(texts), CHARACTERS_AT_ONCE):
        rows = db.execute(
            f"SELECT text, {probe.function}('simple', text)::text FROM unnest(%s::text[]) AS t (text)".encode(),
            [texts[start : start + CHARACTERS_AT_ONCE]],
        )
        theirs.update(rows.fetchall())
    return frozenset(character for text, character in asked.items() if theirs[text] != ours[text])


@cache
def _ours(probe: Probe) -> Mapping[str, str]:
    read = to_tsvector if probe is IN_TEXTS else web_query
    return {text: str(read(text)) for text in probe.texts()}


def ranges(characters: Iterable[str]) -> str:
    """Write characters as ranges of their code points: `00AD 0600-0605`."""
    return " ".join(
        f"{one:04X}" if one == last else f"{one:04X}-{last:04X}" for one, last in _runs(sorted(map(ord, characters)))
    )


def _runs(codes: Sequence[int]) -> Iterator[tuple[int, int]]:
    breaks = [place for place, (one, following) in enumerate(pairwise(codes), 1) if following != one + 1]
    for begin, end in pairwise(dict.fromkeys([0, *breaks, len(codes)])):
        yield codes[begin], codes[end - 1]
