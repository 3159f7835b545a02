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

_PATIENCE: Final = 240
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


def try_fault(copy: Copy, store: str, fault: Fault) -> Verdict:
    """Say which test notices the fault.

    Raises:
        NoVerdict: The tests could not be run; that is no notice.
    """
    started = time.monotonic()
    with copy.broken_by(fault):
        for paths, narrowed in stages(store, fault):
            noticed = _first_failure(copy, paths, narrowed)
            if noticed:
                break
    return Verdict(store, fault, noticed, time.monotonic() - started)


def stages(store: str, fault: Fault) -> list[tuple[Sequence[str], str]]:
    """Say what to run, from the narrow to the wide: paths, and what `-k` narrows them to."""
    suite = [] if fault.suite == WHOLE else [([f"tests/stores/test_{fault.suite}.py"], store)]
    return [*suite, (["tests/stores", "tests/upgrade"], store), (_WIDER, "")]


def passes_untouched(copy: Copy, store: str) -> str:
    """Run the store's tests on the copy as it is; answer with the first that fails. (Then no fault could be told.)"""
    return _first_failure(copy, ["tests/stores", "tests/upgrade"], store)


def _first_failure(copy: Copy, paths: Sequence[str], narrowed: str) -> str:
    there = [path for path in paths if (copy.folder / path).exists()]
    choice = ["-k", f"{narrowed} and not test_no_store_is_left_out"] if narrowed else []
    answer, printed = copy.warm.run(*there, *choice, seconds=_PATIENCE)
    failed = _FAILED.search(printed)
    if answer == -signal.SIGALRM:
        return f"nothing ends in {_PATIENCE} s"
    if answer == pytest.ExitCode.TESTS_FAILED and failed:
        return failed.group(1)
    if answer in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return ""
    raise NoVerdict(f"pytest answered {answer}\n{printed[-3000:]}")
