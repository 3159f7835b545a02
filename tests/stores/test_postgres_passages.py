"""What only PostgreSQL can do to passages: choose a slow plan, have pgvector or not, be restarted, lock."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

import postgres_server
from wellkept.model.errors import StoreUnavailable
from wellkept.model.ids import DEFAULT_TENANT, AgentId, SessionId, TenantId
from wellkept.model.passages import PassageStamp, Selection
from wellkept.stores import postgresql
from wellkept.stores.postgresql import PostgresStore
from wellkept.stores.postgresql.hops import Transaction, Value
from wellkept.stores.postgresql.statements import statements
from wellkept.testing.following import Follower, stored
from wellkept.testing.samples import a_passage, a_vector, an_owner, new

SQL = statements("passages.sql")
MODEL = a_vector().model
ALL = Selection(tenant=DEFAULT_TENANT, agent=AgentId("ag_support"))
MAYA: dict[str, Value] = {"agent": "ag_support", "user_id": "maya"}
PASSAGES = 2_000


@pytest.fixture
def server() -> postgres_server.Server:
    return postgres_server.embedded()


@pytest.fixture
async def store(server: postgres_server.Server) -> AsyncIterator[PostgresStore]:
    store = await postgresql.open(f"{server.fresh_url()}&timeout=10")
    yield store
    await store.close()


# ---- plans

ID = a_passage(5, session="s0").id
READS: dict[str, tuple[dict[str, Value], int]] = {
    "of_messages": ({"sessions": ["s0"], "kinds": ["message"], "messages": ["m5"]}, 1),
    "get": ({"ids": [ID]}, 1),
    "count_those": ({"vectored": [ID]}, 1),
    "remove": ({"gone": [ID]}, 1),
    "remove_vectors": ({"outdated": [ID]}, 1),
    "rewritten": ({"vectored": [ID]}, 1),
    "write_vectors": ({"vectors": f'[{{"id": "{ID}", "model": "other", "data": "YQ=="}}]'}, 1),
    "changed_since": ({"above": 0, "after": "", "model": MODEL, "limit": 10}, 10),
    "last_number": ({"session": "s0"}, 100),
    "newest_first": ({"at": 2**62, "after": "", "session": None, "ids": None, "limit": 10}, 10),
    "without_vector": ({"agent": "", "user_id": "", "after": "", "model": "other", "limit": 10}, 10),
    "lock_chosen": ({"session": "s0", "ids": None}, 100),
    "delete_chosen": ({"session": "s0", "ids": None}, 100),
}


def rows_read(plan: object) -> int:
    """Give the most rows that one step of a plan read from a table of passages or vectors in all its runs."""
    if isinstance(plan, list):
        return max(map(rows_read, plan), default=0)
    if not isinstance(plan, dict):
        return 0
    below = max(map(rows_read, plan.values()), default=0)
    if plan.get("Relation Name") not in ("passages", "passage_vectors") or "Index Name" not in plan:
        return below if "Scan" not in plan.get("Node Type", "") else max(below, plan.get("Actual Rows", 0))
    read = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    return max(below, round(read * plan["Actual Loops"]))


async def test_a_statement_reads_no_more_than_it_has_to_before_its_tables_were_analysed(store: PostgresStore) -> None:
    for begin in range(0, PASSAGES, 500):
        given = [a_passage(number, session=f"s{number // 100}") for number in range(begin, begin + 500)]
        await store.put_passages(an_owner(), new(*given, vector=a_vector()))
    for name, (values, most) in READS.items():
        explain = f"EXPLAIN (ANALYZE, FORMAT JSON) {SQL[name]}"
        ((told,), *_) = await store._tell(DEFAULT_TENANT, "BEGIN", explain, **{**MAYA, **values})
        read = rows_read(told if isinstance(told, list) else json.loads(told))
        assert read <= 2 * most, f"{name} read {read} rows"


# ---- pgvector


@pytest.mark.parametrize("when", ["never", "before the schema", "after the schema"])
async def test_with_and_without_pgvector_the_same_is_kept(server: postgres_server.Server, when: str) -> None:
    database = server.empty()
    if when == "before the schema":
        server.run("CREATE EXTENSION vector", database=database)
    store = await postgresql.open(server.url_of(database))
    if when == "after the schema":
        server.run("CREATE EXTENSION vector", database=database)
    for number in range(3):
        await store.put_passages(an_owner(), new(a_passage(number), vector=a_vector(number)))
    known = await stored(store, an_owner(), model=MODEL)
    assert {one.passage.number: one.vector for one in known.values()} == {n: a_vector(n) for n in range(3)}
    assert await store.check() == []
    await store.close()


# ---- locks


async def test_revisions_become_visible_in_their_order(server: postgres_server.Server, store: PostgresStore) -> None:
    """A change that has its revision, and is not committed, lets no later one of its owner by."""
    await store.put_passages(an_owner(), new(a_passage(1)))
    before = await store.stamp(an_owner())
    locked, go_on = asyncio.Event(), asyncio.Event()

    async def first() -> None:
        async def work(transaction: Transaction) -> None:
            values: dict[str, Value] = {**MAYA, "removes": False, "vectored": [a_passage(1).id]}
            await transaction.run(SQL["lock"], SQL["next_revision"], SQL["rewritten"], **values)
            locked.set()
            await go_on.wait()
            await transaction.finish()

        await store._transact(DEFAULT_TENANT, work)

    one = asyncio.create_task(first())
    await locked.wait()
    two = asyncio.create_task(store.put_passages(an_owner(), new(a_passage(2))))
    sams = an_owner("sam")
    await store.put_passages(sams, new(a_passage(1, owner=sams)))
    assert not two.done()
    assert await store.stamp(an_owner()) == before
    go_on.set()
    await asyncio.gather(one, two)
    changed = await store.changed_since(an_owner(), before.revision, model=None, limit=9)
    assert [one.passage.number for one in changed] == [1, 2]


async def test_one_who_stores_while_all_is_deleted_is_kept_or_gone_whole(store: PostgresStore) -> None:
    for number in range(10):
        given = new(*(a_passage(number, part=part) for part in range(5)), vector=a_vector())
        await asyncio.gather(
            store.put_passages(an_owner(), given),
            store.delete_passages(ALL),
            store.purge_user_passages(DEFAULT_TENANT, an_owner().user),
        )
        known, stamp = await stored(store, an_owner(), model=MODEL), await store.stamp(an_owner())
        assert len(known) in (0, 5)
        assert (stamp == PassageStamp()) == (not known)
        assert all(one.vector for one in known.values())


# ---- servers that go and come back


async def test_a_restart_under_load_loses_nothing_that_was_acknowledged(
    server: postgres_server.Server, store: PostgresStore
) -> None:
    assert server.control is not None
    restarting = asyncio.create_task(asyncio.to_thread(server.control, "-w", "-m", "fast", "restart"))
    acknowledged: list[int] = []
    numbers = iter(range(100_000))

    async def ingest() -> None:
        while not (restarting.done() and len(acknowledged) > 50):
            number = next(numbers)
            try:
                given = new(*(a_passage(number, part=part) for part in range(3)), vector=a_vector())
                await store.put_passages(an_owner(), given)
                acknowledged.append(number)
            except StoreUnavailable:
                await asyncio.sleep(0.01)

    await asyncio.gather(*(ingest() for _ in range(4)))
    await restarting
    follower = Follower(store, an_owner(), model=MODEL, page=500)
    await follower.catch_up()
    numbers_stored = [one.passage.number for one in follower.known.values()]
    assert set(acknowledged) <= set(numbers_stored)
    assert len(numbers_stored) == 3 * len(set(numbers_stored)), "half a message"
    assert await store.check() == []


async def test_passages_of_a_server_that_is_gone_are_unavailable(server: postgres_server.Server) -> None:
    store = await postgresql.open(f"{server.fresh_url()}&timeout=2")
    assert server.control is not None
    await asyncio.to_thread(server.control, "-w", "-m", "immediate", "stop")
    try:
        for work in (
            store.put_passages(an_owner(), new(a_passage(2))),
            store.put_vectors(an_owner(), {a_passage(1).id: a_vector()}),
            store.stamp(an_owner()),
            store.changed_since(an_owner(), 0, model=None, limit=9),
            store.passage_ids(an_owner()),
            store.passages(an_owner(), [a_passage(1).id]),
            store.listed(ALL, limit=9),
            store.last_number(an_owner(), SessionId("s1")),
            store.delete_passages(ALL),
            store.purge_user_passages(DEFAULT_TENANT, an_owner().user),
            store.count_passages(TenantId("default")),
            store.without_vector(DEFAULT_TENANT, "m", limit=9),
        ):
            with pytest.raises(StoreUnavailable):
                await work
    finally:
        await asyncio.to_thread(server.control, "-w", "restart")  # it knows how it was started
    await store.close()
