"""How long PostgreSQL remembers an idempotency key."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from msgspec.structs import replace

import postgres_server
from wellkept.model.directory import Once
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.model.memories import PoolRules
from wellkept.stores import postgresql
from wellkept.stores.postgresql import PostgresStore
from wellkept.testing.samples import a_memory, an_agent

DAY = timedelta(hours=24).total_seconds()
ONCE = Once(operation="create", key="k1", fingerprint="f")
LATER = replace(ONCE, fingerprint="another")
COUNT = "SELECT count(*) FROM wellkept.done_once"


@pytest.fixture
async def store() -> AsyncIterator[PostgresStore]:
    store = await postgresql.open(postgres_server.newest().fresh_url())
    yield store
    await store.close()


async def test_a_memorys_key_is_new_again_after_a_day(store: PostgresStore) -> None:
    first = await store.create(a_memory(1), rules=PoolRules(), once=ONCE)
    replayed = await store.create(a_memory(2, created=DAY - 1), rules=PoolRules(), once=ONCE)
    assert (replayed.memory, replayed.changed) == (first.memory, False)
    assert (await store.create(a_memory(3, created=DAY + 1), rules=PoolRules(), once=LATER)).changed
    assert await store._ask(DEFAULT_TENANT, COUNT) == [(1,)]


async def test_an_agents_key_is_new_again_after_a_day(store: PostgresStore) -> None:
    first = await store.add_agent(an_agent("ag_one"), once=ONCE)
    assert await store.add_agent(an_agent("ag_two", when=DAY - 1), once=ONCE) == first
    assert (await store.add_agent(an_agent("ag_three", when=DAY + 1), once=LATER)).id == "ag_three"
    assert await store._ask(DEFAULT_TENANT, COUNT) == [(1,)]


async def test_old_keys_of_others_are_forgotten_on_the_way(store: PostgresStore) -> None:
    await store.create(a_memory(1), rules=PoolRules(), once=ONCE)
    await store.create(a_memory(2, created=DAY + 1), rules=PoolRules(), once=replace(ONCE, key="k2"))
    assert await store._ask(DEFAULT_TENANT, COUNT) == [(1,)]
