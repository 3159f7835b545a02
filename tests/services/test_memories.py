"""Memories as an administrator sees them, and the noting of uses."""

import asyncio
from collections.abc import Mapping
from datetime import datetime

import pytest

from service_house import AGENT, POOL, House
from wellkept.contract.events import Event
from wellkept.model.directory import Once
from wellkept.model.errors import Conflict, InvalidCursor, InvalidInput, NotFound, StoreUnavailable
from wellkept.model.ids import DEFAULT_TENANT, AgentId, MemoryId
from wellkept.model.memories import Memory, MemorySettings, Pool
from wellkept.services.memories import Memories
from wellkept.services.touches import Touches
from wellkept.stores.inproc import InprocStore
from wellkept.testing.clock import FakeClock


async def filled(house: House, *texts: str, user: str = "maya") -> list[Memory]:
    rows: list[Memory] = []
    for text in texts:
        house.clock.advance(1)
        rows.append((await house.memories.create(POOL, user_id=user, text=text)).memory)
    return rows


async def test_what_was_created_is_there_at_once(house: House) -> None:
    created = await house.memories.create(POOL, user_id="maya", text="heliotrope", pinned=True)
    assert (created.changed, created.evicted) == (True, ())
    assert await house.memories.get(POOL, created.memory.id) == created.memory
    assert (await house.memories.list(POOL, search="heliotrope")).data == (created.memory,)
    assert (created.memory.pinned, created.memory.origin) == (True, "api")
    assert house.events == [Event(kind="memory_created", tenant=DEFAULT_TENANT, agent=AGENT, id=created.memory.id)]


@pytest.mark.parametrize("text", ["", " ", "\u200b", "é" * 5121, "a\x00b"])
async def test_what_is_no_memory_is_refused(house: House, text: str) -> None:
    with pytest.raises(InvalidInput):
        await house.memories.create(POOL, user_id="", text=text)
    [row] = await filled(house, "é" * 5120)
    with pytest.raises(InvalidInput):
        await house.memories.update(POOL, row.id, text=text)


async def test_the_least_recently_used_leaves_and_it_is_told(house: House) -> None:
    rows = await filled(house, "one", "two", "three")
    created = await house.memories.create(POOL, user_id="", text="four", settings=MemorySettings(pool_cap=2))
    assert created.evicted == (rows[0].id, rows[1].id)
    assert house.events[-1] == Event(kind="memories_evicted", tenant=DEFAULT_TENANT, agent=AGENT, count=2)


async def test_the_same_request_again_is_done_once(house: House) -> None:
    once = Once(operation="memories.create", key="k", fingerprint="f")
    first = await house.memories.create(POOL, user_id="", text="one", once=once)
    again = await house.memories.create(POOL, user_id="", text="one", once=once)
    assert (again.memory.id, again.changed) == (first.memory.id, False)
    assert house.kinds() == ["memory_created"]


async def test_pages_follow_one_another(house: House) -> None:
    rows = await filled(house, *(f"row {number}" for number in range(7)))
    seen: list[Memory] = []
    cursor = None
    for size in (3, 3, 1):
        page = await house.memories.list(POOL, limit=3, cursor=cursor)
        assert len(page.data) == size
        seen += page.data
        cursor = page.next_cursor
    assert cursor is None
    assert seen == rows[::-1]


async def test_a_cursor_is_of_its_list_alone(house: House) -> None:
    await filled(house, *(f"row {number}" for number in range(3)))
    cursor = (await house.memories.list(POOL, limit=1)).next_cursor
    assert cursor is not None
    lists = house.memories
    for other in (
        lists.list(POOL, cursor=cursor, search="row"),
        lists.list(POOL, cursor=cursor, partitions=("",)),
        lists.list(POOL, cursor=cursor, partitions=()),
        lists.list(Pool(DEFAULT_TENANT, AgentId("another")), cursor=cursor),
        lists.list(POOL, cursor=cursor + "A"),
        lists.list(POOL, cursor="", search="row"),
        lists.list(POOL, cursor=cursor, search="row", mode="ranked"),
    ):
        with pytest.raises(InvalidCursor):
            await other


@pytest.mark.parametrize(("search", "limit"), [("", 50), (" \t", 50), ("a\x00", 50), ("a", 0), ("a", 101)])
async def test_a_list_refuses_what_means_nothing(house: House, search: str, limit: int) -> None:
    with pytest.raises(InvalidInput):
        await house.memories.list(POOL, search=search, limit=limit)


async def test_punctuation_alone_finds_nothing(house: House) -> None:
    await filled(house, "one")
    assert (await house.memories.list(POOL, search="...")).data == ()


async def test_both_modes_find(house: House) -> None:
    rows = await filled(house, "error ERR-4092-B in the log", "other")
    assert (await house.memories.list(POOL, search="4092")).data == ()
    assert (await house.memories.list(POOL, search="4092", mode="ranked")).data == (rows[0],)
    assert (await house.memories.list(POOL, search="error", partitions=("sam",))).data == ()


async def test_a_stale_update_or_delete_changes_nothing(house: House) -> None:
    [row] = await filled(house, "one")
    await house.memories.update(POOL, row.id, text="two")
    with pytest.raises(Conflict):
        await house.memories.update(POOL, row.id, text="three", expect=row.etag)
    with pytest.raises(Conflict):
        await house.memories.delete(POOL, row.id, expect=row.etag)
    assert (await house.memories.get(POOL, row.id)).text == "two"
    await house.memories.delete(POOL, row.id)
    with pytest.raises(NotFound):
        await house.memories.delete(POOL, row.id)
    assert house.kinds() == ["memory_created", "memory_updated", "memory_deleted"]


@pytest.mark.parametrize("id", ["", "mem_1", "mem_0123456789abcde\n", "x' OR 1=1"])
async def test_an_id_that_is_none_is_refused(house: House, id: str) -> None:
    for call in (
        house.memories.get(POOL, MemoryId(id)),
        house.memories.update(POOL, MemoryId(id), text="x"),
        house.memories.delete(POOL, MemoryId(id)),
    ):
        with pytest.raises(InvalidInput):
            await call


class FailingStore(InprocStore):
    """A store that counts its touches, and fails at them when told."""

    def __init__(self) -> None:
        super().__init__()
        self.touches = 0
        self.failing = False

    async def touch(self, pool: Pool, touched: Mapping[MemoryId, datetime]) -> None:
        self.touches += 1
        if self.failing:
            raise StoreUnavailable
        await super().touch(pool, touched)


class TestTouches:
    @pytest.fixture
    def store(self) -> FailingStore:
        return FailingStore()

    @pytest.fixture
    def events(self) -> list[Event]:
        return []

    @pytest.fixture
    def memories(self, store: FailingStore, events: list[Event]) -> Memories:
        self.clock = FakeClock()
        return Memories(store, clock=self.clock, listener=events.append, touch_every=0.01)

    async def a_row(self, memories: Memories) -> MemoryId:
        return (await memories.create(POOL, user_id="", text=f"row {self.clock.advance(1)}")).memory.id

    # RES-117: a sliding time rewrote every row at every use.
    async def test_many_uses_are_one_write(self, memories: Memories, store: FailingStore) -> None:
        row = await self.a_row(memories)
        for _ in range(1000):
            self.clock.advance(1)
            memories.touch(POOL, [row])
        await memories.flush()
        assert store.touches == 1
        assert (await memories.get(POOL, row)).last_accessed_at == self.clock.now()
        await memories.flush()
        assert store.touches == 1

    async def test_uses_are_written_without_being_asked(self, memories: Memories, store: FailingStore) -> None:
        row = await self.a_row(memories)
        for _ in range(2):
            now = self.clock.advance(1)
            memories.touch(POOL, [row])
            await asyncio.sleep(0.1)
            assert (await memories.get(POOL, row)).last_accessed_at == now
        assert store.touches == 2

    async def test_a_use_counts_before_it_is_written(self, memories: Memories) -> None:
        older, newer = await self.a_row(memories), await self.a_row(memories)
        self.clock.advance(1)
        memories.touch(POOL, [older])
        created = await memories.create(POOL, user_id="", text="new", settings=MemorySettings(pool_cap=2))
        assert created.evicted == (newer,)

    async def test_a_failure_is_told_and_tried_again(
        self, memories: Memories, store: FailingStore, events: list[Event]
    ) -> None:
        row = await self.a_row(memories)
        store.failing = True
        now = self.clock.advance(1)
        memories.touch(POOL, [row])
        await memories.flush()
        assert events[-1] == Event(kind="touch_failed", tenant=DEFAULT_TENANT, agent=AGENT)
        store.failing = False
        await asyncio.sleep(0.2)
        assert (await memories.get(POOL, row)).last_accessed_at == now

    async def test_closing_writes_what_is_noted(self, store: FailingStore) -> None:
        self.clock = FakeClock()
        memories = Memories(store, clock=self.clock, touch_every=3600)
        row = await self.a_row(memories)
        now = self.clock.advance(1)
        memories.touch(POOL, [row])
        await memories.close()
        await memories.close()
        assert (await memories.get(POOL, row)).last_accessed_at == now
        assert store.touches == 1

    async def test_a_clock_that_runs_back_does_not_undo_a_use(self, memories: Memories) -> None:
        row = await self.a_row(memories)
        late = self.clock.advance(100)
        memories.touch(POOL, [row])
        self.clock.advance(-50)
        memories.touch(POOL, [row])
        await memories.flush()
        assert (await memories.get(POOL, row)).last_accessed_at == late

    async def test_what_waits_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("wellkept.services.touches.MAX_PENDING", 10)
        touches = Touches(InprocStore(), clock=FakeClock(), listener=lambda event: None, every=3600)
        pools = [Pool(DEFAULT_TENANT, AgentId(f"agent {number}")) for number in range(4)]
        for pool in pools:
            touches.note(pool, [MemoryId(f"mem_{number:016}") for number in range(4)])
        assert [len(touches.pending(pool)) for pool in pools] == [0, 0, 4, 4]
        await touches.close()
        assert [len(touches.pending(pool)) for pool in pools] == [0, 0, 0, 0]


def test_uses_noted_on_a_closed_loop_are_written_on_the_next() -> None:
    store = FailingStore()
    clock = FakeClock()
    memories = Memories(store, clock=clock, touch_every=0.01)

    async def first() -> MemoryId:
        row = (await memories.create(POOL, user_id="", text="one")).memory.id
        memories.touch(POOL, [row])
        return row

    async def second(row: MemoryId) -> datetime:
        clock.advance(1)
        memories.touch(POOL, [row])
        await asyncio.sleep(0.1)
        return (await memories.get(POOL, row)).last_accessed_at

    row = asyncio.run(first())
    assert asyncio.run(second(row)) == clock.now()
