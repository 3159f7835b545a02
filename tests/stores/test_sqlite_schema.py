"""The schema of the SQLite store, its migrations, and how its statements find their rows."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from wellkept.model.errors import StoreFailed
from wellkept.stores import sqlite
from wellkept.stores.sqlite import migrations
from wellkept.stores.sqlite.address import parse
from wellkept.stores.sqlite.opening import writer
from wellkept.stores.sqlite.statements import statements
from wellkept.testing.samples import a_block, a_change, a_key

FOLDER = Path(sqlite.__file__).parent
STATEMENTS = [
    (file.stem, name, sql) for file in sorted(FOLDER.glob("*.sql")) for name, sql in statements(file.name).items()
]
OVER_ALL_TENANTS = {("directory", "tenants"), ("directory", "find_key"), ("directory", "holdings")}
"""A server asks these before it knows the tenant, or its operator does."""

SORTED_AS_READ = {
    ("directory", "keys"),
    ("passages", "session_newest_first"),
    ("passages", "count"),
    ("passages", "count_vectors"),
}
"""A tenant has a hundred keys at most, a session few passages, and who counts has to read all."""


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    db = writer(parse(f"sqlite:///{tmp_path}/wellkept.db"))
    assert db is not None
    yield db
    db.close()


def tables(db: sqlite3.Connection) -> dict[str, bool]:
    return {name: bool(strict) for schema, name, kind, _, _, strict in db.execute("PRAGMA table_list")
            if schema == "main" and kind == "table" and not name.startswith("sqlite_")}  # fmt: skip


def test_every_table_is_strict_and_begins_with_its_tenant(db: sqlite3.Connection) -> None:
    assert len(tables(db)) > 8
    assert all(tables(db).values())
    for table in tables(db):
        first, *_ = db.execute(f"PRAGMA table_info({table})").fetchall()
        assert first[1] == "tenant"
        assert first[5] == 1, "the first column of the primary key"


@pytest.mark.parametrize(("file", "name", "sql"), STATEMENTS, ids=[f"{file}.{name}" for file, name, _ in STATEMENTS])
def test_every_statement_names_the_tenant_and_finds_its_rows_by_an_index(
    db: sqlite3.Connection, file: str, name: str, sql: str
) -> None:
    highest = max(range(20), key=lambda count: accepts(db, sql, count))
    plan = [step[3] for step in db.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * highest)]
    if (file, name) in OVER_ALL_TENANTS:
        return
    assert "tenant" in sql
    assert not [step for step in plan if step.startswith("SCAN") and not step.startswith("SCAN (subquery")]
    assert (file, name) in SORTED_AS_READ or not [step for step in plan if "TEMP B-TREE" in step]


def accepts(db: sqlite3.Connection, sql: str, count: int) -> bool:
    try:
        db.execute(f"EXPLAIN {sql}", [None] * count)
    except sqlite3.ProgrammingError:
        return False
    return True


def test_the_file_says_whose_it_is(db: sqlite3.Connection) -> None:
    assert db.execute("PRAGMA application_id").fetchone() == (migrations.APPLICATION_ID,)
    assert migrations.APPLICATION_ID.to_bytes(4) == b"wkpt"
    assert db.execute("PRAGMA user_version").fetchone() == (len(migrations.steps()),)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize(("options", "level"), [("", 2), ("?synchronous=full", 2), ("?synchronous=normal", 1)])
def test_commits_wait_for_the_disk_unless_told_otherwise(tmp_path: Path, options: str, level: int) -> None:
    db = writer(parse(f"sqlite:///{tmp_path}/wellkept.db{options}"))
    assert db is not None
    assert db.execute("PRAGMA synchronous").fetchone() == (level,)
    assert db.execute("PRAGMA foreign_keys").fetchone() == (1,)
    assert db.execute("PRAGMA secure_delete").fetchone() == (1,)
    db.close()


# ---------------------------------------------------------------- migrations


def test_a_script_is_parted_at_the_ends_of_its_statements() -> None:
    script = "-- a; b\nCREATE TABLE a (x TEXT DEFAULT ';');\n\nINSERT INTO a\nVALUES ('one;\ntwo');\n"
    parts = list(migrations.split(script))
    assert [part.strip() for part in parts] == [
        "-- a; b\nCREATE TABLE a (x TEXT DEFAULT ';');",
        "INSERT INTO a\nVALUES ('one;\ntwo');",
    ]


async def test_an_older_file_is_brought_up_to_date_with_its_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/wellkept.db"
    store = await sqlite.open(url)
    await store.put(a_block("kept"), expect=None, change=a_change())
    await store.close()
    more = (*migrations.steps(), "CREATE TABLE new (tenant TEXT NOT NULL PRIMARY KEY) STRICT;")
    monkeypatch.setattr(migrations, "steps", lambda: more)
    store = await sqlite.open(url)
    block = await store.get(a_key())
    assert block is not None
    assert block.text == "kept"
    await store._write(lambda db: db.execute("INSERT INTO new VALUES ('t')"))
    await store.close()


@pytest.mark.parametrize("old", [True, False], ids=["an old file", "a new file"])
async def test_a_step_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: bool
) -> None:
    url = f"sqlite:///{tmp_path}/wellkept.db"
    if old:
        store = await sqlite.open(url)
        await store.put(a_block("kept"), expect=None, change=a_change())
        await store.close()
    with monkeypatch.context() as patch:
        steps = (*migrations.steps(), "CREATE TABLE new (x);\nDELETE FROM blocks;\nINSERT INTO missing VALUES (1);")
        patch.setattr(migrations, "steps", lambda: steps)
        with pytest.raises(StoreFailed):
            await sqlite.open(url)
    db = sqlite3.connect(tmp_path / "wellkept.db")
    assert db.execute("PRAGMA user_version").fetchone() == (len(migrations.steps()) if old else 0,)
    assert db.execute("SELECT name FROM sqlite_schema WHERE name = 'new'").fetchall() == []
    db.close()
    store = await sqlite.open(url)
    block = await store.get(a_key())
    assert (block.text if block else None) == ("kept" if old else None)
    await store.close()
