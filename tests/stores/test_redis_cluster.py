"""Every obligation of a store of blocks on a cluster of six servers; and what only a cluster can do to it."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from hypothesis.stateful import run_state_machine_as_test

import redis_server
from store_places import SERVERS
from wellkept.contract.block_store import ANY, BlockStore
from wellkept.model.errors import Misconfigured, StoreUnavailable
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.stores import redis
from wellkept.testing.block_store import BlockStoreContract
from wellkept.testing.samples import a_block, a_change, a_key

from .test_histories import SHORT, BlockHistory
from .test_processes import TestLasting as Lasting
from .test_processes import TestSharing as Sharing


@pytest.fixture
def cluster_url() -> str:
    return redis_server.fresh_url(redis_server.shared_cluster().url)


@pytest.fixture
async def store(cluster_url: str) -> AsyncIterator[BlockStore]:
    store = await redis.open(cluster_url)
    yield store
    await store.close()


class TestBlocks(BlockStoreContract):
    """Blocks."""

    @pytest.fixture
    def open_again(self, cluster_url: str) -> Callable[[], Awaitable[BlockStore]]:
        async def again() -> BlockStore:
            return await redis.open(cluster_url)

        return again


def test_random_histories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SERVERS, "cluster", lambda: redis_server.fresh_url(redis_server.shared_cluster().url))
    run_state_machine_as_test(type("HistoryOfCluster", (BlockHistory,), {"template": "{cluster}"}), settings=SHORT)


async def test_several_processes(cluster_url: str, store: BlockStore) -> None:
    await Sharing().test_of_edits_from_several_processes_none_is_lost(cluster_url, store)
    await store.purge(DEFAULT_TENANT, "user", "maya")
    await Lasting().test_what_was_acknowledged_survives_a_kill(cluster_url, store)


async def test_keys_lie_in_many_slots_and_are_read_at_once(store: BlockStore) -> None:
    keys = [a_key(owner=f"{{same}} {number}") for number in range(30)]
    for key in keys:
        await store.put(a_block(key.owner, key=key), expect=None, change=a_change())
    assert [block and block.text for block in await store.get_many(keys)] == [key.owner for key in keys]
    servers = redis_server.shared_cluster().servers[:3]
    prefix = store._keys.prefix  # type: ignore[attr-defined]  # to count behind its back
    held = [len(list(server.client().scan_iter(f"{prefix}:wm:*", count=10_000))) for server in servers]
    assert sum(held) == 30
    assert all(held), "all blocks of owners in braces lie in one slot"
    assert (await store.facts())["shards"] == "3"


async def test_a_url_that_does_not_speak_of_the_cluster_is_refused() -> None:
    with pytest.raises(Misconfigured, match="cluster=true"):
        await redis.open(redis_server.shared_cluster().url.replace("cluster=true", ""))
    with redis_server.serving(port=redis_server.free_port()) as server:
        with pytest.raises(Misconfigured, match="not part of a cluster"):
            await redis.open(f"redis://127.0.0.1:{server.port}?cluster=true")


async def test_a_server_that_fails_is_replaced_by_its_replica() -> None:
    with redis_server.serving_cluster() as cluster:
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
