"""The baseline is fair: the bare connections execute what the store executes, statement for statement."""

import sqlite3
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from bench.cases import CASES
from bench.raw import raw
from bench.world import filled

ROWS = 100  # enough that the ranked search finds as many as it is asked for
NEW = ROWS + 1

issued: list[str] = []


class Recording(sqlite3.Connection):
    """Notes what is executed. An `executemany` of nothing executes nothing."""

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        issued.append(sql)
        return super().execute(sql, parameters)

    def executemany(self, sql: str, rows: Iterable[Any]) -> sqlite3.Cursor:
        rows = list(rows)
        issued.extend(sql for _ in rows)
        return super().executemany(sql, rows)


@pytest.fixture(autouse=True)
def _recording(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Recording))


@pytest.mark.parametrize("name", CASES)
async def test_the_baseline_issues_the_statements_of_the_store(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    async with (
        filled(f"sqlite:///{tmp_path}/store.db", ROWS) as world,
        raw(f"sqlite:///{tmp_path}/raw.db", ROWS) as bare,
    ):
        issued.clear()
        await case.store(world, NEW)
        ours = sorted(issued)
        issued.clear()
        case.raw(bare, NEW)
        assert sorted(issued) == ours
