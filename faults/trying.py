"""Try a fault: run the tests that should notice, then wider."""

import re
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pytest

from faults.copies import Copy
from faults.fault import WHOLE, Fault
from faults.homes import HOMES
from faults.warm import BEGUN

_PATIENCE: Final = 300
"""Seconds that one test may take: a fault may let it wait for ever."""
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (\S+::\S+)", re.MULTILINE)
"""A test; a file alone could not even be read."""
_WIDER: Final = ("tests/rules", "tests/services", "tests/compose")


class NoVerdict(Exception):
    """The tests could not be run."""


@dataclass(frozen=True)
class Verdict:
    """What came of one fault in one store."""

    store: str
    fault: Fault
    noticed_by: str
    """The first test that failed; empty: none did."""
    seconds: float


def try_fault(copy: Copy, store: str, fault: Fault, *, widest: int | None = None) -> Verdict:
    """Say which test notices the fault; `widest`: after how many stages to give up.

    Raises:
        NoVerdict: The tests could not be run; that is no notice.
    """
    started = time.monotonic()
    with copy.broken_by(fault):
        for paths, narrowed in stages(store, fault)[:widest]:
            noticed = _first_failure(copy, store, paths, narrowed)
            if noticed:
                break
    return Verdict(store, fault, noticed, time.monotonic() - started)


def stages(store: str, fault: Fault) -> list[tuple[Sequence[str], str]]:
    """Say what to run, from the narrow to the wide: paths, and what `-k` narrows them to."""
    home = HOMES[store]
    own = [([home.file(name) for name in home.own], home.narrow)] if home.own else []
    suite = [] if fault.suite == WHOLE else [([home.file(fault.suite)], home.narrow)]
    suite = [*([(paths, f"({narrow}) and ({fault.words})") for paths, narrow in suite if fault.words]), *suite]
    return [*suite, *own, ([home.folder, "tests/upgrade"], home.wide), (_WIDER, "")]


def passes_untouched(copy: Copy, store: str) -> str:
    """Run the store's tests on the copy as it is; answer with the first that fails. (Then no fault could be told.)"""
    home = HOMES[store]
    return _first_failure(copy, store, [home.folder, "tests/upgrade"], home.wide)


def _first_failure(copy: Copy, store: str, paths: Sequence[str], narrowed: str) -> str:
    there = [path for path in paths if (copy.folder / path).exists()]
    choice = ["-k", f"({narrowed}) and not test_no_store_is_left_out"] if narrowed else []
    answer, printed = copy.warm.run(*there, *choice, seconds=_PATIENCE, stores=store)
    failed = _FAILED.search(printed)
    if answer == -signal.SIGALRM:
        return f"{printed.rpartition(BEGUN)[2].strip()} (not ended in {_PATIENCE} s)"
    if answer == pytest.ExitCode.TESTS_FAILED and failed:
        return failed.group(1)
    if answer in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return ""
    raise NoVerdict(f"pytest answered {answer}\n{printed[-3000:]}")
