"""Behind PgBouncer in transaction mode: sessions are shared, and nobody notices. (The suites run there, too.)"""

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest

import pgbouncer_server
import postgres_server
from command_line import say
from wellkept.model.errors import Misconfigured
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.model.memories import PoolRules
from wellkept.stores import postgresql
from wellkept.stores.postgresql import PostgresStore
from wellkept.testing.samples import OTHER_TENANT, a_block, a_change, a_key, a_memory, a_pool

CALLERS = 20


@pytest.fixture(autouse=True)
def _there_is_one() -> None:
    if not pgbouncer_server.PROGRAM:
        pytest.skip("there is no pgbouncer: see scripts/servers")


@pytest.fixture
async def store() -> AsyncIterator[PostgresStore]:
    store = await postgresql.open(f"{pgbouncer_server.fresh_url()}&pool={CALLERS}")
    yield store
    await store.close()


async def test_many_connections_share_few_sessions(store: PostgresStore) -> None:
    asked = (store._ask(DEFAULT_TENANT, "SELECT pg_backend_pid() FROM pg_sleep(0.05)") for _ in range(CALLERS))
    sessions = {pid for ((pid,),) in await asyncio.gather(*asked)}
    assert 1 < len(sessions) <= pgbouncer_server.SESSIONS
    modes = {row["database"]: row["pool_mode"] for row in pgbouncer_server.ask("SHOW POOLS")}
    assert modes[store._pools.address.server["dbname"]] == "transaction"


async def test_a_shared_session_shows_each_tenant_its_own(store: PostgresStore) -> None:
    for tenant in (DEFAULT_TENANT, OTHER_TENANT):
        await store.create(a_memory(1, f"of {tenant}", pool=a_pool(tenant=tenant)), rules=PoolRules())
        await store.put(a_block(f"of {tenant}", key=a_key(tenant=tenant)), expect=None, change=a_change())

    async def told(number: int) -> tuple[bool, bool]:
        tenant = (DEFAULT_TENANT, OTHER_TENANT)[number % 2]
        rows = await store.ranked(a_pool(tenant=tenant), "of", partitions=None, limit=9)
        block = await store.get(a_key(tenant=tenant))
        return [row.memory.text for row in rows] == [f"of {tenant}"], block is not None and block.text == f"of {tenant}"

    assert set(await asyncio.gather(*(told(number) for number in range(8 * CALLERS)))) == {(True, True)}


async def test_a_session_is_left_as_it_was(store: PostgresStore) -> None:
    await store.create(a_memory(1), rules=PoolRules())
    await store.touch(a_pool(), {a_memory(1).id: a_memory(2).created_at})
    with psycopg.connect(
        f"{pgbouncer_server.url_of(str(store._pools.address.server['dbname']))}", autocommit=True
    ) as db:
        for _ in range(2 * pgbouncer_server.SESSIONS):
            settings = db.execute(
                "SELECT current_setting('role'), coalesce(current_setting('wellkept.tenant', true), ''), "
                "current_setting('statement_timeout'), current_setting('synchronous_commit'), "
                "(SELECT count(*) FROM pg_prepared_statements), "
                "(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')",
                prepare=False,
            ).fetchone()
            assert settings == ("none", "", "0", "on", 0, 0)


async def test_of_many_who_open_an_empty_database_one_makes_the_schema() -> None:
    url = pgbouncer_server.url_of(postgres_server.newest().empty())
    stores = await asyncio.gather(*(postgresql.open(url) for _ in range(6)))
    assert len({(await store.facts())["schema"] for store in stores}) == 1
    for store in stores:
        await store.close()


async def test_sessions_that_end_behind_it_are_made_anew(store: PostgresStore) -> None:
    await store.put(a_block("kept"), expect=None, change=a_change())
    database = str(store._pools.address.server["dbname"])
    for _ in range(3):
        postgres_server.newest().run(postgres_server.AWAY_WITH_OTHERS, database=database)
        found = await store.get(a_key())
        assert found is not None
        assert found.text == "kept"


def test_doctor_finds_all_well() -> None:
    told = say("doctor", "--store", pgbouncer_server.fresh_url())
    assert told.code == 0, told.out
    assert "it takes writes" in told.out


async def test_a_parameter_that_it_does_not_take_is_named() -> None:
    with pytest.raises(Misconfigured, match="options"):
        await postgresql.open(f"{pgbouncer_server.fresh_url()}&options=-c%20geqo%3Doff")
