"""The page says which suites run on which store; a run of everything fails if one did not."""

from sources import ROOT
from suite_table import COLUMNS, EXPECTED, missing, table
from wellkept.compose.stores import schemes


def test_the_page_has_the_table() -> None:
    page = (ROOT / "docs" / "why" / "consistency.md").read_text(encoding="utf-8")
    marks = {(row, column): "✓" for row, columns in EXPECTED.items() for column in columns}
    assert "\n".join(table(marks)) in page


def test_every_store_and_wrapper_has_a_row() -> None:
    assert set(schemes()) <= EXPECTED.keys()
    assert all(columns <= {*COLUMNS} for columns in EXPECTED.values())


def test_a_suite_that_did_not_run_is_missed() -> None:
    passed = {(row, column): 1 for row, columns in EXPECTED.items() for column in columns}
    assert missing(passed) == []
    del passed["redis", "blocks"]
    assert missing(passed) == ["blocks on redis"]
    assert "memories on inproc" in missing({})
    assert "memories on files" not in missing({})
