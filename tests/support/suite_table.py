"""The table of stores and suites: printed at the end of a run, and held.

A pytest plugin. A run of everything fails if a cell of the table has no test that passed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

import pytest

import postgres_server

TURNS_HERE, TURNS_REMOTE, HISTORIES = "turns, library", "turns, REST + SDK", "histories"
CONTRACTS = {
    "BlockStoreContract": "blocks",
    "BlockHistoryContract": "revisions",
    "MemoryStoreContract": "memories",
    "DirectoryContract": "directory",
    "SessionStoreContract": "sessions",
    "ReviewStoreContract": "review",
    "AuditLogContract": "audit",
}
"""The suites of a store's own promises; those of `MemoryApiContract` are asked in two ways."""
COLUMNS = [*CONTRACTS.values(), HISTORIES, TURNS_HERE, TURNS_REMOTE]

_turns = {TURNS_HERE, TURNS_REMOTE}
_blocks = {"blocks", HISTORIES}
_all = {*CONTRACTS.values(), HISTORIES}
EXPECTED: Mapping[str, set[str]] = {
    "inproc": _all | _turns,
    "files": _blocks | _turns,
    "sqlite": _all | _turns,
    "postgresql": _all | _turns,
    "postgresql-15": _all,
    "postgresql-parted": _all,
    "redis": _blocks | _turns,
    "redis-cluster": _blocks,
    "upstash": _blocks | _turns,
    "routed": _blocks | {"revisions"} | _turns,
    "tiered": _blocks | {"revisions"} | _turns,
}
"""Which suites run on which store."""

PASSED = pytest.StashKey[Counter[tuple[str, str]]]()
PROPERTY = "suite"


def cell_of(item: pytest.Item) -> tuple[str, str] | None:
    """Say in which row and column a test counts, if in any."""
    callspec = getattr(item, "callspec", None)
    params: Mapping[str, object] = callspec.params if callspec else {}
    row, column = _row(params), _column(item, params)
    return (row, column) if row and column else None


def _row(params: Mapping[str, object]) -> str | None:
    if "combination" in params:
        return "tiered" if " before " in str(params["combination"]) else "routed"
    found = params.get("opened_by") or params.get("home")
    return str(found) if found else None


def _column(item: pytest.Item, params: Mapping[str, object]) -> str | None:
    names = {kind.__name__ for kind in (getattr(item, "cls", None) or object).__mro__}
    if "MemoryApiContract" in names:
        return TURNS_HERE if params.get("caller") == "in process" else TURNS_REMOTE
    if item.path.name == "test_histories.py":
        return HISTORIES
    return next((column for name, column in CONTRACTS.items() if name in names), None)


def table(cell: Mapping[tuple[str, str], object], rows: Iterable[str] = EXPECTED) -> list[str]:
    """Write the table, in Markdown."""
    lines = [f"| | {' | '.join(COLUMNS)} |", f"|---|{'---|' * len(COLUMNS)}"]
    return lines + [f"| {row} | {' | '.join(str(cell.get((row, column), '')) for column in COLUMNS)} |" for row in rows]


def missing(passed: Mapping[tuple[str, str], int]) -> list[str]:
    """Name the cells that should have tests and have none."""
    rows = [row for row in EXPECTED if row != "postgresql-15" or postgres_server.HAS_OLDEST]
    return [
        f"{column} on {row}"
        for row in rows
        for column in COLUMNS
        if column in EXPECTED[row] and not passed.get((row, column))
    ]


def pytest_configure(config: pytest.Config) -> None:
    config.stash[PASSED] = Counter()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if cell := cell_of(item):
            item.user_properties.append((PROPERTY, list(cell)))


class Counting:
    """Counts, in the process that hears of every test."""

    def __init__(self, passed: Counter[tuple[str, str]]) -> None:
        self.passed = passed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            for name, value in report.user_properties:
                if name == PROPERTY and isinstance(value, list):
                    self.passed[(str(value[0]), str(value[1]))] += 1


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.pluginmanager.register(Counting(session.config.stash[PASSED]))


def _is_whole(config: pytest.Config) -> bool:
    chosen = (
        config.getoption(name, None) for name in ("keyword", "markexpr", "lf", "deselect", "ignore", "collectonly")
    )
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not any(chosen)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    is_worker = hasattr(session.config, "workerinput")
    is_to_be_whole = exitstatus == pytest.ExitCode.OK and not is_worker and _is_whole(session.config)
    if is_to_be_whole and missing(session.config.stash[PASSED]):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    passed = config.stash[PASSED]
    if not passed:
        return
    terminalreporter.section("tests that passed, by store and suite")
    for line in table(passed):
        terminalreporter.write_line(line)
    if _is_whole(config):
        for cell in missing(passed):
            terminalreporter.write_line(f"MISSING: {cell}", red=True)
