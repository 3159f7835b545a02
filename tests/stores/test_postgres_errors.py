"""What PostgreSQL and its driver say, in wellkept's own errors."""

import psycopg
import pytest
from psycopg.errors import lookup

from wellkept.model.errors import (
    Misconfigured,
    StoreCorrupt,
    StoreFailed,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    WellkeptError,
)
from wellkept.stores.postgresql.errors import translated

STATES: dict[str, type[WellkeptError]] = {
    "08006": StoreUnavailable,  # connection failure
    "25006": StoreReadOnly,  # read-only transaction
    "28P01": Misconfigured,  # invalid password
    "3D000": Misconfigured,  # no such database
    "40P01": StoreUnavailable,  # deadlock
    "42501": Misconfigured,  # insufficient privilege
    "42601": StoreFailed,  # syntax error
    "53100": StoreFull,  # disk full
    "53300": StoreUnavailable,  # too many connections
    "55P03": StoreUnavailable,  # lock not available
    "57014": StoreUnavailable,  # query cancelled
    "57P01": StoreUnavailable,  # shutdown
    "58030": StoreUnavailable,  # input or output
    "XX001": StoreCorrupt,  # data corrupted
    "XX002": StoreCorrupt,  # index corrupted
}
WORDS: dict[str, type[WellkeptError]] = {
    'FATAL:  password authentication failed for user "sam"': Misconfigured,
    "fe_sendauth: no password supplied": Misconfigured,
    'FATAL:  no pg_hba.conf entry for host "h"': Misconfigured,
    'FATAL:  role "sam" does not exist': Misconfigured,
    'FATAL:  database "memory" does not exist': Misconfigured,
    "FATAL:  the database system is starting up": StoreUnavailable,
    "FATAL:  sorry, too many clients already": StoreUnavailable,
    "connection refused": StoreUnavailable,
}


@pytest.mark.parametrize(("state", "kind"), STATES.items(), ids=STATES)
def test_a_state_has_an_error_of_ours_that_tells_no_text(state: str, kind: type[WellkeptError]) -> None:
    error = lookup(state)("what a user wrote")
    ours = translated(error, place="h/memory")
    assert type(ours) is kind
    assert ours.__cause__ is error
    assert "what a user wrote" not in f"{ours}"
    assert ours.facts["server"] == "h/memory"


@pytest.mark.parametrize(("words", "kind"), WORDS.items(), ids=WORDS)
def test_a_connection_that_was_refused_in_words_has_one_too(words: str, kind: type[WellkeptError]) -> None:
    ours = translated(psycopg.OperationalError(f"connection failed: {words}"), place="h/memory")
    assert type(ours) is kind
    assert words not in f"{ours}"
