"""What goes wrong under a SQLite store: typed errors, old data readable, nothing half written."""

import asyncio
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sqlite_child import said, start
from wellkept.model.errors import (
    Misconfigured,
    SchemaTooNew,
    StoreCorrupt,
    StoreFailed,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)
from wellkept.model.memories import PoolRules
from wellkept.stores import sqlite
from wellkept.stores.sqlite import SqliteStore, migrations
from wellkept.testing.samples import a_block, a_change, a_key, a_memory, a_pool

LARGE = "x" * 200_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "wellkept.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = await sqlite.open(f"sqlite:///{path}?timeout=0")
    await store.put(a_block("kept"), expect=None, change=a_change())
    yield store
    await store.close()


async def assert_kept(store: SqliteStore) -> None:
    block = await store.get(a_key())
    assert block is not None
    assert block.text == "kept"
    assert len(await store.revisions(a_key())) == 1


async def write(store: SqliteStore, text: str = "lost") -> None:
    await store.put(a_block(text), expect=a_block("kept").etag, change=a_change())


# ---------------------------------------------------------------- locked


async def test_a_lock_held_for_too_long_is_unavailable(store: SqliteStore, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable) as caught:
        await write(store)
    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
    with pytest.raises(StoreUnavailable):
        await store.ready()
    await assert_kept(store)
    other.execute("ROLLBACK")
    other.close()
    await store.ready()
    await write(store, "and now")


async def test_every_write_that_waited_for_the_lock_learns_of_it_and_they_wait_together(
    store: SqliteStore, path: Path
) -> None:
    patient = await sqlite.open(f"sqlite:///{path}?timeout=1")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    begun = time.monotonic()
    outcomes = await asyncio.gather(*(write(patient) for _ in range(20)), return_exceptions=True)
    assert time.monotonic() - begun < 10
    assert {type(outcome) for outcome in outcomes} == {StoreUnavailable}
    assert len({id(outcome) for outcome in outcomes}) == 20, "an error of one's own has a trace of one's own"
    other.close()
    await assert_kept(patient)
    await patient.close()


# ---------------------------------------------------------------- full


async def limit_pages(store: SqliteStore, more: int) -> None:
    """Let the file grow by a few pages only; SQLite then says what it says of a full disk."""

    def work(db: sqlite3.Connection) -> None:
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count = {pages + more}")

    await store._write(work)


async def test_a_full_disk_changes_nothing(store: SqliteStore) -> None:
    await limit_pages(store, 10)
    with pytest.raises(StoreFull):
        await write(store, LARGE)
    await assert_kept(store)
    await limit_pages(store, 1_000)
    await write(store, LARGE)


async def test_a_full_disk_brings_the_evicted_back(store: SqliteStore) -> None:
    for number in range(3):
        await store.create(a_memory(number), rules=PoolRules(cap=3))
    # So many tokens that they need new pages, though a row leaves.
    text = " ".join(f"w{number}" for number in range(1_000))
    await limit_pages(store, 0)
    with pytest.raises(StoreFull):
        await store.create(a_memory(9, text), rules=PoolRules(cap=3))
    rows = await store.rows(a_pool(), partitions=None, limit=10)
    assert [row.id for row in rows] == [a_memory(number).id for number in (2, 1, 0)]


async def test_what_fits_is_written_though_a_neighbour_does_not_fit(store: SqliteStore) -> None:

    await limit_pages(store, 20)
    keys = [a_key(f"K{number}") for number in range(12)]
    texts = [LARGE if number % 3 == 1 else f"small {number}" for number in range(12)]
    outcomes = await asyncio.gather(
        *(
            store.put(a_block(text, key=key), expect=None, change=a_change())
            for key, text in zip(keys, texts, strict=True)
        ),
        return_exceptions=True,
    )
    stored = [block and block.text for block in await store.get_many(keys)]
    for text, outcome, found in zip(texts, outcomes, stored, strict=True):
        if text is LARGE:
            assert isinstance(outcome, StoreFull)
            assert found is None
        else:
            assert not isinstance(outcome, BaseException)
            assert found == text
    assert await store.check() == []


def test_a_limit_on_the_files_size_is_a_full_disk(path: Path) -> None:
    (line,) = said(start("fill", f"sqlite:///{path}", "", 1_500_000))
    assert line == "StoreFull True"


# ---------------------------------------------------------------- read-only


@contextmanager
def nobody() -> Iterator[None]:
    """Be a user to whom the permissions of files apply; they do not stop root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder that others may look into; those of pytest are closed to them."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize("modes", [(0o444, 0o555), (0o644, 0o555), (0o444, 0o755)], ids=["both", "folder", "file"])
async def test_a_file_that_cannot_be_written_is_read(folder: Path, modes: tuple[int, int]) -> None:
    path = folder / "wellkept.db"
    store = await sqlite.open(f"sqlite:///{path}")
    await store.put(a_block("kept"), expect=None, change=a_change())
    await store.close()
    path.chmod(modes[0])
    folder.chmod(modes[1])
    with nobody():
        store = await sqlite.open(f"sqlite:///{path}")
        await assert_kept(store)
        with pytest.raises(StoreReadOnly):
            await write(store)
        with pytest.raises(StoreReadOnly):
            await store.ready()
        assert await store.check() == ["The store cannot be written; nothing was changed. (store='sqlite')"]
        await assert_kept(store)
        await store.close()
    assert os.listdir(folder) == ["wellkept.db"]


async def test_a_folder_that_cannot_be_written_takes_no_new_file(folder: Path) -> None:
    folder.chmod(0o555)
    with nobody(), pytest.raises(StoreReadOnly):
        await sqlite.open(f"sqlite:///{folder}/wellkept.db")
    with nobody(), pytest.raises(StoreReadOnly):
        await sqlite.open(f"sqlite:///{folder}/deeper/wellkept.db")
    assert os.listdir(folder) == []


async def test_an_older_file_that_cannot_be_written_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "wellkept.db"
    store = await sqlite.open(f"sqlite:///{path}")
    await store.close()
    path.chmod(0o444)
    folder.chmod(0o555)
    newer = (*migrations.steps(), "CREATE TABLE new (tenant TEXT NOT NULL PRIMARY KEY) STRICT;")
    monkeypatch.setattr(migrations, "steps", lambda: newer)
    with nobody(), pytest.raises(StoreReadOnly, match="older"):
        await sqlite.open(f"sqlite:///{path}")


# ---------------------------------------------------------------- damaged, or not ours


@pytest.mark.parametrize("content", [b"# Notes\n" * 1_000, os.urandom(8_192), b"SQLite format 3\0" + b"\xff" * 4_080])
async def test_a_file_that_is_no_database_is_corrupt_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt) as caught:
        await sqlite.open(f"sqlite:///{path}")
    assert isinstance(caught.value.__cause__, sqlite3.DatabaseError)
    assert path.read_bytes() == content


async def test_damage_inside_the_file_is_noticed(path: Path) -> None:
    store = await sqlite.open(f"sqlite:///{path}")
    for number in range(200):
        await store.create(a_memory(number, f"{number} " * 100), rules=PoolRules())
    await store.close()
    pages = bytearray(path.read_bytes())
    for start_of_page in range(len(pages) // 2 // 4096 * 4096, len(pages), 4096):
        pages[start_of_page : start_of_page + 64] = b"\xaa" * 64
    path.write_bytes(pages)
    store = await sqlite.open(f"sqlite:///{path}")
    with pytest.raises(StoreCorrupt):
        await store.rows(a_pool(), partitions=None, limit=500)
    with pytest.raises(StoreCorrupt):
        await store.purge_pool(a_pool())
    assert any("damaged" in line for line in await store.check())
    await store.close()


async def test_another_programs_database_is_left_alone(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(Misconfigured, match="another program"):
        await sqlite.open(f"sqlite:///{path}")
    assert path.read_bytes() == before


async def test_the_file_of_a_newer_wellkept_is_left_alone(store: SqliteStore, path: Path) -> None:
    await store._write(lambda db: db.execute("PRAGMA user_version = 9999"))
    await store.close()
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew):
        await sqlite.open(f"sqlite:///{path}")
    assert path.read_bytes() == before


@pytest.mark.parametrize("what", ["moved", "replaced"])
async def test_a_file_that_was_taken_away_is_noticed(store: SqliteStore, path: Path, what: str) -> None:
    await store.ready()
    path.rename(path.with_name("elsewhere.db"))
    if what == "replaced":
        path.write_bytes(b"")
    with pytest.raises(StoreUnavailable, match="moved"):
        await store.ready()
    assert len(await store.check()) == 1


async def test_a_folder_in_the_files_place_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreFailed):
        await sqlite.open(f"sqlite:///{tmp_path}")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFailed):
        await sqlite.open(f"sqlite:///{tmp_path}/file/wellkept.db")
