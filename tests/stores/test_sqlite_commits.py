"""How writes share a transaction in SQLite, what a cancelled caller leaves, and what closing means."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from wellkept.model.blocks import Block
from wellkept.model.errors import Closed, OverLimit
from wellkept.model.memories import PoolRules
from wellkept.stores import sqlite
from wellkept.stores.sqlite import SqliteStore
from wellkept.testing.samples import a_block, a_change, a_key, a_memory, a_pool


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await sqlite.open(f"sqlite:///{tmp_path}/wellkept.db")
    yield store
    await store.close()


class Gate:
    """Keeps the writing thread inside an edit until it is opened, so that others come to wait behind it."""

    def __init__(self, store: SqliteStore) -> None:
        self._inside, self._open = threading.Event(), threading.Event()
        self.edit = asyncio.ensure_future(store.edit(a_key("GATE"), self._decide, change=a_change()))

    def _decide(self, block: Block | None) -> str:
        self._inside.set()
        assert self._open.wait(30)
        return "passed"

    async def reached(self) -> None:
        assert await asyncio.to_thread(self._inside.wait, 30)

    def open(self) -> None:
        self._open.set()


async def behind_a_gate(store: SqliteStore) -> Gate:
    gate = Gate(store)
    await gate.reached()
    return gate


def appending(text: str) -> Callable[[Block | None], str]:
    return lambda block: (block.text if block else "") + text


async def text_of(store: SqliteStore, key: str) -> str | None:
    block = await store.get(a_key(key))
    return block.text if block else None


async def test_writes_that_wait_together_are_committed_together(store: SqliteStore) -> None:
    commits: list[str] = []
    await store._write(lambda db: db.set_trace_callback(lambda sql: commits.append(sql) if sql == "COMMIT" else None))
    commits.clear()
    gate = await behind_a_gate(store)
    writes = [
        asyncio.ensure_future(store.edit(a_key(f"K{number}"), appending("x"), change=a_change()))
        for number in range(50)
    ]
    await asyncio.sleep(0)
    gate.open()
    await asyncio.gather(gate.edit, *writes)
    assert len(commits) == 2


async def test_one_that_fails_takes_no_neighbour_with_it(store: SqliteStore) -> None:
    def refuse_after_writing(block: Block | None) -> str:
        raise OverLimit(limit=1)

    gate = await behind_a_gate(store)
    writes = []
    for number in range(9):
        decide = refuse_after_writing if number % 3 == 1 else appending(f"{number}")
        writes.append(asyncio.ensure_future(store.edit(a_key(), decide, change=a_change())))
    await asyncio.sleep(0)
    gate.open()
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    await gate.edit
    assert [isinstance(outcome, OverLimit) for outcome in outcomes] == [number % 3 == 1 for number in range(9)]
    assert await text_of(store, "USER") == "023568"
    assert len(await store.revisions(a_key())) == 6


async def test_what_a_failed_write_had_done_is_undone_in_the_midst_of_others(store: SqliteStore) -> None:
    gate = await behind_a_gate(store)

    def half(db: object) -> None:
        db.execute("INSERT INTO tenants VALUES ('half', 'Half', 0)")  # type: ignore[attr-defined]  # a connection
        raise LookupError

    writes = [
        asyncio.ensure_future(store.edit(a_key("A"), appending("a"), change=a_change())),
        asyncio.ensure_future(store._write(half)),
        asyncio.ensure_future(store.edit(a_key("B"), appending("b"), change=a_change())),
    ]
    await asyncio.sleep(0)
    gate.open()
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    assert isinstance(outcomes[1], LookupError)
    assert await store.tenants() == []
    assert (await text_of(store, "A"), await text_of(store, "B")) == ("a", "b")
    await gate.edit


async def test_an_edit_that_runs_out_of_answers_fails_and_hangs_nobody(store: SqliteStore) -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await asyncio.wait_for(store.edit(a_key(), lambda block: next(iter(())), change=a_change()), 10)
    await store.ready()


# ---------------------------------------------------------------- cancelled


async def test_who_is_cancelled_while_waiting_takes_the_write_back(store: SqliteStore) -> None:
    gate = await behind_a_gate(store)
    waiting = asyncio.ensure_future(store.edit(a_key("WAITING"), appending("x"), change=a_change()))
    await asyncio.sleep(0)
    waiting.cancel()
    gate.open()
    await gate.edit
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await store.ready()
    assert await text_of(store, "WAITING") is None


async def test_a_write_that_has_begun_is_finished_for_a_cancelled_caller(store: SqliteStore) -> None:
    gate = await behind_a_gate(store)
    gate.edit.cancel()
    await asyncio.sleep(0)
    gate.open()
    await store.ready()
    assert await text_of(store, "GATE") == "passed"
    assert len(await store.revisions(a_key("GATE"))) == 1


async def test_many_cancelled_callers_leave_all_or_nothing(store: SqliteStore) -> None:
    for round_ in range(40):
        tasks = [
            asyncio.ensure_future(store.create(a_memory(round_ * 10 + number), rules=PoolRules(cap=5)))
            for number in range(10)
        ]
        for turn in range(round_ % 7):
            await asyncio.sleep(0.0002 * turn)
        for task in tasks[round_ % 3 :: 2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert await store.count(a_pool()) <= 5
    await store.ready()
    assert await store.count(a_pool()) == 5
    assert await store.check() == []


def test_a_loop_that_ends_in_the_midst_of_a_write_stops_nobody(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/wellkept.db"

    async def leave() -> SqliteStore:
        store = await sqlite.open(address)
        gate = await behind_a_gate(store)
        asyncio.get_running_loop().call_later(0.2, gate.open)
        threading.Timer(0.5, gate.open).start()
        return store

    store = asyncio.run(leave())  # its end cancels the edit

    async def go_on() -> None:
        await store.edit(a_key("LATER"), appending("x"), change=a_change())
        assert await text_of(store, "GATE") == "passed"
        await store.close()

    asyncio.run(go_on())


# ---------------------------------------------------------------- closed


async def test_closing_finishes_what_was_asked_for(tmp_path: Path) -> None:
    store = await sqlite.open(f"sqlite:///{tmp_path}/wellkept.db")
    gate = await behind_a_gate(store)
    writes = [
        asyncio.ensure_future(store.edit(a_key(), appending(f"{number}"), change=a_change())) for number in range(9)
    ]
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(store.close())
    await asyncio.sleep(0)
    gate.open()
    await closing
    await asyncio.gather(gate.edit, *writes)
    store = await sqlite.open(f"sqlite:///{tmp_path}/wellkept.db")
    assert await text_of(store, "USER") == "012345678"
    await store.close()


async def test_after_closing_every_call_is_refused(tmp_path: Path) -> None:
    store = await sqlite.open(f"sqlite:///{tmp_path}/wellkept.db")
    await asyncio.gather(store.close(), store.close())
    await store.close()
    with pytest.raises(Closed):
        await store.get(a_key())
    with pytest.raises(Closed):
        await store.put(a_block(), expect=None, change=a_change())
    with pytest.raises(Closed):
        await store.ready()


async def test_a_closed_store_leaves_one_file_and_no_thread(tmp_path: Path) -> None:
    others = set(threading.enumerate())  # a test that ran before may have left a store open
    store = await sqlite.open(f"sqlite:///{tmp_path}/folder/wellkept.db")
    await asyncio.gather(*(store.get(a_key()) for _ in range(20)), store.ready())
    await store.put(a_block(), expect=None, change=a_change())
    await store.close()
    assert [file.name for file in (tmp_path / "folder").iterdir()] == ["wellkept.db"]
    left = set(threading.enumerate()) - others
    assert not [thread for thread in left if thread.name.startswith("wellkept-sqlite")]
    assert len(left) <= 2, "but for asyncio's own"
