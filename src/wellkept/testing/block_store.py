"""What every store of blocks keeps: `BlockStoreContract`."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from wellkept.contract.block_store import ANY, BlockStore, Expect
from wellkept.contract.capability import Capability
from wellkept.model.blocks import Block
from wellkept.model.errors import Conflict, NotFound, NotSupported
from wellkept.model.ids import DEFAULT_TENANT, TenantId
from wellkept.model.keys import BlockKey
from wellkept.model.text import etag_of
from wellkept.testing.racing import in_tasks, in_threads
from wellkept.testing.samples import (
    AWKWARD_TEXTS,
    NAME_SPLITS,
    NEIGHBOURS,
    OTHER_TENANT,
    SPLITS,
    a_block,
    a_change,
    a_key,
    at,
)

OpenAgain = Callable[[], Awaitable[BlockStore]]

STALE = etag_of("a text that was never stored")


class BlockStoreContract:
    """Each obligation of `BlockStore`; see `wellkept.testing` for the fixtures."""

    # ---- what goes in comes out

    async def test_what_was_never_stored_is_none(self, store: BlockStore) -> None:
        assert await store.get(a_key()) is None
        assert await store.get_many([a_key(), a_key("OTHER")]) == [None, None]
        assert await store.blocks(DEFAULT_TENANT, "user", "maya") == []

    async def test_a_block_comes_back(self, store: BlockStore) -> None:
        block = a_block("Likes tea.", when=0.000001)
        edited = await store.put(block, expect=None, change=a_change())
        assert (edited.block, edited.changed, edited.etag_before) == (block, True, None)
        assert await store.get(block.key) == block
        assert await store.blocks(DEFAULT_TENANT, "user", "maya") == [block]

    @pytest.mark.parametrize("text", AWKWARD_TEXTS.values(), ids=AWKWARD_TEXTS.keys())
    async def test_a_text_comes_back_exactly(self, store: BlockStore, text: str) -> None:
        written = await store.put(a_block(text), expect=None, change=a_change())
        edited = await store.edit(a_key("EDITED"), lambda _: text, change=a_change())
        assert written.block.text == edited.block.text == text
        found = await store.get_many([a_key(), a_key("EDITED")])
        assert [block and block.text for block in found] == [text, text]
        assert [block.text for block in await store.blocks(DEFAULT_TENANT, "user", "maya")] == [text, text]

    async def test_a_text_replaces_a_longer_one_whole(self, store: BlockStore) -> None:
        await store.put(a_block("x" * 100_000), expect=None, change=a_change())
        await store.put(a_block("short"), expect=ANY, change=a_change(when=1))
        assert await store.get(a_key()) == a_block("short", when=0)

    async def test_many_are_read_in_the_order_asked(self, store: BlockStore) -> None:
        one, two = a_block("1", key=a_key("ONE")), a_block("2", key=a_key("TWO", owner="sam"))
        for block in (one, two):
            await store.put(block, expect=None, change=a_change())
        asked = [two.key, a_key("NONE"), one.key, two.key]
        assert await store.get_many(asked) == [two, None, one, two]
        assert await store.get_many([]) == []

    async def test_time_is_kept_to_the_microsecond_forwards_and_backwards(self, store: BlockStore) -> None:
        for number, when in enumerate((0.000001, 86_400.999999, -3_600.000001)):
            await store.put(a_block(str(number), when=when), expect=ANY, change=a_change(when=when))
            stored = await store.get(a_key())
            assert stored is not None
            assert stored.updated_at == at(when)

    # ---- whose it is

    @pytest.mark.parametrize(("left", "right"), NEIGHBOURS.values(), ids=NEIGHBOURS.keys())
    async def test_neighbouring_keys_stay_apart(
        self, store: BlockStore, left: tuple[str, str], right: tuple[str, str]
    ) -> None:
        a, b = (a_key(key, owner=owner) for owner, key in (left, right))
        await store.put(a_block("left", key=a), expect=None, change=a_change())
        assert await store.get(b) is None
        await store.put(a_block("right", key=b), expect=None, change=a_change())
        assert [block and block.text for block in await store.get_many([a, b])] == ["left", "right"]
        listed = await store.blocks(DEFAULT_TENANT, "user", a.owner)
        assert [block.key for block in listed] == (sorted([a, b]) if a.owner == b.owner else [a])
        assert await store.delete(b, change=a_change()) is True
        assert await store.get(a) == a_block("left", key=a)
        assert await store.check() == []

    async def test_the_same_owner_and_key_in_another_scope_or_tenant_is_another_block(self, store: BlockStore) -> None:
        keys = [
            a_key(owner="default", scope=scope, tenant=tenant)
            for tenant in (DEFAULT_TENANT, OTHER_TENANT)
            for scope in ("user", "agent", "shared")
        ]
        for number, key in enumerate(keys):
            assert await store.get(key) is None
            await store.put(a_block(str(number), key=key), expect=None, change=a_change())
        assert [block and block.text for block in await store.get_many(keys)] == ["0", "1", "2", "3", "4", "5"]
        for number, key in enumerate(keys):
            assert [block.text for block in await store.blocks(key.tenant, key.scope, key.owner)] == [str(number)]

    @pytest.mark.parametrize("separator", NAME_SPLITS)
    async def test_a_tenant_and_an_owner_are_never_joined(self, store: BlockStore, separator: str) -> None:
        a, scope, b, c = "a", f"{separator}user{separator}", "b", "c"
        left = a_key(tenant=TenantId(a), owner=b + scope + c)
        right = a_key(tenant=TenantId(a + scope + b), owner=c)
        for key in (left, right):
            assert await store.get(key) is None
            await store.put(a_block(key=key), expect=None, change=a_change())
        assert await store.purge(left.tenant, "user", left.owner) == 1
        assert await store.blocks(right.tenant, "user", right.owner) == [a_block(key=right)]

    @pytest.mark.parametrize(("left", "right"), SPLITS.values(), ids=SPLITS.keys())
    async def test_one_owner_is_no_beginning_of_another(
        self, store: BlockStore, left: tuple[str, str], right: tuple[str, str]
    ) -> None:
        short, long = a_key(owner=left[0]), a_key(owner=right[0])
        for key in (short, long):
            await store.put(a_block(key=key), expect=None, change=a_change())
        assert await store.blocks(DEFAULT_TENANT, "user", short.owner) == [a_block(key=short)]
        assert await store.purge(DEFAULT_TENANT, "user", short.owner) == 1
        assert await store.get(long) == a_block(key=long)

    async def test_a_list_is_sorted_by_key_and_holds_one_owner(self, store: BlockStore) -> None:
        names = ["a", "_", "Z", "A", "-b", ".c", "a.md", "10", "9"]
        for name in names:
            await store.put(a_block(name, key=a_key(name)), expect=None, change=a_change())
            await store.put(a_block(name, key=a_key(name, owner="may")), expect=None, change=a_change())
        assert [block.key for block in await store.blocks(DEFAULT_TENANT, "user", "maya")] == sorted(map(a_key, names))

    # ---- what is replaced

    @pytest.mark.parametrize("expect", [None, STALE], ids=["must be new", "stale"])
    async def test_a_put_that_replaces_another_text_than_expected_changes_nothing(
        self, store: BlockStore, expect: Expect
    ) -> None:
        stored = a_block("stored")
        await store.put(stored, expect=None, change=a_change())
        with pytest.raises(Conflict) as caught:
            await store.put(a_block("other", when=1), expect=expect, change=a_change(when=1))
        assert caught.value.facts["etag"] == stored.etag
        assert await store.get(a_key()) == stored

    async def test_a_put_that_replaces_what_is_not_there_changes_nothing(self, store: BlockStore) -> None:
        with pytest.raises(Conflict) as caught:
            await store.put(a_block(), expect=STALE, change=a_change())
        assert caught.value.facts["etag"] is None
        assert await store.get(a_key()) is None

    async def test_a_put_that_names_the_stored_text_replaces_it(self, store: BlockStore) -> None:
        first, second, third = (a_block(text, when=when) for when, text in enumerate(("1", "2", "3")))
        await store.put(first, expect=None, change=a_change())
        edited = await store.put(second, expect=first.etag, change=a_change(when=1))
        assert (edited.block, edited.changed, edited.etag_before) == (second, True, first.etag)
        await store.put(third, expect=ANY, change=a_change(when=2))
        assert await store.get(a_key()) == third

    @pytest.mark.parametrize("expect", [None, STALE, etag_of("stored"), ANY], ids=["new", "stale", "right", "any"])
    async def test_an_equal_text_succeeds_and_changes_nothing(self, store: BlockStore, expect: Expect) -> None:
        stored = a_block("stored")
        await store.put(stored, expect=None, change=a_change())
        put = await store.put(a_block("stored", when=9), expect=expect, change=a_change(when=9))
        edit = await store.edit(a_key(), lambda _: "stored", expect=expect, change=a_change(when=9))
        for edited in (put, edit):
            assert (edited.block, edited.changed, edited.etag_before) == (stored, False, stored.etag)
        assert await store.get(a_key()) == stored

    async def test_an_empty_block_is_a_block(self, store: BlockStore) -> None:
        with pytest.raises(Conflict):
            await store.put(a_block(""), expect=etag_of(""), change=a_change())
        edited = await store.put(a_block(""), expect=None, change=a_change())
        assert (edited.changed, edited.etag_before) == (True, None)
        with pytest.raises(Conflict):
            await store.put(a_block("x"), expect=None, change=a_change())
        assert await store.get(a_key()) == a_block("")
        assert await store.delete(a_key(), change=a_change()) is True

    async def test_a_delete_says_whether_there_was_a_block(self, store: BlockStore) -> None:
        await store.put(a_block(), expect=None, change=a_change())
        await store.put(a_block("kept", key=a_key("KEPT")), expect=None, change=a_change())
        assert await store.delete(a_key(), change=a_change()) is True
        assert await store.get(a_key()) is None
        assert [block.key.key for block in await store.blocks(DEFAULT_TENANT, "user", "maya")] == ["KEPT"]
        assert await store.delete(a_key(), change=a_change()) is False
        assert (await store.put(a_block("again"), expect=None, change=a_change())).changed

    @pytest.mark.parametrize("expect", [None, STALE], ids=["must be none", "stale"])
    async def test_a_delete_of_another_text_than_expected_changes_nothing(
        self, store: BlockStore, expect: Expect
    ) -> None:
        assert await store.delete(a_key(), expect=expect, change=a_change()) is False  # it holds nothing already
        stored = a_block()
        await store.put(stored, expect=None, change=a_change())
        with pytest.raises(Conflict) as caught:
            await store.delete(a_key(), expect=expect, change=a_change())
        assert caught.value.facts["etag"] == stored.etag
        assert await store.get(a_key()) == stored
        assert await store.delete(a_key(), expect=stored.etag, change=a_change()) is True

    # ---- edits

    async def test_an_edit_sees_what_is_stored(self, store: BlockStore) -> None:
        seen: list[Block | None] = []

        def decide(stored: Block | None) -> str:
            seen.append(stored)
            return "two" if stored else "one"

        first = await store.edit(a_key(), decide, change=a_change(when=1))
        second = await store.edit(a_key(), decide, change=a_change(when=2))
        assert seen == [None, a_block("one", when=1)]
        assert (first.block, first.changed, first.etag_before) == (a_block("one", when=1), True, None)
        assert (second.block, second.etag_before) == (a_block("two", when=2), etag_of("one"))
        assert await store.get(a_key()) == a_block("two", when=2)

    async def test_an_edit_that_refuses_changes_nothing(self, store: BlockStore) -> None:
        def refuse(stored: Block | None) -> str:
            raise NotFound(what="an entry")

        with pytest.raises(NotFound):
            await store.edit(a_key(), refuse, change=a_change())
        assert await store.get(a_key()) is None
        await store.put(a_block(), expect=None, change=a_change())
        with pytest.raises(NotFound):
            await store.edit(a_key(), refuse, change=a_change(when=1))
        assert await store.get(a_key()) == a_block()
        assert (await store.edit(a_key(), lambda _: "usable", change=a_change())).changed

    @pytest.mark.parametrize("expect", [None, STALE], ids=["must be new", "stale"])
    async def test_an_edit_of_another_text_than_expected_changes_nothing(
        self, store: BlockStore, expect: Expect
    ) -> None:
        await store.put(a_block("stored"), expect=None, change=a_change())
        with pytest.raises(Conflict) as caught:
            await store.edit(a_key(), lambda _: "other", expect=expect, change=a_change(when=1))
        assert caught.value.facts["etag"] == etag_of("stored")
        assert await store.get(a_key()) == a_block("stored")
        edited = await store.edit(a_key(), lambda _: "other", expect=etag_of("stored"), change=a_change(when=1))
        assert edited.changed

    async def test_of_many_edits_at_once_none_is_lost(self, store: BlockStore) -> None:
        await in_tasks([partial(_append, store, f"task {number}") for number in range(20)])
        assert await _lines(store, a_key()) == {f"task {number}" for number in range(20)}

    async def test_of_many_edits_from_threads_none_is_lost(self, store: BlockStore) -> None:
        async def five(thread: int) -> None:
            for number in range(5):
                await _append(store, f"thread {thread} edit {number}")

        await in_threads([partial(five, thread) for thread in range(4)])
        assert len(await _lines(store, a_key())) == 20

    async def test_of_many_edits_over_several_stores_on_the_same_data_none_is_lost(
        self, store: BlockStore, open_again: OpenAgain
    ) -> None:
        async def five(thread: int) -> None:
            mine = await open_again()
            for number in range(5):
                await _append(mine, f"store {thread} edit {number}")
            if mine is not store:
                await mine.close()

        await in_threads([partial(five, thread) for thread in range(4)])
        assert len(await _lines(store, a_key())) == 20

    async def test_of_many_puts_that_replace_the_same_text_one_wins(self, store: BlockStore) -> None:
        async def won(text: str, expect: Expect) -> bool:
            try:
                await store.put(a_block(text), expect=expect, change=a_change())
            except Conflict:
                return False
            return True

        assert sum(await in_tasks([partial(won, f"new {number}", None) for number in range(10)])) == 1
        stored = await store.get(a_key())
        assert stored is not None
        assert sum(await in_threads([partial(won, f"next {number}", stored.etag) for number in range(4)])) == 1

    async def test_a_reader_sees_the_old_text_or_the_new_never_half(self, store: BlockStore) -> None:
        texts = ["a" * 200_000, "b" * 100_000]
        await store.put(a_block(texts[0]), expect=None, change=a_change())
        done = asyncio.Event()
        seen: set[str] = set()

        async def write() -> None:
            for number in range(1, 15):
                await store.put(a_block(texts[number % 2]), expect=ANY, change=a_change())
            done.set()

        async def look() -> None:
            while not done.is_set():
                stored = await store.get(a_key())
                seen.add(stored.text if stored else "nothing")
                await asyncio.sleep(0)

        await in_tasks([write, look])
        assert seen <= set(texts)

    async def test_a_cancelled_edit_leaves_all_or_nothing_and_a_usable_store(self, store: BlockStore) -> None:
        for number in range(10):
            task = asyncio.create_task(_append(store, f"line {number}"))
            await asyncio.sleep(0.0005 * number)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await _append(store, "last")
        lines = await _lines(store, a_key())
        assert "last" in lines
        assert lines <= {"last", *(f"line {number}" for number in range(10))}

    # ---- purging, lasting, sharing

    async def test_a_purge_takes_one_owner_of_one_scope_of_one_tenant(self, store: BlockStore) -> None:
        gone = [a_key("USER"), a_key("user"), a_key("NOTES")]
        kept = [
            a_key(owner="may"),
            a_key(owner="maya1"),
            a_key(owner="Maya"),
            a_key(scope="agent"),
            a_key(scope="shared"),
            a_key(tenant=OTHER_TENANT),
        ]
        for key in gone + kept:
            await store.put(a_block(key=key), expect=None, change=a_change())
        assert await store.purge(DEFAULT_TENANT, "user", "maya") == 3
        assert await store.get_many(gone) == [None, None, None]
        assert await store.blocks(DEFAULT_TENANT, "user", "maya") == []
        assert await store.get_many(kept) == [a_block(key=key) for key in kept]
        assert await store.purge(DEFAULT_TENANT, "user", "maya") == 0
        assert await store.purge(DEFAULT_TENANT, "user", "nobody") == 0
        assert (await store.put(a_block(), expect=None, change=a_change())).changed

    async def test_another_store_on_the_same_data_sees_it_at_once(
        self, store: BlockStore, open_again: OpenAgain
    ) -> None:
        other = await open_again()
        lasting = {Capability.DURABLE, Capability.SHARED} & store.capabilities
        assert (other is not store) or not lasting, "open_again must open a second store on the same data"
        await store.put(a_block("1"), expect=None, change=a_change())
        assert await other.get(a_key()) == a_block("1")
        await other.edit(a_key(), lambda _: "2", change=a_change(when=1))
        assert await store.get(a_key()) == a_block("2", when=1)
        await other.delete(a_key(), change=a_change())
        assert await store.get(a_key()) is None
        await other.close()

    async def test_what_was_acknowledged_is_there_after_closing(self, store: BlockStore, open_again: OpenAgain) -> None:
        await store.put(a_block(), expect=None, change=a_change())
        await store.close()
        await store.close()
        if Capability.DURABLE in store.capabilities:
            again = await open_again()
            assert await again.get(a_key()) == a_block()
            await again.close()

    async def test_a_store_keeps_a_history_or_says_that_it_does_not(self, store: BlockStore) -> None:
        await store.put(a_block(), expect=None, change=a_change())
        try:
            revisions = await store.revisions(a_key())  # See `BlockHistoryContract`.
        except NotSupported:
            assert Capability.HISTORY not in store.capabilities
        else:  # A store over several may keep a history of some blocks without promising one of all.
            assert len(revisions) == 1

    async def test_nothing_is_wrong_with_what_the_store_wrote(self, store: BlockStore) -> None:
        assert await store.check() == []
        await store.put(a_block(), expect=None, change=a_change())
        await store.put(a_block(key=a_key("user", tenant=OTHER_TENANT)), expect=None, change=a_change())
        await store.delete(a_key(), change=a_change())
        assert await store.check() == []


async def _append(store: BlockStore, line: str, key: BlockKey | None = None) -> None:
    def decide(stored: Block | None) -> str:
        return f"{stored.text}\n{line}" if stored else line

    await store.edit(key or a_key(), decide, change=a_change())


async def _lines(store: BlockStore, key: BlockKey) -> set[str]:
    stored = await store.get(key)
    assert stored is not None
    lines = stored.text.split("\n")
    assert len(lines) == len(set(lines)), "an edit took effect twice"
    return set(lines)
