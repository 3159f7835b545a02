"""What a cache before a durable store does, and what its trouble does not."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import cast

import pytest

from tiered_house import HASTY, TROUBLES, House
from troubled_store import Trouble, TroubledStore
from wellkept.contract.block_store import ANY, BlockStore
from wellkept.contract.capability import Capability
from wellkept.model.errors import Conflict, Misconfigured, StoreFailed, StoreUnavailable
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.stores.files import FileStore
from wellkept.stores.inproc import InprocStore
from wellkept.testing.samples import AWKWARD_TEXTS, a_block, a_change, a_key
from wellkept.wrappers.tiered import CacheStats, Tiered, envelope

# ---- reading through


async def test_what_was_read_once_is_read_from_the_cache(house: House) -> None:
    await house.durable.put(a_block("1", when=7), expect=None, change=a_change())
    house.durable.calls.clear()
    for store in (house.mine, house.mine, house.theirs):
        assert await store.get(a_key()) == a_block("1", when=7)
    assert house.durable.calls == ["get"]
    assert house.mine.stats == CacheStats(hits=1, misses=1, fills=1)
    assert house.theirs.stats == CacheStats(hits=1)


async def test_that_there_is_no_block_is_cached_too(house: House) -> None:
    assert [await house.mine.get(a_key()) for _ in range(3)] == [None] * 3
    assert house.durable.calls == ["get"]
    await house.write("1", by=house.theirs)
    assert await house.read(house.mine) == "1"


async def test_what_was_written_is_read_from_the_cache(house: House) -> None:
    await house.write("1")
    await house.mine.edit(a_key(), lambda stored: f"{stored.text if stored else ''}2", change=a_change())
    house.durable.calls.clear()
    assert await house.read(house.theirs) == "12"
    assert house.durable.calls == []


@pytest.mark.parametrize("text", AWKWARD_TEXTS.values(), ids=AWKWARD_TEXTS.keys())
async def test_a_copy_is_exact(house: House, text: str) -> None:
    block = a_block(text, when=0.000001)
    await house.durable.put(block, expect=None, change=a_change())
    assert [await house.theirs.get(a_key()) for _ in range(2)] == [block, block]
    assert house.theirs.stats.hits == 1


async def test_a_copy_is_shown_for_its_time_only_whichever_way_the_clock_goes(house: House) -> None:
    for seconds in (60, -60, -60, 60):
        await house.read(house.mine)
        house.durable.calls.clear()
        house.clock.advance(seconds * 0.99)
        await house.read(house.mine)
        assert house.durable.calls == []
        house.clock.advance(seconds * 0.02)
        await house.read(house.mine)
        assert house.durable.calls == ["get"]


async def test_many_are_read_with_one_question_to_each_store(house: House) -> None:
    keys = [a_key(name) for name in ("A", "B", "C")]
    await house.mine.put(a_block("b", key=keys[1]), expect=None, change=a_change())
    house.way.calls.clear()
    house.durable.calls.clear()
    found = await house.mine.get_many([*keys, keys[1]])
    assert [block and block.text for block in found] == [None, "b", None, "b"]
    assert (house.durable.calls, house.way.calls) == (["get"], ["get", "put", "put", "put", "put"])


async def test_an_envelope_in_an_envelope_is_a_text(house: House) -> None:
    text = envelope.copy_of(a_block("inner"), mark="m", as_of=house.clock.now())
    await house.write(text)
    assert [await house.read(store) for store in (house.mine, house.theirs)] == [text, text]


# ---- the cache in trouble: ORIGINS 1.3


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_trouble_fails_no_call_and_slows_it_by_the_timeout_at_most(house: House, trouble: Trouble) -> None:
    await house.write("0")
    house.trouble(trouble)
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: house.mine.get(a_key()),
        lambda: house.mine.get_many([a_key(), a_key("B"), a_key("C")]),
        lambda: house.mine.put(a_block("1"), expect=ANY, change=a_change()),
        lambda: house.mine.edit(a_key(), lambda _: "2", change=a_change()),
        lambda: house.mine.blocks(DEFAULT_TENANT, "user", "maya"),
        lambda: house.mine.delete(a_key(), change=a_change()),
        lambda: house.mine.purge(DEFAULT_TENANT, "user", "maya"),
        lambda: house.mine.check(),
    ]
    for call in calls:
        began = time.perf_counter()
        await call()
        assert time.perf_counter() - began < HASTY + 0.5
    stats = house.mine.stats
    assert (stats.timeouts if trouble == "hangs" else stats.errors) >= len(calls) - 1


async def test_a_cache_that_does_not_let_go_is_not_waited_for(house: House) -> None:
    class Stubborn(InprocStore):
        async def get_many(self, keys: object) -> list[object]:  # type: ignore[override] # it never answers
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                await asyncio.sleep(1)
            return []

    house.timeout = HASTY
    store = house.tiered(Stubborn())
    began = time.perf_counter()
    assert await store.get(a_key()) is None
    assert time.perf_counter() - began < 0.9


async def test_what_was_written_while_the_cache_failed_is_written_once_and_acknowledged(house: House) -> None:
    """A failed cache made a save look failed, and the tool that tried again doubled the entry."""
    house.way.trouble = "fails"
    edited = await house.mine.edit(a_key(), lambda stored: (stored.text if stored else "") + "x", change=a_change())
    assert edited.changed
    assert [past.text for past in await house.mine.revisions(a_key())] == ["x"]


async def test_a_change_by_another_process_is_seen_at_once(house: House) -> None:
    """A block changed by another process stayed stale for ever."""
    await house.write("1")
    for store in (house.mine, house.theirs):
        await house.read(store)
    await house.write("2", by=house.theirs)
    assert await house.read(house.mine) == "2"
    await house.theirs.delete(a_key(), change=a_change())
    assert await house.read(house.mine) is None


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_whoever_could_not_fence_never_reads_the_old_copy_and_others_only_for_its_time(
    house: House, trouble: Trouble
) -> None:
    await house.write("old")
    house.trouble(trouble)
    await house.write("new")
    assert await house.read(house.mine) == "new"
    assert house.mine.stats.unfenced == house.mine.stats.owed == 1
    if trouble != "loses":
        assert await house.read(house.theirs) == "old"  # The bound that the documents state.
    house.clock.advance(60)
    assert await house.read(house.theirs) == "new"


@pytest.mark.parametrize("call", ["this block", "another block", "a write"])
async def test_what_is_owed_is_paid_with_the_next_call_that_reaches_the_cache(house: House, call: str) -> None:
    await house.write("old")
    house.way.trouble = "fails"
    await house.write("new")
    house.way.trouble = "none"
    if call == "a write":
        await house.mine.put(a_block("x", key=a_key("B")), expect=ANY, change=a_change())
    else:
        await house.mine.get(a_key() if call == "this block" else a_key("B"))
    assert house.mine.stats.owed == 0
    assert await house.read(house.theirs) == "new"


async def test_a_debt_ends_by_itself_with_the_time_of_the_copies(house: House) -> None:
    house.way.trouble = "fails"
    await house.write("new")
    house.clock.advance(60)
    house.way.befalls = lambda operation: operation == "edit"
    await house.mine.get(a_key("B"))
    assert house.mine.stats.owed == 0


async def test_a_fence_that_came_late_still_takes_the_copy_away(house: House) -> None:
    await house.write("old")
    house.way.hung = 3 * HASTY
    house.trouble("hangs")
    await house.write("new")
    await asyncio.sleep(8 * HASTY)
    assert await house.read(house.theirs) == "new"


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_after_the_fence_no_trouble_lets_an_old_copy_come_back(house: House, trouble: Trouble) -> None:
    await house.write("old")
    edits = 0

    def befalls(operation: str) -> bool:
        nonlocal edits
        edits += operation == "edit"
        return edits > 1

    house.way.befalls = befalls
    house.trouble(trouble)
    await house.write("new")
    assert house.mine.stats.unfenced == house.mine.stats.owed == 0
    assert [await house.read(house.theirs) for _ in range(2)] == ["new", "new"]
    house.clock.advance(envelope.FENCE_LIFE.total_seconds())
    assert await house.read(house.theirs) == "new"
    assert await house.read(house.theirs) == "new"
    assert house.theirs.stats.hits >= 1


# ---- writes that are refused, fail or are cancelled


async def test_a_refused_write_opens_the_block_again(house: House) -> None:
    await house.write("1")
    with pytest.raises(Conflict):
        await house.mine.put(a_block("2"), expect=None, change=a_change())
    house.durable.calls.clear()
    assert [await house.read(house.theirs) for _ in range(2)] == ["1", "1"]
    assert house.durable.calls == ["get"]


async def test_a_durable_store_that_fails_fails_the_call(house: House) -> None:
    house.durable.trouble = "fails"
    for call in (house.mine.get(a_key()), house.write("1"), house.mine.purge(DEFAULT_TENANT, "user", "maya")):
        with pytest.raises(StoreUnavailable):
            await call


async def test_a_write_whose_answer_was_lost_leaves_no_old_copy(house: House) -> None:
    await house.write("old")
    house.durable.trouble = "loses"
    with pytest.raises(StoreUnavailable):
        await house.write("new")
    house.durable.trouble = "none"
    assert [await house.read(store) for store in (house.mine, house.theirs)] == ["new", "new"]


async def test_a_cancelled_write_leaves_the_block_closed(house: House) -> None:
    await house.write("old")
    house.durable.trouble, house.durable.hung = "hangs", 3600
    task = asyncio.create_task(house.write("new"))
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    house.durable.trouble = "none"
    await house.durable.put(a_block("new"), expect=ANY, change=a_change())  # As if the database went on with it.
    assert await house.read(house.theirs) == "new"


# ---- what lies in the cache


@pytest.mark.parametrize(
    "text",
    [
        "wellkept cache 1\n",
        "wellkept cache 1\n{}",
        "wellkept cache 2\n{}",
        'wellkept cache 1\n{"type":"copy","mark":"m","as_of":"2026-03-01T12:00:00Z",'
        '"etag":"","text":"x","updated_at":null}',
        'wellkept cache 1\n{"type":"copy","mark":"m","as_of":"2026-03-01T12:00:00Z",'
        f'"etag":"{a_block("x").etag}","text":"x","updated_at":null}}',
        envelope.copy_of(a_block("x"), mark="m", as_of=a_change().at).replace('"text":"x"', '"text":"y"'),
    ],
)
async def test_a_damaged_copy_is_counted_and_replaced(house: House, text: str) -> None:
    await house.durable.put(a_block("1"), expect=None, change=a_change())
    await house.cache.put(a_block(text), expect=None, change=a_change())
    assert [await house.read(house.mine) for _ in range(2)] == ["1", "1"]
    assert (house.mine.stats.unreadable, house.mine.stats.hits) == (1, 1)


async def test_somebody_elses_block_in_the_cache_is_left_alone_and_never_shown(house: House) -> None:
    theirs = a_block("my own block")
    await house.cache.put(theirs, expect=None, change=a_change())
    await house.write("1")
    assert await house.read(house.mine) == "1"
    await house.mine.delete(a_key(), change=a_change())
    await house.mine.purge(DEFAULT_TENANT, "user", "maya")
    assert await house.read(house.mine) is None
    assert await house.cache.get(a_key()) == theirs
    assert house.mine.stats.unreadable == 2


async def test_a_deleted_text_is_gone_from_the_cache(house: House) -> None:
    await house.write("a secret")
    assert "a secret" in await house.cached_text()
    await house.mine.delete(a_key(), change=a_change())
    assert "a secret" not in await house.cached_text()


async def test_a_purge_leaves_nothing_of_the_owner_in_the_cache(house: House) -> None:
    await house.write("a secret")
    await house.read(house.mine)
    await house.mine.get(a_key("NEVER"))
    await house.mine.put(a_block("kept", key=a_key(owner="sam")), expect=None, change=a_change())
    assert await house.mine.purge(DEFAULT_TENANT, "user", "maya") == 1
    assert await house.cache.blocks(DEFAULT_TENANT, "user", "maya") == []
    assert await house.cache.revisions(a_key()) == []
    assert len(await house.cache.blocks(DEFAULT_TENANT, "user", "sam")) == 1
    assert await house.read(house.theirs) is None


async def test_a_purge_in_trouble_is_made_good(house: House) -> None:
    await house.write("old")
    house.way.trouble = "fails"
    await house.mine.purge(DEFAULT_TENANT, "user", "maya")
    assert await house.read(house.mine) is None
    house.way.trouble = "none"
    await house.mine.get(a_key(owner="sam"))
    assert await house.cache.blocks(DEFAULT_TENANT, "user", "maya") == []
    assert await house.read(house.theirs) is None
    assert house.mine.stats.owed == 0


# ---- putting it together


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda one, two: Tiered(one, one), "two stores"),
        (lambda one, two: Tiered(cast("BlockStore", "x"), two), "cache.*not str"),
        (lambda one, two: Tiered(one, cast("BlockStore", None)), "durable.*not NoneType"),
        (lambda one, two: Tiered(one, two, ttl=0), "ttl"),
        (lambda one, two: Tiered(one, two, ttl=float("inf")), "ttl"),
        (lambda one, two: Tiered(one, two, timeout=-1), "timeout"),
        (lambda one, two: Tiered(one, two, timeout=float("nan")), "timeout"),
    ],
)
def test_what_is_put_together_wrongly_is_told_at_once(
    make: Callable[[BlockStore, BlockStore], Tiered], told: str
) -> None:
    with pytest.raises(Misconfigured, match=told):
        make(InprocStore(), InprocStore())


async def test_both_forms_of_construction_are_one() -> None:
    cache, durable = InprocStore(), InprocStore()
    await Tiered(cache, durable).put(a_block("1"), expect=None, change=a_change())
    assert await Tiered(durable=durable, cache=cache).get(a_key()) == a_block("1")
    assert await durable.get(a_key()) == a_block("1")


async def test_it_can_do_what_its_stores_can_together(tmp_path: object) -> None:
    files, inproc = FileStore(f"{tmp_path}/a"), InprocStore()
    assert Tiered(inproc, files).capabilities == {Capability.DURABLE}
    assert Tiered(FileStore(f"{tmp_path}/b"), files).capabilities == {Capability.DURABLE, Capability.SHARED}
    assert Tiered(files, inproc).capabilities == {Capability.HISTORY}


async def test_closing_closes_both_also_when_one_fails(house: House) -> None:
    class Failing(InprocStore):
        async def close(self) -> None:
            raise StoreFailed

    durable = TroubledStore(InprocStore())
    with pytest.raises(StoreFailed):
        await Tiered(Failing(), durable).close()
    assert durable.calls == ["close"]


async def test_a_cache_that_does_not_answer_is_a_finding(house: House) -> None:
    assert await house.mine.check() == []
    house.way.trouble = "fails"
    assert await house.mine.check() == ["the cache does not answer"]
