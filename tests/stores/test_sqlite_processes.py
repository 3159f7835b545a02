"""Several processes on one SQLite file, and processes that are killed."""

import signal
from pathlib import Path

import pytest

from sqlite_child import said, start
from wellkept.stores import sqlite
from wellkept.testing.samples import a_key, a_pool


@pytest.fixture
def at_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/wellkept.db?synchronous=normal"


@pytest.mark.parametrize("here", ["a new file", "a file in use"])
async def test_no_edit_of_several_processes_is_lost(at_url: str, here: str) -> None:
    store = await sqlite.open(at_url) if here == "a file in use" else None
    children = [start("edit", at_url, name, 150) for name in "abc"]
    for child in children:
        said(child)
    store = store or await sqlite.open(at_url)
    block = await store.get(a_key())
    assert block is not None
    lines = block.text.splitlines()
    assert sorted(lines) == sorted(f"{name}-{number}" for name in "abc" for number in range(150))
    assert [revision.number for revision in await store.revisions(a_key(), limit=1_000)] == list(range(450, 0, -1))
    await store.close()


async def test_several_processes_keep_a_pool_within_its_cap(at_url: str) -> None:
    children = [start("create", at_url, number, 200) for number in range(3)]
    assert [said(child) for child in children] == [["10"]] * 3
    store = await sqlite.open(at_url)
    assert await store.count(a_pool()) == 10
    await store.close()


async def test_a_new_file_may_be_opened_by_many_at_once(at_url: str) -> None:
    for child in [start("open", at_url) for _ in range(6)]:
        said(child)
    store = await sqlite.open(at_url)
    await store.ready()
    assert await store.check() == []
    await store.close()


@pytest.mark.parametrize("options", ["synchronous=normal", "synchronous=full"])
async def test_what_was_acknowledged_outlives_a_killed_process(tmp_path: Path, options: str) -> None:
    at_url = f"sqlite:///{tmp_path}/wellkept.db?{options}"
    child = start("edit", at_url, "k", 1_000_000)
    assert child.stdout is not None
    acknowledged = [child.stdout.readline().strip() for _ in range(100)]
    child.send_signal(signal.SIGKILL)
    acknowledged += child.stdout.read().split()
    child.wait()
    store = await sqlite.open(at_url)
    block = await store.get(a_key())
    assert block is not None
    lines = block.text.splitlines()
    assert lines == [f"k-{number}" for number in range(len(lines))]
    # The last one may have been stored, and the process killed before it could say so.
    assert len(acknowledged) <= len(lines) <= len(acknowledged) + 1
    assert len(await store.revisions(a_key(), limit=1_000_000)) == len(lines)
    assert await store.check() == []
    await store.close()
