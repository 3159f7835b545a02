"""A PostgreSQL database of schema 1 is brought up to date with its data, while servers of schema 1 go on using it."""

import asyncio
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

import postgres_server
from wellkept.model.errors import NotFound
from wellkept.model.ids import DEFAULT_TENANT, MemoryId
from wellkept.model.memories import Memory, Pool, PoolRules
from wellkept.rules.instants import to_number
from wellkept.rules.rank import rank_tokens
from wellkept.stores import postgresql
from wellkept.stores.postgresql import PostgresStore, migrations
from wellkept.stores.postgresql.address import parse
from wellkept.stores.postgresql.hops import Hops, Transaction, Value
from wellkept.stores.postgresql.opening import prepare
from wellkept.stores.postgresql.pool import Pools
from wellkept.stores.postgresql.rows import to_memory
from wellkept.stores.postgresql.statements import named
from wellkept.stores.postgresql.web import vector_of
from wellkept.testing.samples import OTHER_TENANT, a_memory, a_pool, at, memory_id_of

SENT: Final = named((Path(__file__).parent / "postgresql_1.sql").read_text(encoding="utf-8"))
POOL = a_pool()
THEIRS = a_pool(tenant=OTHER_TENANT)
RULES = PoolRules(cap=20)
OWNER = "wk_test_owner_1"


class OldServer(Hops):
    """A server of schema 1: what it does with memories, message by message."""

    def __init__(self, url: str) -> None:
        self._pools = Pools(parse(url))

    async def create(self, memory: Memory, touched: Mapping[MemoryId, datetime] | None = None) -> tuple[str, ...]:
        values: dict[str, Any] = {name: getattr(memory, name) for name in ("id", "user_id", "pinned", "text")}
        for name in ("created_at", "updated_at", "last_accessed_at"):
            values[name] = to_number(getattr(memory, name))
        values |= {"origin": memory.origin, "status": memory.status, "agent": memory.agent_id, "cap": RULES.cap}
        values |= dict.fromkeys(("victims", "operation", "key", "fingerprint"))
        words = {"web_vector": vector_of(memory.text), "rank_tokens": rank_tokens(memory.text).encode()}
        values |= {"unless_in": [], "kept_since": 0, **words, **uses(touched or {})}
        rows = await self._tell(memory.tenant_id, SENT["create"], **values)
        return tuple(rows[0][1])

    async def update(self, memory: Memory) -> None:
        async def work(transaction: Transaction) -> None:
            if not await transaction.run(SENT["get_locked"], agent=memory.agent_id, id=memory.id):
                await transaction.leave()
                return
            await transaction.finish(
                SENT["update_text"],
                SENT["update_row"],
                **{name: to_number(getattr(memory, name)) for name in ("updated_at", "last_accessed_at")},
                agent=memory.agent_id,
                id=memory.id,
                text=memory.text,
                pinned=memory.pinned,
                web_vector=vector_of(memory.text),
                rank_tokens=rank_tokens(memory.text).encode(),
            )

        await self._transact(memory.tenant_id, work)

    async def delete(self, memory: Memory) -> None:
        async def work(transaction: Transaction) -> None:
            place: dict[str, Value] = {"agent": memory.agent_id, "id": memory.id}
            if not await transaction.run(SENT["lock_pool"], SENT["get_locked"], **place):
                await transaction.leave()
                return
            await transaction.finish(SENT["delete"], SENT["count_one_less"], **place)

        await self._transact(memory.tenant_id, work)

    async def touch(self, pool: Pool, touched: Mapping[MemoryId, datetime]) -> None:
        await self._mention(pool.tenant, SENT["lock_pool"], SENT["touch"], agent=pool.agent, **uses(touched))

    async def candidates(self, pool: Pool) -> list[tuple[bool, int, int, str, str]]:
        return sorted(await self._ask(pool.tenant, SENT["candidates"], agent=pool.agent, **uses({})))

    async def purge(self, pool: Pool) -> int:
        statements = (SENT["lock_pool"], SENT["delete_pools_row"], SENT["delete_pool"])
        return int((await self._tell(pool.tenant, *statements, agent=pool.agent))[0][0])

    async def rows(self, pool: Pool) -> list[Memory]:
        """Read as a list does, and as a ranked search does: both must tell the same."""
        far: dict[str, Value] = {"at": 2**62, "after": "", "limit": 1_000}
        rows = await self._ask(pool.tenant, SENT["pool_newest_first"], agent=pool.agent, **far)
        return [to_memory(pool, row) for row in rows]

    async def ranked(self, pool: Pool) -> set[Memory]:
        """Read in two messages that see the same moment."""

        async def work(transaction: Transaction) -> set[Memory]:
            ids = [id for id, _ in await transaction.run(SENT["pool_tokens"], agent=pool.agent)]
            rows = await transaction.finish(SENT["get_many"], agent=pool.agent, ids=ids)
            assert len(rows) == len(ids)
            return {to_memory(pool, row) for row in rows}

        return await self._transact(pool.tenant, work, begin="BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def close(self) -> None:
        self._pools.close()


def uses(touched: Mapping[MemoryId, datetime]) -> dict[str, Value]:
    return {"touched": [*touched], "touched_at": [to_number(at) for at in touched.values()]}


def server() -> postgres_server.Server:
    return postgres_server.newest()


async def made(url: str, monkeypatch: pytest.MonkeyPatch) -> OldServer:
    """Make schema 1 in an empty database, with memories of two tenants."""
    with monkeypatch.context() as patch:
        first = migrations.steps()[:1]
        patch.setattr(migrations, "steps", lambda: first)
        await prepare(parse(url))
    old = OldServer(url)
    for number in range(12):
        await old.create(a_memory(number, pinned=number % 5 == 0))
    await old.create(a_memory(1, "theirs", pool=THEIRS))
    await old.touch(POOL, {memory_id_of(number): at(100 + number) for number in range(6)})
    return old


@pytest.fixture(params=["a superuser's", "a superuser's, in partitions", "an ordinary owner's"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty database, and who makes its schema."""
    name = server().empty()
    if request.param != "an ordinary owner's":
        yield server().url_of(name) + ("&partitions=4" if "partitions" in request.param else "")
        return
    server().run(
        f"DROP ROLE IF EXISTS {OWNER}", f"CREATE ROLE {OWNER} LOGIN NOSUPERUSER CREATEROLE",
        "DO $$ BEGIN CREATE ROLE wellkept_app NOLOGIN; EXCEPTION WHEN duplicate_object THEN END $$",
        f"GRANT wellkept_app TO {OWNER}", f"ALTER DATABASE {name} OWNER TO {OWNER}",
    )  # fmt: skip
    yield server().url_of(name, user=OWNER)
    server().run(f"DROP DATABASE {name} WITH (FORCE)", f"DROP ROLE {OWNER}")


async def test_every_row_is_carried_over(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old = await made(url, monkeypatch)
    before = {pool: await old.rows(pool) for pool in (POOL, THEIRS)}
    assert [len(rows) for rows in before.values()] == [12, 1]
    new = await postgresql.open(url)
    for pool, rows in before.items():
        assert await new.rows(pool, partitions=None, limit=100) == rows
        assert await old.rows(pool) == rows
    assert await new.check() == []
    await closed(old, new)


async def test_an_old_server_goes_on_and_both_see_the_same(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old = await made(url, monkeypatch)
    new = await postgresql.open(url)
    assert await old.create(a_memory(30), {memory_id_of(7): at(300)}) == ()
    for number in range(31, 38):
        await new.create(a_memory(number), rules=RULES)
    # Unpinned, and used longest ago: 6, then 8; not 7 (used since), nor 0 to 5 (touched before the step).
    assert await old.create(a_memory(40)) == (memory_id_of(6),)
    assert (await new.create(a_memory(41), rules=RULES)).evicted == (memory_id_of(8),)
    await old.update(replace(a_memory(9, "another text", pinned=True), updated_at=at(50), last_accessed_at=at(51)))
    await new.update(POOL, memory_id_of(11), partitions=None, at=at(52), text="new text", pinned=True)
    await old.touch(POOL, {memory_id_of(1): at(400)})
    await new.touch(POOL, {memory_id_of(2): at(401)})
    await old.delete(a_memory(3))
    await new.delete_memory(POOL, memory_id_of(4), partitions=None)
    rows = await new.rows(POOL, partitions=None, limit=100)
    assert await old.rows(POOL) == rows
    assert await old.ranked(POOL) == set(rows)
    told = {row.id: row for row in rows}
    assert (told[memory_id_of(9)].text, told[memory_id_of(9)].pinned) == ("another text", True)
    assert (told[memory_id_of(11)].text, told[memory_id_of(11)].pinned) == ("new text", True)
    assert [told[memory_id_of(number)].last_accessed_at for number in (1, 2, 9)] == [at(400), at(401), at(51)]
    assert {memory_id_of(3), memory_id_of(4)}.isdisjoint(told)
    assert len(await old.candidates(POOL)) == len(rows)
    assert await new.check() == []
    assert await old.purge(POOL) == len(rows)
    assert await new.rows(POOL, partitions=None, limit=1) == []
    assert len(await old.rows(THEIRS)) == 1
    assert await new.check() == []
    await closed(old, new)


async def test_a_transaction_that_looked_before_the_step_does_not_find_an_empty_pool(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = await made(url, monkeypatch)
    looked = 0

    async def work(transaction: Transaction) -> int:
        nonlocal looked
        looked += 1
        await transaction.run("SELECT 1")
        if looked == 1:
            await prepare(parse(url))
        rows = await transaction.run(SENT["pool_tokens"], agent=POOL.agent)
        await transaction.leave()
        return len(rows)

    begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    assert await old._transact(DEFAULT_TENANT, work, begin=begin) == 12
    assert looked == 2, "begun anew, as after a lost connection"
    old.close()


async def test_nobody_notices_when_the_step_is_done_under_load(monkeypatch: pytest.MonkeyPatch) -> None:
    url = server().url_of(server().empty())
    old = await made(url, monkeypatch)
    ids = iter(range(1_000, 100_000))
    stop = asyncio.Event()

    async def use(store: OldServer | PostgresStore) -> int:
        done = 0
        while not stop.is_set():
            memory = a_memory(next(ids))
            touched = {memory_id_of(number): memory.created_at for number in range(12)}
            if isinstance(store, OldServer):
                await store.create(memory, touched)
                await store.update(replace(memory, text="memory, old", last_accessed_at=memory.created_at))
                assert await store.rows(POOL)
                assert await store.ranked(POOL)
                await store.touch(POOL, touched)
                await store.delete(memory)
            else:
                await store.create(memory, rules=RULES, touched=touched)
                await store.touch(POOL, touched)
                assert await store.ranked(POOL, "memory", partitions=None, limit=5)
                for row in await store.rows(POOL, partitions=None, limit=3):
                    await changed(store, row)
            done += 1
        return done

    async with asyncio.TaskGroup() as group:
        users = [group.create_task(use(old)) for _ in range(4)]
        await asyncio.sleep(0.3)
        new = await postgresql.open(url)
        users += [group.create_task(use(new)) for _ in range(4)]
        await asyncio.sleep(2)
        stop.set()
    assert all(user.result() for user in users)
    assert await new.check() == []
    assert await old.rows(POOL) == await new.rows(POOL, partitions=None, limit=100)
    await closed(old, new)


async def changed(store: PostgresStore, row: Memory) -> None:
    """Change a row, unless somebody has deleted it."""
    try:
        await store.update(POOL, row.id, partitions=None, at=row.created_at, text="memory, new")
    except NotFound:
        pass


async def closed(old: OldServer, new: PostgresStore) -> None:
    old.close()
    await new.close()
