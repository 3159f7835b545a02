"""What the SQLite store's rows come to beyond the contracts: who leaves a pool, and what is gone with an agent."""

import random
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from wellkept.model.agents import AgentConfig, AgentRecord
from wellkept.model.directory import Once
from wellkept.model.ids import DEFAULT_TENANT, AgentId, SessionId, TenantId
from wellkept.model.memories import Memory, PoolRules
from wellkept.model.review import HeldMemorySave, HeldWrite
from wellkept.model.sessions import Session, SessionKey, SessionMessage
from wellkept.rules.evict import Candidate, victims
from wellkept.stores import sqlite
from wellkept.stores.sqlite import SqliteStore
from wellkept.testing.samples import OTHER_TENANT, a_change, a_key, a_memory, a_pool, at, becomes


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await sqlite.open(f"sqlite:///{tmp_path}/wellkept.db?synchronous=normal")
    yield store
    await store.close()


# ---------------------------------------------------------------- who leaves


@pytest.mark.parametrize("reserve", [0, 2])
@pytest.mark.parametrize("seed", range(10))
async def test_rows_leave_in_the_order_of_the_rule(store: SqliteStore, seed: int, reserve: int) -> None:
    chance = random.Random(seed)
    rows = [
        a_memory(
            number,
            user=chance.choice(["", "maya", "sam"]),
            created=chance.randrange(3),
            used=chance.randrange(3),
            pinned=chance.random() < 0.3,
        )
        for number in chance.sample(range(100), 30)
    ]
    for row in rows:
        await store.create(row, rules=PoolRules())
    new = a_memory(200, user=chance.choice(["", "maya"]))
    rules = PoolRules(cap=chance.randrange(1, 31), per_user_reserve=min(reserve, 1))
    need = len(rows) + 1 - rules.cap
    created = await store.create(new, rules=rules)
    assert created.evicted == victims(map(candidate, rows), rules=rules, need=need, joining=new.user_id)
    assert await store.count(a_pool()) == rules.cap


def candidate(memory: Memory) -> Candidate:
    return Candidate(memory.pinned, memory.last_accessed_at, memory.created_at, memory.id, memory.user_id)


# ---------------------------------------------------------------- what is gone


async def fill(store: SqliteStore, tenant: TenantId, agent: str) -> None:
    """Keep something of every kind that belongs to an agent."""
    pool = a_pool(agent, tenant=tenant)
    config = AgentConfig(name="Support")
    record = AgentRecord(
        tenant=tenant,
        id=pool.agent,
        user_id="",
        version=1,
        status="active",
        config=config,
        created_at=at(),
        updated_at=at(),
    )
    once = Once(operation="create", key=agent, fingerprint="f")
    await store.add_agent(record, once=once)
    await store.add_version(tenant, pool.agent, becomes(config), at=at(1))
    await store.create(a_memory(1, pool=pool), rules=PoolRules(), once=once)
    for scope in ("agent", "user"):
        key = a_key(owner=agent, scope=scope, tenant=tenant)
        await store.edit(key, lambda block: "text", change=a_change())
    session = SessionKey(tenant=tenant, agent=pool.agent, session=SessionId("s1"))
    await store.open(Session(key=session, user=None, version=None, created_at=at(), updated_at=at()))
    await store.append(session, [SessionMessage(number=1, role="user", text="hi", at=at())], at=at())
    await store.claim(session, "me", at=at(), until=at(60))
    held = HeldWrite(
        id=f"hold_{agent}",
        tenant=tenant,
        agent=pool.agent,
        user="maya",
        session=None,
        reason="policy",
        findings=(),
        action=HeldMemorySave(text="text", user_id="maya"),
        created_at=at(),
    )
    await store.hold(held, most=10)


async def dump(store: SqliteStore) -> list[tuple[object, ...]]:
    return await store._read(
        lambda db: [
            (table, *row)
            for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
            for row in db.execute(f"SELECT * FROM {table} ORDER BY 1, 2")
        ]
    )


async def test_nothing_of_a_deleted_agent_stays_and_nothing_else_goes(store: SqliteStore) -> None:
    await fill(store, DEFAULT_TENANT, "ag_other")
    await fill(store, OTHER_TENANT, "ag_gone")
    before = await dump(store)
    await fill(store, DEFAULT_TENANT, "ag_gone")
    assert len(await dump(store)) >= len(before) + 12
    assert await store.delete_agent(DEFAULT_TENANT, AgentId("ag_gone"))
    left = [row for row in await dump(store) if row not in before]
    # A user who happens to be called like the agent keeps what is theirs; the key with which the agent was made
    # goes on to answer that it is gone; and its id alone says that nothing may come after.
    assert {(row[0], *row[1:5]) for row in left} == {
        ("blocks", "default", "user", "ag_gone", "USER"),
        ("block_revisions", "default", "user", "ag_gone", "USER"),
        ("done_once", "default", "", "create", "ag_gone"),
        ("deleted_agents", "default", "ag_gone"),
    }
    assert [row for row in before if row not in await dump(store)] == []


async def test_what_was_deleted_is_not_in_the_file(tmp_path: Path) -> None:
    store = await sqlite.open(f"sqlite:///{tmp_path}/wellkept.db")
    for number in range(20):
        await store.create(a_memory(number, f"heliotrope {number} " * 40), rules=PoolRules())
    await store.delete_memory(a_pool(), a_memory(7).id, partitions=None)
    await store.update(a_pool(), a_memory(8).id, partitions=None, at=at(), text="replaced")
    await store.purge_pool(a_pool("ag_none"))
    await store.close()
    (file,) = tmp_path.iterdir()
    data = file.read_bytes()
    assert b"heliotrope 9 " in data
    assert b"heliotrope 7 " not in data
    assert b"heliotrope 8 " not in data


# ---------------------------------------------------------------- idempotency keys


async def test_a_key_is_new_again_after_a_day_and_leaves_no_text(store: SqliteStore) -> None:
    once = Once(operation="create", key="k1", fingerprint="f")
    first = await store.create(a_memory(1, "secret text"), rules=PoolRules(), once=once)
    day = timedelta(hours=24).total_seconds()
    replayed = await store.create(a_memory(2, created=day), rules=PoolRules(), once=once)
    assert (replayed.memory, replayed.changed) == (first.memory, False)
    (row,) = await store._read(lambda db: db.execute("SELECT * FROM done_once").fetchall())
    assert "secret text" not in str(row)
    later = replace(once, fingerprint="another")
    again = await store.create(a_memory(3, created=day + 2), rules=PoolRules(), once=later)
    assert again.changed
    ((count,),) = await store._read(lambda db: db.execute("SELECT count(*) FROM done_once").fetchall())
    assert count == 1
