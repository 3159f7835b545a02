"""What a Redis server says about itself when a store is opened: its version, what it may lose, what it may evict."""

import logging

import pytest

import redis_server
from refusing_server import answering, info
from wellkept.model.errors import (
    Misconfigured,
)
from wellkept.stores import redis


@pytest.mark.parametrize("version", ["2.8.24", "6.2.14"])
async def test_a_server_that_is_too_old_is_refused(version: str) -> None:
    async with answering(lambda name: info(redis_version=version) if name == "INFO" else b"*0\r\n") as url:
        with pytest.raises(Misconfigured, match=rf"Redis {version}.*7\.0"):
            await redis.open(url)


NEWER = [
    {"redis_version": "7.0.0"},
    {"redis_version": "10.1.0"},
    {"redis_version": "6.0.0", "valkey_version": "7.2.5"},
]


@pytest.mark.parametrize("told", NEWER, ids=str)
async def test_a_newer_one_is_taken(told: dict[str, str]) -> None:
    async with answering(lambda name: info(**told) if name == "INFO" else b"*0\r\n") as url:
        await (await redis.open(url)).close()


RISKS: dict[str, tuple[dict[str, str], bytes, str, str]] = {
    "all is well": ({"aof_enabled": "1"}, b"*2\r\n$4\r\nsave\r\n$0\r\n\r\n", "appendonly", ""),
    "nothing is saved": ({"aof_enabled": "0"}, b"*2\r\n$4\r\nsave\r\n$0\r\n\r\n", "OFF: appendonly is no", "OFF"),
    "snapshots": ({"aof_enabled": "0"}, b"*2\r\n$4\r\nsave\r\n$6\r\n3600 1\r\n", "snapshots only", "snapshots only"),
    "it may not be asked": ({"aof_enabled": "0"}, b"-NOPERM no\r\n", "cannot tell", "cannot tell"),
}


@pytest.mark.parametrize(("told", "save", "fact", "risk"), RISKS.values(), ids=RISKS.keys())
async def test_it_says_when_the_server_may_lose_data(
    told: dict[str, str], save: bytes, fact: str, risk: str, caplog: pytest.LogCaptureFixture
) -> None:
    whole = info(redis_version="7.4.0", maxmemory="0", maxmemory_policy="noeviction", **told)
    async with answering(lambda name: whole if name == "INFO" else save) as url:
        with caplog.at_level(logging.WARNING):
            store = await redis.open(url)
        assert (await store.facts())["persistence"].startswith(fact)
        await store.close()
    assert [risk in record.getMessage() for record in caplog.records] == ([True] if risk else [])


EVICTIONS = [
    ("noeviction", "100", "never", False),
    ("allkeys-lru", "100", "ON: data are thrown away", True),
    ("allkeys-random", "100", "ON", True),
    ("allkeys-lru", "0", "never yet", False),
    ("volatile-ttl", "100", "never what is kept", False),
]


@pytest.mark.parametrize(("policy", "most", "fact", "warns"), EVICTIONS)
async def test_it_says_when_the_server_may_evict_blocks(
    policy: str, most: str, fact: str, warns: bool, caplog: pytest.LogCaptureFixture
) -> None:
    whole = info(redis_version="7.4.0", aof_enabled="1", maxmemory=most, maxmemory_policy=policy)
    async with answering(lambda name: whole if name == "INFO" else b"*0\r\n") as url:
        store = await redis.open(url)
        assert (await store.facts())["eviction"].startswith(fact)
        await store.close()
    assert bool(caplog.records) == warns


async def test_a_real_server_says_it_too(own: redis_server.Server) -> None:
    with own.client() as raw:
        raw.config_set("appendonly", "no")
        raw.config_set("maxmemory", "1gb")
        raw.config_set("maxmemory-policy", "allkeys-lfu")
    store = await redis.open(own.url)
    facts = await store.facts()
    assert (facts["persistence"][:3], facts["eviction"][:2], facts["server"][:6]) == ("OFF", "ON", "Valkey")
    await store.close()
