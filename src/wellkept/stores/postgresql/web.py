"""Mode `web`, asked of PostgreSQL: our own reading of text and query, in its types.

A release of PostgreSQL reads words by its own tables of characters; the vectors that are stored and the queries that
are asked are both of `wellkept.rules.lexical`, so that all releases, and all stores, find the same.
"""

from typing import Final

from wellkept.rules.lexical import WebQuery, to_tsvector
from wellkept.rules.lexical.query import Operand
from wellkept.rules.lexical.vector import quoted

_MOST_WORDS: Final = 500
_MOST_CHARACTERS: Final = 50_000


def vector_of(text: str) -> str:
    """Spell the words of a text as a `tsvector`."""
    return str(to_tsvector(text))


def query_of(query: WebQuery) -> str | None:
    """Spell a query as a `tsquery`; None when it is longer than PostgreSQL should be asked.

    (It walks a query by recursion, in a stack of two megabytes, and takes a
    megabyte of words.)
    """
    phrases = [operand.phrase for operands in query.alternatives for operand in operands]
    words = sum(map(len, phrases))
    if words > _MOST_WORDS or sum(len(word) for phrase in phrases for word in phrase) > _MOST_CHARACTERS:
        return None
    return " | ".join(" & ".join(map(_spelt, operands)) for operands in query.alternatives)


def _spelt(operand: Operand) -> str:
    phrase = " <-> ".join(map(quoted, operand.phrase))
    # Of the signs before it only their parity counts; PostgreSQL takes up to 31 of them.
    return f"!({phrase})" if operand.negated else f"({phrase})"
