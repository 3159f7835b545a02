"""What closes a block while it is written, what is owed to a cache that failed, and what ends by itself."""

import asyncio
from datetime import timedelta

import pytest
from msgspec.structs import replace

from tiered_house import House
from wellkept.contract.block_store import ANY
from wellkept.model.errors import StoreUnavailable
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.testing.samples import a_block, a_change, a_key
from wellkept.wrappers.tiered import envelope
from wellkept.wrappers.tiered.debts import Debts


async def test_a_writer_after_its_time_takes_away_what_others_put_there(house: House) -> None:
    """A write that takes longer than a fence lasts."""
    await house.write("old")
    house.durable.befalls, house.durable.trouble, house.durable.hung = lambda of: of == "put", "hangs", 0.05
    slow = asyncio.create_task(house.write("new"))
    await asyncio.sleep(0.01)
    house.clock.advance(envelope.FENCE_LIFE.total_seconds())
    assert await house.read(house.theirs) == "old"
    await slow
    assert await house.read(house.theirs) == "new"


async def test_a_writer_after_its_time_that_loses_the_cache_too_distrusts_it(house: House) -> None:
    await house.write("old")
    house.durable.befalls, house.durable.trouble, house.durable.hung = lambda of: of == "put", "hangs", 0.05
    slow = asyncio.create_task(house.write("new"))
    await asyncio.sleep(0.01)
    house.clock.advance(envelope.FENCE_LIFE.total_seconds())
    assert await house.read(house.theirs) == "old"
    house.way.trouble = "fails"
    await slow
    assert house.mine.stats.owed == 1
    house.way.trouble = "none"
    assert [await house.read(store) for store in (house.mine, house.theirs)] == ["new", "new"]


@pytest.mark.parametrize("operation", ["get", "put"])
async def test_a_copy_is_as_old_as_the_question_not_as_the_answer(house: House, operation: str) -> None:
    house.durable.befalls, house.durable.hung = lambda of: of == operation, 0.05
    house.durable.trouble = "hangs"
    work = asyncio.create_task(house.write("1") if operation == "put" else house.read(house.mine))
    await asyncio.sleep(0.01)
    house.clock.advance(59)
    await work
    house.durable.trouble = "none"
    house.durable.calls.clear()
    house.clock.advance(2)
    await house.read(house.theirs)
    assert house.durable.calls == ["get"]


async def test_a_write_without_a_fence_whose_answer_was_lost_is_owed(house: House) -> None:
    await house.write("old")
    house.way.trouble, house.durable.trouble = "fails", "loses"
    with pytest.raises(StoreUnavailable):
        await house.write("new")
    assert house.mine.stats.owed == 1


async def test_a_purge_that_loses_the_cache_after_its_fences_shows_no_old_copy(house: House) -> None:
    await house.write("old")
    house.way.befalls = lambda operation: operation == "blocks" and "purge" in house.durable.calls
    house.way.trouble = "fails"
    await house.mine.purge(DEFAULT_TENANT, "user", "maya")
    assert house.mine.stats.owed == 1
    assert await house.read(house.theirs) is None


async def test_a_purge_leaves_the_fence_of_a_write_that_still_goes_on(house: House) -> None:
    house.durable.befalls, house.durable.trouble, house.durable.hung = lambda of: of == "put", "hangs", 0.05
    slow = asyncio.create_task(house.write("new"))
    await asyncio.sleep(0.01)
    await house.theirs.purge(DEFAULT_TENANT, "user", "maya")
    fence = envelope.unseal(await house.cached_text())
    assert isinstance(fence, envelope.Fence)
    assert len(fence.writers) == 1
    await slow
    assert await house.read(house.theirs) == "new"


async def test_a_purge_whose_answer_was_lost_is_owed(house: House) -> None:
    await house.write("old")
    house.durable.trouble, house.durable.befalls = "loses", lambda operation: operation == "purge"
    with pytest.raises(StoreUnavailable):
        await house.mine.purge(DEFAULT_TENANT, "user", "maya")
    assert house.mine.stats.owed == 1


async def test_all_steps_of_a_call_share_one_timeout(house: House) -> None:
    house.way.trouble, house.way.hung, house.timeout = "hangs", 0.2, 0.3
    store = house.tiered(house.way)
    assert await store.get(a_key()) is None
    assert (store.stats.timeouts, house.way.calls) == (1, ["get", "put"])


async def test_a_step_that_is_too_slow_is_cancelled_and_the_cache_not_asked_again(house: House) -> None:
    house.trouble("hangs")
    assert await house.mine.get(a_key()) is None
    await asyncio.sleep(0.01)
    assert house.way.calls == ["get"]
    assert len(asyncio.all_tasks()) == 1
    await house.write("1")
    assert house.way.calls == ["get", "edit"]


async def test_a_write_that_changes_nothing_leaves_the_time_in_the_cache_alone(house: House) -> None:
    await house.mine.put(a_block("1", when=1), expect=None, change=a_change())
    await house.mine.put(a_block("1", when=9), expect=ANY, change=a_change())
    assert await house.theirs.get(a_key()) == a_block("1", when=1)
    assert house.theirs.stats.hits == 1


async def test_a_cancelled_call_leaves_no_step_behind(house: House) -> None:
    house.way.trouble = "hangs"
    task = asyncio.create_task(house.mine.get(a_key()))
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await asyncio.sleep(0.01)
    assert len(asyncio.all_tasks()) == 1


async def test_no_more_than_so_many_fences_come_late(house: House) -> None:
    house.way.trouble, house.timeout = "hangs", 0.001
    store = house.tiered(house.way)
    for number in range(80):
        await house.write(str(number), by=store)
    await asyncio.sleep(0.01)
    assert 60 < len(asyncio.all_tasks()) <= 65
    async with asyncio.timeout(5):
        await store.close()
    assert len(asyncio.all_tasks()) == 1, "a step goes on after closing"


async def test_a_writer_that_was_killed_is_forgotten_after_its_time(house: House) -> None:
    since = house.clock.now() - envelope.FENCE_LIFE
    left = envelope.seal(envelope.Fence(mark="m", writers={"killed": since}))
    await house.cache.put(a_block(left), expect=None, change=a_change())
    await house.write("1")
    house.durable.calls.clear()
    assert await house.read(house.theirs) == "1"
    assert house.durable.calls == []


async def test_what_is_owed_of_an_owner_is_paid_before_a_block_of_his_is_read(house: House) -> None:
    await house.write("old")
    house.way.trouble = "fails"
    await house.mine.purge(DEFAULT_TENANT, "user", "maya")
    house.way.trouble = "none"
    assert await house.read(house.mine) is None


def test_paying_for_an_earlier_write_does_not_pay_for_a_later_one() -> None:
    owed = Debts(timedelta(seconds=60))
    owed.note(a_key(), now=a_change().at)
    (earlier,) = owed.of([a_key()])
    owed.note(a_key(), now=a_change().at)
    owed.paid(earlier)
    (later,) = owed.of([a_key()])
    owed.paid(later)
    assert owed.of([a_key()]) == []


async def test_no_two_envelopes_have_the_same_mark(house: House) -> None:
    seen: set[str] = set()
    for _ in range(5):
        await house.write("1")
        seen.add(await house.cached_text())
        await house.cache.purge(DEFAULT_TENANT, "user", "maya")
        await house.read(house.mine)
        seen.add(await house.cached_text())
    assert len(seen) == 10


def test_the_spelling_of_envelopes_is_frozen() -> None:
    """Processes of several versions may share a cache."""
    block = replace(a_block("x"), text='a\n"b" \u00a7')
    assert envelope.copy_of(block, mark="m", as_of=a_change().at) == (
        'wellkept cache 1\n{"type":"copy","mark":"m","as_of":"2026-03-01T12:00:00.123456Z",'
        f'"etag":"{block.etag}","text":"a\\n\\"b\\" \u00a7","updated_at":"2026-03-01T12:00:00.123456Z"}}'
    )
    assert envelope.seal(envelope.Fence(mark="m", writers={"w": a_change().at})) == (
        'wellkept cache 1\n{"type":"fence","mark":"m","writers":{"w":"2026-03-01T12:00:00.123456Z"}}'
    )
