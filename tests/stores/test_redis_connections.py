"""Connections to Redis: cancelled calls, restarts and refusals."""

import asyncio
import random
import signal
from collections.abc import Callable

import pytest

import redis_server
import upstash_front
from refusing_server import answering, info
from wellkept.contract.block_store import ANY, BlockStore
from wellkept.model.blocks import Block
from wellkept.model.errors import (
    Closed,
    Misconfigured,
    StoreCorrupt,
    StoreFailed,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    WellkeptError,
)
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.stores import redis, upstash
from wellkept.stores.redis.address import Address, parse
from wellkept.testing.samples import a_block, a_change, a_key

PLACES = {
    "a server": lambda: (redis, redis_server.shared_url()),
    "a cluster": lambda: (redis, redis_server.shared_cluster().url),
    "upstash": lambda: (upstash, upstash_front.shared_front().url),
}


# ---- URLs


def test_a_url_names_a_server() -> None:
    assert parse("redis://h") == Address(host="h")
    full = "redis://sam:p%40ss@h:7000/3?prefix=app&tls=true&ca=/ca.pem&timeout=0.5&connections=9"
    assert parse(full) == Address(
        host="h", port=7000, user="sam", password="p@ss", database=3, prefix="app", tls=True, ca="/ca.pem", timeout=0.5,
        connections=9,
    )  # fmt: skip
    assert parse("redis://:secret@[::1]") == Address(host="::1", password="secret")
    assert parse("redis://?socket=/run/r.sock") == Address(socket="/run/r.sock")
    assert parse("rediss://h") == Address(host="h", tls=True)
    assert parse("redis://h:1?cluster=true") == Address(host="h", port=1, cluster=True)


@pytest.mark.parametrize(
    "url",
    ["redis://h/x", "redis://h:port", "redis://h?what=1", "redis://h?tls=yes", "redis://h?prefix=wm", "redis://h/-1",
     "redis://h?timeout=0", "redis://h?timeout=nan", "redis://h?connections=0", "redis://h/1?cluster=true",
     "redis://h?socket=/s&cluster=true", "redis://h#x", "redis://:pass-word@h?x", "redis+tls://h"],
)  # fmt: skip
def test_what_names_none_says_how_to_and_no_secret(url: str) -> None:
    with pytest.raises(Misconfigured, match=r"redis://") as caught:
        parse(url)
    assert "pass-word" not in f"{caught.value} {caught.value.__cause__}"


# ---- calls that are cancelled


@pytest.mark.parametrize("kind", PLACES)
async def test_a_cancelled_call_leaves_no_answer_for_the_next(kind: str) -> None:
    module, url = PLACES[kind]()
    store: BlockStore = await module.open(f"{redis_server.fresh_url(url)}&connections=4")
    keys = [a_key(owner=f"o{number}") for number in range(8)]
    for key in keys:
        await store.put(a_block(key.owner * 2_000, key=key), expect=None, change=a_change())
    chance = random.Random(1)
    cancelled = wrong = 0

    async def read(key_number: int) -> None:
        nonlocal wrong
        asked = keys[key_number : key_number + chance.choice([1, 1, 3])]
        found = await store.get_many(asked)
        wrong += [block and block.text for block in found] != [key.owner * 2_000 for key in asked]

    async def impatient() -> None:
        nonlocal cancelled
        while cancelled < 200:
            task = asyncio.create_task(read(chance.randrange(8)))
            await asyncio.sleep(chance.random() * 0.003)
            cancelled += task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def patient() -> None:
        while cancelled < 200:
            await read(chance.randrange(8))

    await asyncio.gather(*(impatient() for _ in range(4)), *(patient() for _ in range(3)))
    assert (cancelled >= 200, wrong) == (True, 0)
    for number in range(8):
        await read(number)
    assert wrong == 0
    await store.close()


async def test_more_calls_than_connections_wait_for_each_other() -> None:
    store = await redis.open(f"{redis_server.fresh_url(redis_server.shared_url())}&connections=2")
    await store.put(a_block(), expect=None, change=a_change())
    assert await asyncio.gather(*(store.get(a_key()) for _ in range(60))) == [a_block()] * 60
    await store.close()


async def test_there_are_no_more_connections_than_allowed(own: redis_server.Server) -> None:
    store = await redis.open(f"{own.url}&connections=2")
    await asyncio.gather(*(store.get(a_key()) for _ in range(40)))
    with own.client() as raw:
        others = [one for one in raw.client_list() if int(one["id"]) != raw.client_id()]
    assert 1 <= len(others) <= 2
    await store.close()


async def test_blocks_lie_in_the_database_that_the_url_names(own: redis_server.Server) -> None:
    store = await redis.open(own.url.replace("redis://?", "redis:///3?"))
    await store.put(a_block(), expect=None, change=a_change())
    with own.client() as first, own.client(db=3) as third:
        assert (first.dbsize(), third.dbsize()) == (0, 2)
    await store.close()


def appending(line: str) -> Callable[[Block | None], str]:
    return lambda block: (block.text if block else "") + line


async def test_sixteen_writers_lose_nothing() -> None:
    url = redis_server.fresh_url(redis_server.shared_url())
    stores = [await redis.open(url) for _ in range(16)]

    async def write(store: BlockStore, name: int) -> None:
        for number in range(5):
            await store.edit(a_key(), appending(f"{name}.{number}\n"), change=a_change())

    await asyncio.gather(*(write(store, name) for name, store in enumerate(stores)))
    block = await stores[0].get(a_key())
    assert block is not None
    assert sorted(block.text.split()) == sorted(f"{name}.{number}" for name in range(16) for number in range(5))
    for store in stores:
        await store.close()


@pytest.mark.parametrize("kind", PLACES)
def test_a_store_may_be_used_from_one_loop_after_another(kind: str) -> None:
    module, url = PLACES[kind]()
    store: BlockStore = asyncio.run(module.open(redis_server.fresh_url(url)))
    assert asyncio.run(store.put(a_block(), expect=None, change=a_change())).changed
    for _ in range(2):
        assert asyncio.run(store.get(a_key())) == a_block()
    asyncio.run(store.close())


async def test_a_closed_store_says_so() -> None:
    for module, url in (place() for place in PLACES.values()):
        store = await module.open(redis_server.fresh_url(url))
        await store.close()
        with pytest.raises(Closed):
            await store.get(a_key())


# ---- servers that go and come back


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
async def test_a_restart_under_load_loses_nothing(own: redis_server.Server, how: signal.Signals) -> None:
    store = await redis.open(own.url)
    acknowledged: list[list[int]] = [[] for _ in range(4)]
    ended = asyncio.Event()
    others: list[BaseException] = []

    async def write(name: int) -> None:
        number = 0
        while not ended.is_set():
            number += 1
            try:
                await store.put(a_block(str(number), key=a_key(owner=f"o{name}")), expect=ANY, change=a_change())
                acknowledged[name].append(number)
            except StoreUnavailable:
                await asyncio.sleep(0.01)
            except WellkeptError as error:
                others.append(error)

    writers = [asyncio.create_task(write(name)) for name in range(4)]
    await asyncio.sleep(0.3)
    await asyncio.to_thread(own.stop, how)
    await asyncio.sleep(0.2)
    await asyncio.to_thread(own.start)
    before = [len(done) for done in acknowledged]
    for _ in range(250):  # five seconds
        if all(len(done) > was for done, was in zip(acknowledged, before, strict=True)):
            break
        await asyncio.sleep(0.02)
    ended.set()
    await asyncio.gather(*writers)
    assert not others
    assert all(len(done) > was for done, was in zip(acknowledged, before, strict=True)), "it did not come back"
    for name, done in enumerate(acknowledged):
        block = await store.get(a_key(owner=f"o{name}"))
        assert block is not None
        assert int(block.text) >= done[-1]
        assert len(await store.blocks(DEFAULT_TENANT, "user", f"o{name}")) == 1
    await store.close()


async def test_reads_outlive_connections_that_were_cut(own: redis_server.Server) -> None:
    store = await redis.open(own.url)
    await store.put(a_block(), expect=None, change=a_change())
    with own.client() as raw:
        for _ in range(20):
            raw.client_kill_filter(_type="normal", skipme=True)
            assert await store.get(a_key()) == a_block()
    await store.close()


async def test_a_server_that_is_not_there_is_said_at_once() -> None:
    for url in ("redis://127.0.0.1:1", "redis://?socket=/nowhere/s", "redis://127.0.0.1:1?cluster=true"):
        with pytest.raises(StoreUnavailable) as caught:
            await redis.open(url)
        assert caught.value.__cause__ is not None


async def test_a_server_that_does_not_answer_is_left_after_the_timeout() -> None:
    async with answering(lambda name: None) as url:
        async with asyncio.timeout(5):
            with pytest.raises(StoreUnavailable) as caught:
                await redis.open(url)
    assert caught.value.facts["reason"] == "TIMEOUT"


async def test_a_write_whose_answer_is_lost_is_sent_once_and_a_read_again() -> None:
    sent: list[str] = []

    def answer(name: str) -> bytes:
        if name in ("INFO", "CONFIG"):
            return HEALTHY if name == "INFO" else b"*0\r\n"
        sent.append(name)
        raise ConnectionResetError  # which cuts the connection

    async with answering(answer) as url:
        store = await redis.open(url)
        for work in (store.put(a_block(), expect=ANY, change=a_change()), store.get(a_key())):
            with pytest.raises(StoreUnavailable):
                await work
        await store.close()
    assert sent == ["EVALSHA", "HMGET", "HMGET", "HMGET"]


# ---- what a server refuses

HEALTHY = info(redis_version="7.2.4", aof_enabled="1", maxmemory="0", maxmemory_policy="noeviction")

REFUSALS = {
    "-OOM command not allowed when used memory > 'maxmemory'. script: x": StoreFull,
    "-READONLY You can't write against a read only replica.": StoreReadOnly,
    "-MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.": StoreReadOnly,
    "-NOREPLICAS Not enough good replicas to write.": StoreReadOnly,
    "-LOADING Redis is loading the dataset in memory": StoreUnavailable,
    "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.": StoreUnavailable,
    "-BUSY Redis is busy running a script.": StoreUnavailable,
    "-CLUSTERDOWN The cluster is down": StoreUnavailable,
    "-TRYAGAIN Multiple keys request during rehashing of slot": StoreUnavailable,
    "-NOAUTH Authentication required.": Misconfigured,
    "-WRONGPASS invalid username-password pair or user is disabled.": Misconfigured,
    "-NOPERM User default has no permissions to run the 'evalsha' command": Misconfigured,
    "-MOVED 1 127.0.0.1:1": Misconfigured,
    "-WRONGTYPE Operation against a key holding the wrong kind of value": StoreCorrupt,
    "-ERR secret words of a user": StoreFailed,
}


@pytest.mark.parametrize(("line", "kind"), REFUSALS.items(), ids=[line[1:12] for line in REFUSALS])
async def test_what_the_server_refuses_has_a_name(line: str, kind: type[WellkeptError]) -> None:
    refusing = False

    def answer(name: str) -> bytes:
        if not refusing:
            return HEALTHY if name == "INFO" else b"*0\r\n"
        return f"{line}\r\n".encode()

    async with answering(answer) as url:
        store = await redis.open(url)
        refusing = True
        for work in (
            lambda: store.put(a_block(), expect=None, change=a_change()),
            lambda: store.get(a_key()),
            lambda: store.check(),
        ):
            with pytest.raises(kind) as caught:
                await work()
            assert type(caught.value) is kind
            assert "secret" not in caught.value.message
            assert caught.value.__cause__ is not None
        await store.close()


async def test_a_full_server_takes_no_block_and_lets_one_delete(own: redis_server.Server) -> None:
    store = await redis.open(own.url)
    await store.put(a_block(), expect=None, change=a_change())
    with own.client() as raw:
        raw.config_set("maxmemory", 1)
        for work in (
            store.put(a_block("new"), expect=ANY, change=a_change()),
            store.put(a_block(key=a_key("NEW")), expect=None, change=a_change()),
        ):
            with pytest.raises(StoreFull):
                await work
        assert await store.get(a_key()) == a_block()
        assert await store.delete(a_key(), change=a_change()) is True
        assert await store.blocks(DEFAULT_TENANT, "user", "maya") == []
        raw.config_set("maxmemory", 0)
    assert (await store.put(a_block(), expect=None, change=a_change())).changed
    await store.close()


async def test_a_replica_is_read_and_not_written(own: redis_server.Server) -> None:
    store = await redis.open(own.url)
    await store.put(a_block(), expect=None, change=a_change())
    with own.client() as raw:
        raw.execute_command("REPLICAOF", "127.0.0.1", 1)
        with pytest.raises(StoreReadOnly):
            await store.put(a_block("new"), expect=ANY, change=a_change())
        assert await store.get(a_key()) == a_block()
        raw.execute_command("REPLICAOF", "NO", "ONE")
    await store.close()


async def test_a_password_is_asked_for_and_never_told() -> None:
    with redis_server.serving("--requirepass", "pass-word") as server:
        for secret in ("", ":wrong-pass@", "sam:wrong-pass@"):
            with pytest.raises(Misconfigured) as caught:
                await redis.open(f"redis://{secret}?socket={server.socket}")
            assert "pass-word" not in caught.value.message
            assert "wrong-pass" not in caught.value.message
        store = await redis.open(f"redis://:pass-word@?socket={server.socket}")
        assert (await store.put(a_block(), expect=None, change=a_change())).changed
        await store.close()
