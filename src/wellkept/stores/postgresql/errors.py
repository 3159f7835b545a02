"""Errors of PostgreSQL and its driver, as ours."""

import re
from typing import Final

import psycopg

from wellkept.model.errors import (
    Misconfigured,
    StoreCorrupt,
    StoreFailed,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    WellkeptError,
)

_BY_STATE: Final[dict[str, type[StoreFailed]]] = {
    "08": StoreUnavailable,  # the connection
    "25006": StoreReadOnly,
    "40": StoreUnavailable,  # a deadlock, or a transaction that must be tried again
    "53": StoreUnavailable,  # memory, connections
    "53100": StoreFull,
    "55": StoreUnavailable,  # a lock
    "57": StoreUnavailable,  # cancelled, out of time, shutting down, starting up
    "58030": StoreUnavailable,  # the disk
    "XX001": StoreCorrupt,
    "XX002": StoreCorrupt,
}
"""By SQLSTATE, or by its class."""

_OUR_FAULT: Final = {
    "28": "the server does not let this user in: see its password and the server's pg_hba.conf",
    "3D": "the server has no database of this name",
    "42501": "this user may not do that: see the page on running on PostgreSQL for the rights it needs",
    "a pooler's": "the pooler in front of the server does not take a parameter of the URL: leave it out (`options`)",
}

_REFUSALS: Final = {
    # libpq reports a refused connection in words alone.
    re.compile(r"authentication failed|no password supplied|no pg_hba\.conf entry|role .* does not exist"): "28",
    re.compile(r"database .* does not exist"): "3D",
    re.compile(r"no such database"): "3D",
    re.compile(r"unsupported startup parameter"): "a pooler's",
    re.compile(r"permission denied for database"): "42501",
    re.compile(r"the database system is (starting up|shutting down)|too many (clients|connections)"): "57",
}


def is_broken(error: psycopg.Error) -> bool:
    """Say whether the connection is gone, so that nobody knows what became of what was sent last."""
    state = error.sqlstate or ""
    return isinstance(error, psycopg.OperationalError) and (not state or state.startswith(("08", "57P")))


def is_an_answer(error: psycopg.Error) -> bool:
    """Say whether the error means something to the operation that it met: a row was there already, or we raised it."""
    return isinstance(error, psycopg.errors.UniqueViolation) or (error.sqlstate or "").startswith("WK")


def translated(error: psycopg.Error, *, place: str) -> WellkeptError:
    """Give our error for one of the driver's, with that one as its cause. It tells the state, never a text."""
    state = error.sqlstate or (_state_of_words(str(error)) if isinstance(error, psycopg.OperationalError) else "")
    ours = _ours(error, state, place)
    ours.__cause__ = error
    return ours


def _ours(error: psycopg.Error, state: str, place: str) -> WellkeptError:
    problem = _OUR_FAULT.get(state) or _OUR_FAULT.get(state[:2])
    if problem:
        return Misconfigured(store="postgresql", server=place, problem=problem)
    if not state and isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return StoreUnavailable(store="postgresql", server=place, reason="no connection")
    kind = _BY_STATE.get(state) or _BY_STATE.get(state[:2], StoreFailed)
    return kind(store="postgresql", server=place, reason=state or type(error).__name__)


def _state_of_words(words: str) -> str:
    return next((state for pattern, state in _REFUSALS.items() if pattern.search(words)), "")
