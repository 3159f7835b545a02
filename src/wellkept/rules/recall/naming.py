"""Who a query names, of those who spoke: `What did Ann say about …`."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from wellkept.rules.lexical.folding import plain
from wellkept.rules.recall.analysis import COMMON_MARK, terms_in_order
from wellkept.rules.recall.stemming import stem

_SHORTEST: Final = 2
_ROLES: Final = frozenset(
    map(stem, ["user", "human", "customer", "assistant", "agent", "ai", "bot", "model", "system", "developer", "tool"])
)
"""Speakers that have no name. In a query these are words like others."""


@lru_cache(maxsize=4096)
def names_of(speaker: str) -> frozenset[str]:
    """Return the terms that name a speaker."""
    return frozenset(
        term
        for term in terms_in_order(plain(speaker))
        if not term.startswith(COMMON_MARK) and term.isalpha() and len(term) >= _SHORTEST and term not in _ROLES
    )


def named(terms: Iterable[str], speakers: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the speakers that some of the terms name, and the terms that name none.

    A query that is nothing but names looks for them as for other words.
    """
    asked = list(terms)
    known = frozenset(asked)
    who = [speaker for speaker in speakers if not known.isdisjoint(names_of(speaker))]
    taken = frozenset[str]().union(*map(names_of, who))
    return who, [term for term in asked if term not in taken] or asked
