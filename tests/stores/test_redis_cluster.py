"""What only a cluster of servers can do to a store. (The suites run on one, too: see `conftest`.)"""

import asyncio
import signal
from collections.abc import AsyncIterator

import pytest

import redis_server
from wellkept.contract.block_store import ANY, BlockStore
from wellkept.model.errors import Misconfigured, StoreUnavailable
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.stores import redis
from wellkept.testing.samples import a_block, a_change, a_key


@pytest.fixture
def cluster_url() -> str:
    return redis_server.fresh_url(redis_server.shared_cluster().url)


@pytest.fixture
async def store(cluster_url: str) -> AsyncIterator[BlockStore]:
    store = await redis.open(cluster_url)
    yield store
    await store.close()


async def test_keys_lie_in_many_slots_and_are_read_at_once(store: BlockStore) -> None:
    keys = [a_key(owner=f"{{same}} {number}") for number in range(30)]
    for key in keys:
        await store.put(a_block(key.owner, key=key), expect=None, change=a_change())
    assert [block and block.text for block in await store.get_many(keys)] == [key.owner for key in keys]
    servers = redis_server.shared_cluster().servers[:3]
    prefix = store._keys.prefix  # type: ignore[attr-defined]  # to count behind its back
    held = [len(list(server.client().scan_iter(f"{prefix}:wm:*", count=10_000))) for server in servers]
    assert sum(held) == 30
    assert sum(map(bool, held)) > 1, "all blocks of owners in braces lie in one slot"
    assert (await store.facts())["shards"] == "3"


async def test_a_look_at_all_keys_is_a_look_at_all_servers(store: BlockStore) -> None:
    for number in range(30):
        await store.put(a_block(key=a_key(owner=f"o{number}")), expect=None, change=a_change())
    prefix = store._keys.prefix  # type: ignore[attr-defined]  # to lose the indexes behind its back
    for server in redis_server.shared_cluster().servers[:3]:
        with server.client() as raw:
            for index in raw.scan_iter(f"{prefix}:wm-index:*", count=10_000):
                raw.delete(index)
    assert len(await store.check()) == 30
    assert await store.check() == []


async def test_a_url_that_does_not_speak_of_the_cluster_is_refused() -> None:
    with pytest.raises(Misconfigured, match="cluster=true"):
        await redis.open(redis_server.shared_cluster().url.replace("cluster=true", ""))
    with (
        redis_server.serving(port=redis_server.free_port()) as server,
        pytest.raises(Misconfigured, match="not part of a cluster"),
    ):
        await redis.open(f"redis://127.0.0.1:{server.port}?cluster=true")


async def test_a_server_that_fails_is_replaced_by_its_replica() -> None:
    with redis_server.serving_cluster(patience_ms=2_000) as cluster:
        store = await redis.open(f"{cluster.url}&timeout=2")
        keys = [a_key(owner=f"o{number}") for number in range(12)]
        for key in keys:
            await store.put(a_block("before", key=key), expect=None, change=a_change())
        await asyncio.sleep(1)  # replicas hear of it a moment later
        cluster.servers[1].stop(signal.SIGKILL)
        done = 0
        loop = asyncio.get_running_loop()
        until = loop.time() + 30
        for key in keys:
            while True:
                try:
                    await store.put(a_block("after", key=key), expect=ANY, change=a_change())
                    break
                except StoreUnavailable:
                    assert loop.time() < until, "the store does not find the replica"
                    await asyncio.sleep(0.2)
            done += 1
        assert [block and block.text for block in await store.get_many(keys)] == ["after"] * done
        for key in keys:
            assert len(await store.blocks(DEFAULT_TENANT, "user", key.owner)) == 1
        await store.close()
