"""The part of `MemoryStoreContract` about rows: reading, listing, changing, and whose they are."""

from functools import partial

import pytest
from msgspec.structs import replace

from wellkept.contract.memory_store import MemoryStore
from wellkept.model.errors import Conflict, NotFound
from wellkept.model.ids import TenantId
from wellkept.model.memories import MAX_MEMORY_BYTES, Memory, Partitions, Pool, PoolRules
from wellkept.model.pages import Position
from wellkept.model.text import etag_of, has_visible
from wellkept.testing.racing import in_tasks
from wellkept.testing.samples import (
    AWKWARD_TEXTS,
    NAME_SPLITS,
    NEIGHBOURS,
    OTHER_TENANT,
    SPLITS,
    a_memory,
    a_pool,
    at,
    memory_id_of,
)

ROOMY = PoolRules(cap=500)

MEMORY_TEXTS = {
    **{
        name: text
        for name, text in AWKWARD_TEXTS.items()
        if has_visible(text) and len(text.encode()) <= MAX_MEMORY_BYTES
    },
    "10,240 bytes in one word": "x" * MAX_MEMORY_BYTES,
    "10,240 bytes of words": "word " * (MAX_MEMORY_BYTES // 5),
    "10,240 bytes of wide characters": "\U0001f600" * (MAX_MEMORY_BYTES // 4),
    "10,240 bytes of CJK": "\u7d2b" * (MAX_MEMORY_BYTES // 3) + "x",
}

NEIGHBOURING_IDS = {
    name: (left[0], right[0])
    for name, (left, right) in NEIGHBOURS.items()
    if left[0] != right[0] and not left[0].startswith(" ")  # A session's owner is nobody's user id.
}

STRANGERS: dict[str, tuple[Pool, Partitions]] = {
    "another tenant": (a_pool(tenant=OTHER_TENANT), None),
    "another agent": (a_pool("ag_other"), None),
    "another user": (a_pool(), ("", "sam")),
    "no user": (a_pool(), ("",)),
    "no partition at all": (a_pool(), ()),
}
"""Who must not see a row of `maya`'s in the sample pool."""


async def fill(store: MemoryStore, *memories: Memory, rules: PoolRules = ROOMY) -> None:
    """Create memories, one after another."""
    for memory in memories:
        await store.create(memory, rules=rules)


async def everything(
    store: MemoryStore,
    pool: Pool | None = None,
    *,
    partitions: Partitions = None,
    limit: int = 3,
    web: str | None = None,
) -> list[Memory]:
    """List a pool, page by page, as a client with a cursor does."""
    found: list[Memory] = []
    after: Position | None = None
    while page := await store.rows(pool or a_pool(), partitions=partitions, limit=limit, after=after, web=web):
        places = [Position(row.created_at, row.id) for row in page]
        assert len(page) <= limit
        assert after is None or places[0] < after, "a page must begin after its cursor"
        found += page
        after = places[-1]
    return found


async def numbers(store: MemoryStore, pool: Pool | None = None, *, partitions: Partitions = None) -> list[int]:
    """List the numbers of the sample memories of a pool, newest first."""
    return [int(row.id[4:]) for row in await everything(store, pool, partitions=partitions)]


class RowsContract:
    """The obligations about rows."""

    async def test_a_row_comes_back(self, store: MemoryStore) -> None:
        memory = a_memory(1, "Likes tea.", user="maya", used=0.000001, pinned=True)
        created = await store.create(memory, rules=ROOMY)
        assert (created.memory, created.changed, created.evicted) == (memory, True, ())
        assert await store.memory(a_pool(), memory.id, partitions=None) == memory
        assert await store.rows(a_pool(), partitions=("maya",), limit=9) == [memory]
        assert await store.memory(a_pool(), memory_id_of(2), partitions=None) is None

    @pytest.mark.parametrize("text", MEMORY_TEXTS.values(), ids=MEMORY_TEXTS.keys())
    async def test_a_memorys_text_comes_back_exactly(self, store: MemoryStore, text: str) -> None:
        await fill(store, a_memory(1, text), a_memory(2, "to be replaced"))
        await store.update(a_pool(), memory_id_of(2), partitions=None, at=at(9), text=text)
        assert [row.text for row in await everything(store)] == [text, text]
        for number in (1, 2):
            row = await store.memory(a_pool(), memory_id_of(number), partitions=None)
            assert row is not None
            assert (row.text, row.etag) == (text, etag_of(text))

    # ---- lists

    async def test_a_list_is_newest_first_and_ties_go_by_id(self, store: MemoryStore) -> None:
        await fill(
            store,
            a_memory(5, created=1),
            a_memory(1, created=2),
            a_memory(4, created=0),
            a_memory(3, created=1),
            a_memory(2, created=1.000001),
        )
        assert await numbers(store) == [1, 2, 5, 3, 4]
        assert [row.id for row in await store.rows(a_pool(), partitions=None, limit=2)] == [
            memory_id_of(1),
            memory_id_of(2),
        ]

    async def test_uses_and_changes_do_not_move_a_row_in_the_list(self, store: MemoryStore) -> None:
        await fill(store, *map(a_memory, range(4)))
        await store.touch(a_pool(), {memory_id_of(0): at(99)})
        await store.update(a_pool(), memory_id_of(1), partitions=None, at=at(99), text="new")
        assert await numbers(store) == [3, 2, 1, 0]

    async def test_a_cursor_neither_skips_nor_repeats_while_others_write(self, store: MemoryStore) -> None:
        await fill(store, *(a_memory(number, created=number // 3) for number in range(10, 20)))
        first = await store.rows(a_pool(), partitions=None, limit=4)
        assert [int(row.id[4:]) for row in first] == [19, 18, 17, 16]
        await fill(store, a_memory(30), a_memory(9, created=5), a_memory(40, created=3))
        for gone in (16, 19, 13):  # the row that the cursor names, one that was seen, one that was not
            await store.delete_memory(a_pool(), memory_id_of(gone), partitions=None)
        after = Position(first[-1].created_at, first[-1].id)
        rest = await store.rows(a_pool(), partitions=None, limit=50, after=after)
        assert [int(row.id[4:]) for row in rest] == [15, 9, 14, 12, 40, 11, 10]

    async def test_a_cursor_may_lie_anywhere(self, store: MemoryStore) -> None:
        await fill(store, a_memory(1), a_memory(2))
        for after, found in ((at(99), 2), (at(2), 1), (at(1), 0), (at(-99), 0)):
            assert len(await store.rows(a_pool(), partitions=None, limit=9, after=Position(after, ""))) == found

    async def test_reading_touches_nothing(self, store: MemoryStore) -> None:
        memory = a_memory(1, "tea")
        await fill(store, memory)
        await store.rows(a_pool(), partitions=None, limit=9)
        await store.rows(a_pool(), partitions=None, limit=9, web="tea")
        await store.ranked(a_pool(), "tea", partitions=None, limit=9)
        assert await store.memory(a_pool(), memory.id, partitions=None) == memory

    # ---- changes

    async def test_an_update_replaces_the_text_and_stamps_the_row(self, store: MemoryStore) -> None:
        memory = a_memory(1, "old", user="maya", pinned=True)
        await fill(store, memory)
        updated = await store.update(a_pool(), memory.id, partitions=("maya",), at=at(9), text="new")
        assert updated == replace(memory, text="new", updated_at=at(9), last_accessed_at=at(9))
        assert await store.memory(a_pool(), memory.id, partitions=None) == updated

    async def test_an_update_pins_and_unpins_and_leaves_the_text(self, store: MemoryStore) -> None:
        memory = a_memory(1)
        await fill(store, memory)
        for when, pinned in ((8, True), (9, False)):
            updated = await store.update(a_pool(), memory.id, partitions=None, at=at(when), pinned=pinned)
            assert updated == replace(memory, pinned=pinned, updated_at=at(when), last_accessed_at=at(when))

    async def test_an_update_that_changes_nothing_is_a_use(self, store: MemoryStore) -> None:
        memory = a_memory(1, "same")
        await fill(store, memory)
        for when, stale in ((8, None), (9, etag_of("other"))):
            updated = await store.update(
                a_pool(), memory.id, partitions=None, at=at(when), text="same", pinned=False, expect=stale
            )
            assert updated == replace(memory, last_accessed_at=at(when))

    async def test_an_update_of_another_text_than_expected_changes_nothing(self, store: MemoryStore) -> None:
        memory = a_memory(1, "stored")
        await fill(store, memory)
        with pytest.raises(Conflict) as caught:
            await store.update(a_pool(), memory.id, partitions=None, at=at(9), text="new", expect=etag_of("other"))
        assert caught.value.facts["etag"] == memory.etag
        assert await store.memory(a_pool(), memory.id, partitions=None) == memory
        updated = await store.update(a_pool(), memory.id, partitions=None, at=at(9), text="new", expect=memory.etag)
        assert updated.text == "new"

    async def test_an_update_of_what_is_not_there_says_so(self, store: MemoryStore) -> None:
        with pytest.raises(NotFound):
            await store.update(a_pool(), memory_id_of(1), partitions=None, at=at(9), text="new")
        assert await everything(store) == []

    async def test_of_many_updates_that_replace_the_same_text_one_wins(self, store: MemoryStore) -> None:
        memory = a_memory(1, "stored")
        await fill(store, memory)

        async def won(text: str, expect: str) -> bool:
            try:
                await store.update(a_pool(), memory.id, partitions=None, at=at(9), text=text, expect=expect)
            except Conflict:
                return False
            return True

        for attempt in range(4):  # connections that are open by now let more of them meet
            stored = await store.memory(a_pool(), memory.id, partitions=None)
            assert stored is not None
            texts = [f"new {attempt} {number}" for number in range(10)]
            assert sum(await in_tasks([partial(won, text, stored.etag) for text in texts])) == 1

    async def test_a_deleted_row_is_gone_everywhere(self, store: MemoryStore) -> None:
        await fill(store, a_memory(1, "tea"), a_memory(2, "tea"))
        assert await store.delete_memory(a_pool(), memory_id_of(1), partitions=None) is True
        assert await store.delete_memory(a_pool(), memory_id_of(1), partitions=None) is False
        assert await store.memory(a_pool(), memory_id_of(1), partitions=None) is None
        assert await numbers(store) == [2]
        assert await store.count(a_pool()) == 1
        assert len(await store.rows(a_pool(), partitions=None, limit=9, web="tea")) == 1
        assert len(await store.ranked(a_pool(), "tea", partitions=None, limit=9)) == 1
        await fill(store, a_memory(1, "tea"))  # Nothing of the old row stands in the way.
        assert await numbers(store) == [2, 1]

    async def test_a_delete_of_another_text_than_expected_changes_nothing(self, store: MemoryStore) -> None:
        memory = a_memory(1)
        await fill(store, memory)
        with pytest.raises(Conflict) as caught:
            await store.delete_memory(a_pool(), memory.id, partitions=None, expect=etag_of("other"))
        assert caught.value.facts["etag"] == memory.etag
        assert await everything(store) == [memory]
        assert await store.delete_memory(a_pool(), memory.id, partitions=None, expect=memory.etag) is True

    async def test_a_touch_keeps_the_later_instant(self, store: MemoryStore) -> None:
        memory = a_memory(1)
        await fill(store, memory, a_memory(2))
        for when, kept in ((9, 9), (5, 9), (9.000001, 9.000001), (-9, 9.000001)):
            await store.touch(a_pool(), {memory.id: at(when)})
            assert (await everything(store))[1] == replace(memory, last_accessed_at=at(kept))
        await store.touch(a_pool(), {})
        await store.touch(a_pool(), {memory_id_of(7): at(9)})
        assert await numbers(store) == [2, 1]

    # ---- whose it is

    @pytest.mark.parametrize(("pool", "partitions"), STRANGERS.values(), ids=STRANGERS.keys())
    async def test_no_stranger_sees_or_changes_a_row(
        self, store: MemoryStore, pool: Pool, partitions: Partitions
    ) -> None:
        memory = a_memory(1, "tea", user="maya")
        await fill(store, memory)
        assert await store.memory(pool, memory.id, partitions=partitions) is None
        assert await store.rows(pool, partitions=partitions, limit=9) == []
        assert await store.rows(pool, partitions=partitions, limit=9, web="tea") == []
        assert await store.ranked(pool, "tea", partitions=partitions, limit=9) == []
        assert await store.count(pool, partitions=partitions) == 0
        with pytest.raises(NotFound):
            await store.update(pool, memory.id, partitions=partitions, at=at(9), text="new")
        with pytest.raises(NotFound):
            await store.update(pool, memory.id, partitions=partitions, at=at(9), pinned=True, expect=memory.etag)
        assert await store.delete_memory(pool, memory.id, partitions=partitions) is False
        assert await store.delete_memory(pool, memory.id, partitions=partitions, expect=etag_of("other")) is False
        if pool != a_pool():
            await store.touch(pool, {memory.id: at(9)})
            assert await store.purge_pool(pool) == 0
        assert await store.memory(a_pool(), memory.id, partitions=("maya",)) == memory

    async def test_a_turn_sees_the_general_rows_and_its_own_users(self, store: MemoryStore) -> None:
        await fill(store, *(a_memory(number, user=user) for number, user in enumerate(["", "maya", "sam", "", "maya"])))
        assert await numbers(store, partitions=("", "maya")) == [4, 3, 1, 0]
        assert await numbers(store, partitions=("maya", "")) == [4, 3, 1, 0]
        assert await numbers(store, partitions=("",)) == [3, 0]
        assert await numbers(store, partitions=("sam",)) == [2]
        assert await numbers(store) == [4, 3, 2, 1, 0]
        for partitions, count in ((("", "maya"), 4), (("",), 2), ((), 0), (None, 5)):
            assert await store.count(a_pool(), partitions=partitions) == count

    @pytest.mark.parametrize(("one", "two"), NEIGHBOURING_IDS.values(), ids=NEIGHBOURING_IDS.keys())
    async def test_neighbouring_users_and_agents_stay_apart(self, store: MemoryStore, one: str, two: str) -> None:
        await fill(store, a_memory(1, user=one), a_memory(2, user=two))
        assert await numbers(store, partitions=(one,)) == [1]
        assert await numbers(store, partitions=(two,)) == [2]
        await fill(store, a_memory(3, pool=a_pool(one)), a_memory(4, pool=a_pool(two)))
        assert await numbers(store, a_pool(one)) == [3]
        assert await numbers(store, a_pool(two)) == [4]
        assert await store.purge_pool(a_pool(one)) == 1
        assert await numbers(store, a_pool(two)) == [4]

    @pytest.mark.parametrize(("left", "right"), SPLITS.values(), ids=SPLITS.keys())
    async def test_an_agent_and_a_user_are_never_joined(
        self, store: MemoryStore, left: tuple[str, str], right: tuple[str, str]
    ) -> None:
        for agent, user in (left, right):
            created = await store.create(a_memory(1, agent, user=user, pool=a_pool(agent)), rules=ROOMY)
            assert created.changed
        for agent, user in (left, right):
            assert [row.text for row in await everything(store, a_pool(agent), partitions=(user,))] == [agent]
            assert await store.count(a_pool(agent), partitions=None) == 1

    @pytest.mark.parametrize("separator", NAME_SPLITS)
    async def test_a_tenant_and_an_agent_are_never_joined(self, store: MemoryStore, separator: str) -> None:
        left = a_pool(f"b{separator}c", tenant=TenantId("a"))
        right = a_pool("c", tenant=TenantId(f"a{separator}b"))
        await fill(store, a_memory(1, pool=left), a_memory(2, pool=right))
        assert (await numbers(store, left), await numbers(store, right)) == ([1], [2])

    async def test_the_same_id_in_another_pool_is_another_row(self, store: MemoryStore) -> None:
        pools = [a_pool(), a_pool("ag_other"), a_pool(tenant=OTHER_TENANT)]
        for number, pool in enumerate(pools):
            await fill(store, a_memory(1, f"of pool {number}", pool=pool))
        await store.update(pools[0], memory_id_of(1), partitions=None, at=at(9), text="changed")
        await store.delete_memory(pools[1], memory_id_of(1), partitions=None)
        texts = [[row.text for row in await everything(store, pool)] for pool in pools]
        assert texts == [["changed"], [], ["of pool 2"]]

    async def test_a_purge_takes_one_pool(self, store: MemoryStore) -> None:
        await fill(store, *(a_memory(number, user=user) for number, user in enumerate(["", "maya", "sam"])))
        others = [a_pool("ag_other"), a_pool(tenant=OTHER_TENANT)]
        await fill(store, *(a_memory(7, pool=pool) for pool in others))
        assert await store.purge_pool(a_pool()) == 3
        assert await store.purge_pool(a_pool()) == 0
        assert (await numbers(store), await store.count(a_pool())) == ([], 0)
        for pool in others:
            assert await numbers(store, pool) == [7]
        await fill(store, a_memory(1))
        assert await numbers(store) == [1]
