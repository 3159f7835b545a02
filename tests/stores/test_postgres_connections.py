"""Connections: made, kept, lost, given back; and what a caller is told when the server is away."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable

import psycopg
import pytest

import postgres_server
from wellkept.model.errors import Closed, NotFound, StoreUnavailable
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.model.memories import PoolRules
from wellkept.stores import postgresql
from wellkept.stores.postgresql import PostgresStore, hops
from wellkept.stores.postgresql.hops import Transaction
from wellkept.testing.samples import a_change, a_key, a_memory, a_pool, at, memory_id_of


@pytest.fixture
def server() -> postgres_server.Server:
    return postgres_server.embedded()


@pytest.fixture
async def store(server: postgres_server.Server) -> AsyncIterator[PostgresStore]:
    store = await postgresql.open(f"{server.fresh_url()}&pool=3&timeout=2")
    yield store
    await store.close()


def sessions(server: postgres_server.Server, store: PostgresStore, state: str = "%") -> int:
    name = store._pools.address.server["dbname"]
    ((count,),) = server.run(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name <> '' "
        f"AND datname = '{name}' AND state LIKE '{state}'"
    )
    assert isinstance(count, int)
    return count


async def test_connections_are_kept_and_never_more_than_allowed(
    server: postgres_server.Server, store: PostgresStore
) -> None:
    await asyncio.gather(*(store.get(a_key()) for _ in range(30)))
    assert 1 <= sessions(server, store) <= 3
    assert sessions(server, store, "idle in transaction%") == 0


async def test_the_first_call_after_the_server_has_closed_everything_works(
    server: postgres_server.Server, store: PostgresStore
) -> None:
    await asyncio.gather(*(store.get(a_key()) for _ in range(9)))
    for write in range(3):
        server.run(postgres_server.AWAY_WITH_OTHERS, database=str(store._pools.address.server["dbname"]))
        await asyncio.sleep(0.1)
        await store.create(a_memory(write), rules=PoolRules())
    assert await store.count(a_pool()) == 3


async def test_an_edit_whose_connection_breaks_before_its_commit_is_done_again(
    server: postgres_server.Server, store: PostgresStore
) -> None:
    breaks = 0

    def decide(_: object) -> str:
        nonlocal breaks
        breaks += 1
        if breaks == 1:
            server.run(postgres_server.AWAY_WITH_OTHERS, database=str(store._pools.address.server["dbname"]))
            time.sleep(0.1)
        return f"decided {breaks} times"

    edited = await store.edit(a_key(), decide, change=a_change())
    assert edited.block.text == "decided 2 times"


async def test_a_refusal_keeps_the_connection_and_leaves_nothing_open(
    server: postgres_server.Server, store: PostgresStore
) -> None:
    for _ in range(9):
        with pytest.raises(NotFound):
            await store.update(a_pool(), memory_id_of(1), partitions=None, at=at(), text="x")
    assert sessions(server, store) == 1
    assert sessions(server, store, "idle in transaction%") == 0


async def test_a_cancelled_call_leaves_no_transaction_and_no_lock(
    server: postgres_server.Server, store: PostgresStore
) -> None:
    held = asyncio.create_task(
        store._tell(DEFAULT_TENANT, "SELECT wellkept.lock_pool(%(tenant)s, 'a')", "SELECT pg_sleep(9)")
    )
    await asyncio.sleep(0.2)
    waiting = [
        asyncio.create_task(store._tell(DEFAULT_TENANT, "SELECT wellkept.lock_pool(%(tenant)s, 'a')")) for _ in range(8)
    ]
    await asyncio.sleep(0.2)
    for task in (held, *waiting):
        task.cancel()
    ended = await asyncio.gather(held, *waiting, return_exceptions=True)
    assert all(isinstance(one, asyncio.CancelledError) for one in ended)
    async with asyncio.timeout(1):
        await store._tell(DEFAULT_TENANT, "SELECT wellkept.lock_pool(%(tenant)s, 'a')")
        await asyncio.gather(*(store.get(a_key()) for _ in range(9)))
    assert sessions(server, store, "active%") == 0
    assert sessions(server, store, "idle in transaction%") == 0


async def test_a_cancelled_edit_gives_its_connection_back(store: PostgresStore) -> None:
    for delay in (0.0, 0.001, 0.002, 0.004, 0.008) * 6:
        task = asyncio.create_task(store.edit(a_key(), lambda block: f"{block}", change=a_change()))
        await asyncio.sleep(delay)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    async with asyncio.timeout(5):
        await asyncio.gather(*(store.edit(a_key(), lambda _: "x", change=a_change()) for _ in range(9)))


async def test_a_decision_that_fails_leaves_no_transaction_open(
    server: postgres_server.Server, store: PostgresStore
) -> None:
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            await store.edit(a_key(), lambda _: str(1 // 0), change=a_change())
        assert sessions(server, store, "idle in transaction%") == 0
    await store.edit(a_key(), lambda _: "x", change=a_change())


def test_each_loop_waits_for_connections_of_its_own(server: postgres_server.Server) -> None:
    store = asyncio.run(postgresql.open(f"{server.fresh_url()}&pool=1"))

    async def crowd() -> list[object]:
        return await asyncio.gather(*(store.get(a_key()) for _ in range(4)))

    for _ in range(3):
        assert asyncio.run(crowd()) == [None] * 4
    store._pools.close()


async def test_a_lock_that_is_held_too_long_is_no_endless_wait(
    server: postgres_server.Server, store: PostgresStore
) -> None:
    await store.create(a_memory(1), rules=PoolRules())
    database = str(store._pools.address.server["dbname"])
    with psycopg.connect(server.url_of(database)) as other:
        other.execute("SELECT * FROM wellkept.pools FOR UPDATE")
        with pytest.raises(StoreUnavailable, match="57014"):
            await store.create(a_memory(2), rules=PoolRules())
    await store.create(a_memory(2), rules=PoolRules())


async def test_when_all_connections_are_busy_a_call_waits_no_longer_than_it_may(store: PostgresStore) -> None:
    busy = [asyncio.create_task(store._ask(DEFAULT_TENANT, "SELECT pg_sleep(1.8)")) for _ in range(6)]
    await asyncio.sleep(0.1)
    with pytest.raises(StoreUnavailable, match="busy"):
        await store.get(a_key())
    await asyncio.gather(*busy, return_exceptions=True)


@pytest.fixture
def counter(server: postgres_server.Server, store: PostgresStore) -> Callable[[], int]:
    """Give what counts how often NEXT was run, whatever was undone."""
    database = str(store._pools.address.server["dbname"])
    server.run("CREATE SEQUENCE wellkept.times MINVALUE 0", database=database)
    server.run("GRANT ALL ON wellkept.times TO wellkept_app", database=database)

    def count() -> int:
        ((last,),) = server.run("SELECT last_value FROM wellkept.times", database=database)
        return int(str(last)) + 1

    return count


NEXT = "SELECT nextval('wellkept.times'), pg_sleep(1)"


@pytest.mark.parametrize("kind", ["a message", "a transaction"])
async def test_a_write_whose_connection_breaks_while_it_may_be_done_is_not_repeated(
    server: postgres_server.Server, store: PostgresStore, counter: Callable[[], int], kind: str
) -> None:
    async def work(transaction: Transaction) -> None:
        await transaction.run("SELECT 1")
        await transaction.finish(NEXT)

    write = store._tell(DEFAULT_TENANT, NEXT) if kind == "a message" else store._transact(DEFAULT_TENANT, work)
    task = asyncio.ensure_future(write)
    for _ in range(500):
        if sessions(server, store, "active"):
            break
        await asyncio.sleep(0.02)
    server.run(postgres_server.AWAY_WITH_OTHERS, database=str(store._pools.address.server["dbname"]))
    with pytest.raises(StoreUnavailable):
        await task
    assert counter() == 1


async def test_a_read_whose_connection_breaks_is_asked_again(
    server: postgres_server.Server, store: PostgresStore, counter: Callable[[], int]
) -> None:
    task = asyncio.ensure_future(store._ask(DEFAULT_TENANT, NEXT))
    for _ in range(500):
        if sessions(server, store, "active"):
            break
        await asyncio.sleep(0.02)
    server.run(postgres_server.AWAY_WITH_OTHERS, database=str(store._pools.address.server["dbname"]))
    await task
    assert counter() == 2


async def test_a_server_that_went_silent_is_not_waited_for(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hops, "_PATIENCE", 0.1)
    ((process,),) = await store._ask(DEFAULT_TENANT, "SELECT pg_backend_pid()")
    os.kill(process, signal.SIGSTOP)
    try:
        async with asyncio.timeout(20):
            with pytest.raises(StoreUnavailable, match="no answer in time"):
                await store.get(a_key())
    finally:
        os.kill(process, signal.SIGCONT)


async def test_a_closed_store_says_so(store: PostgresStore) -> None:
    await store.get(a_key())
    await store.close()
    await store.close()
    with pytest.raises(Closed):
        await store.get(a_key())


async def test_a_store_may_be_used_from_several_loops(store: PostgresStore) -> None:
    async def elsewhere() -> object:
        return await store.edit(a_key(), lambda _: "there", change=a_change())

    await store.get(a_key())
    await asyncio.to_thread(lambda: asyncio.run(elsewhere()))
    block = await store.get(a_key())
    assert block is not None
    assert block.text == "there"


async def test_a_restart_under_load_loses_nothing_that_was_acknowledged(server: postgres_server.Server) -> None:
    store = await postgresql.open(f"{server.fresh_url()}&timeout=10")
    assert server.control is not None
    restarting = asyncio.create_task(asyncio.to_thread(server.control, "-w", "-m", "fast", "restart"))
    stored: list[int] = []
    failed = 0
    numbers = iter(range(100_000))

    async def write() -> None:
        nonlocal failed
        while not (restarting.done() and len(stored) > 200):
            number = next(numbers)
            try:
                await store.create(a_memory(number), rules=PoolRules(cap=10_000))
                stored.append(number)
            except StoreUnavailable:
                failed += 1
                await asyncio.sleep(0.01)

    await asyncio.gather(*(write() for _ in range(4)))
    await restarting
    before = len(stored)
    async with asyncio.timeout(5):  # healed
        await store.create(a_memory(99_999_999), rules=PoolRules(cap=10_000))
    rows = {int(row.id[4:]) for row in await store.rows(a_pool(), partitions=None, limit=10_000)}
    assert set(stored) <= rows
    assert len(rows) <= before + failed + 1
    assert await store.check() == []
    await store.close()
