"""What the in-process store keeps beyond the contracts."""

from wellkept.contract.directory import Directory
from wellkept.contract.review_store import ReviewStore
from wellkept.contract.session_store import SessionStore
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.model.memories import PoolRules
from wellkept.stores.inproc import InprocStore, open
from wellkept.testing.samples import a_block, a_change, a_key, a_memory, a_pool, at, memory_id_of


async def test_each_store_is_its_own_unless_it_has_a_name() -> None:
    one, other = await open("inproc://"), await open("inproc://")
    named, same, another = [await open(f"inproc://{name}") for name in ("test-one", "test-one", "test-two")]
    await one.put(a_block(), expect=None, change=a_change())
    await named.put(a_block(), expect=None, change=a_change())
    await named.close()
    assert await other.get(a_key()) is None
    assert await same.get(a_key()) == a_block()
    assert await another.get(a_key()) is None


def test_it_keeps_everything() -> None:
    assert issubclass(InprocStore, Directory | SessionStore | ReviewStore)


async def test_asking_for_what_is_not_there_leaves_nothing_behind() -> None:
    store = InprocStore()
    for number in range(3):
        pool = a_pool(f"ag_{number}")
        await store.get(a_key(owner=f"u{number}"))
        await store.revisions(a_key(owner=f"u{number}"))
        await store.delete(a_key(owner=f"u{number}"), change=a_change())
        await store.blocks(DEFAULT_TENANT, "user", f"u{number}")
        await store.memory(pool, memory_id_of(1), partitions=None)
        await store.rows(pool, partitions=None, limit=9)
        await store.touch(pool, {memory_id_of(1): at()})
        await store.delete_memory(pool, memory_id_of(1), partitions=None)
        await store.agent(DEFAULT_TENANT, pool.agent)
    assert (store._data.shelves, store._data.pools, store._data.agents) == ({}, {}, {})


async def test_words_are_read_from_a_text_once() -> None:
    store = InprocStore()
    await store.create(a_memory(1, "tea"), rules=PoolRules())
    row = store._data.pools[a_pool()].by_id[memory_id_of(1)]
    await store.rows(a_pool(), partitions=None, limit=9, web="tea")
    await store.ranked(a_pool(), "tea", partitions=None, limit=9)
    vector, tokens = row.vector, row.tokens
    await store.touch(a_pool(), {memory_id_of(1): at(9)})
    kept = store._data.pools[a_pool()].by_id[memory_id_of(1)]
    assert (kept.vector is vector, kept.tokens is tokens) == (True, True)
