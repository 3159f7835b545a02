"""What a store of blocks with `Capability.HISTORY` keeps beyond: `BlockHistoryContract`."""

from functools import partial
from itertools import pairwise

import pytest

from wellkept.contract.block_store import ANY, BlockStore
from wellkept.contract.capability import Capability
from wellkept.model.blocks import BlockRevision
from wellkept.model.errors import Conflict
from wellkept.model.ids import DEFAULT_TENANT, SessionId
from wellkept.model.text import etag_of
from wellkept.testing.racing import in_tasks
from wellkept.testing.samples import AWKWARD_TEXTS, OTHER_TENANT, a_block, a_change, a_key, at


class BlockHistoryContract:
    """Every change of a block leaves a revision; see `wellkept.testing` for the fixtures."""

    async def test_the_store_says_that_it_keeps_a_history(self, store: BlockStore) -> None:
        assert Capability.HISTORY in store.capabilities
        assert await store.revisions(a_key()) == []

    async def test_every_change_leaves_a_revision_newest_first(self, store: BlockStore) -> None:
        await store.put(a_block("1"), expect=None, change=a_change(when=1, actor="import"))
        await store.edit(a_key(), lambda _: "2", change=a_change(when=2, actor="user_turn", session="s1"))
        await store.delete(a_key(), change=a_change(when=3))
        await store.put(a_block("3"), expect=None, change=a_change(when=4, actor="agent"))
        one, two, three = etag_of("1"), etag_of("2"), etag_of("3")
        made = partial(BlockRevision, key=a_key())
        assert await store.revisions(a_key()) == [
            made(number=4, text="3", actor="agent", at=at(4), session=None, etag_before=None, etag_after=three),
            made(number=3, text=None, actor="admin", at=at(3), session=None, etag_before=two, etag_after=None),
            made(
                number=2,
                text="2",
                actor="user_turn",
                at=at(2),
                session=SessionId("s1"),
                etag_before=one,
                etag_after=two,
            ),
            made(number=1, text="1", actor="import", at=at(1), session=None, etag_before=None, etag_after=one),
        ]

    async def test_the_order_is_that_of_the_changes_whatever_the_clock_says(self, store: BlockStore) -> None:
        for text, when in (("1", 9), ("2", 0), ("3", 0), ("4", -9)):
            await store.put(a_block(text, when=when), expect=ANY, change=a_change(when=when))
        revisions = await store.revisions(a_key())
        assert [(revision.number, revision.text) for revision in revisions] == [(4, "4"), (3, "3"), (2, "2"), (1, "1")]

    async def test_what_changes_nothing_leaves_no_revision(self, store: BlockStore) -> None:
        await store.put(a_block("1"), expect=None, change=a_change())
        before = await store.revisions(a_key())
        await store.put(a_block("1", when=1), expect=ANY, change=a_change(when=1))
        await store.edit(a_key(), lambda _: "1", change=a_change(when=1))
        for expect in (None, etag_of("other")):
            with pytest.raises(Conflict):
                await store.put(a_block("2"), expect=expect, change=a_change(when=1))
            with pytest.raises(Conflict):
                await store.delete(a_key(), expect=expect, change=a_change(when=1))
        assert await store.revisions(a_key()) == before
        await store.delete(a_key("NONE"), change=a_change())
        assert await store.revisions(a_key("NONE")) == []

    async def test_a_history_is_read_in_pages(self, store: BlockStore) -> None:
        for number in range(1, 8):
            await store.put(a_block(str(number)), expect=ANY, change=a_change())

        async def page(before: int | None, limit: int) -> list[int]:
            return [revision.number for revision in await store.revisions(a_key(), before=before, limit=limit)]

        assert await page(None, 3) == [7, 6, 5]
        assert await page(5, 3) == [4, 3, 2]
        assert await page(2, 3) == [1]
        assert await page(1, 3) == []
        assert await page(99, 99) == [7, 6, 5, 4, 3, 2, 1]

    async def test_a_history_is_of_one_block(self, store: BlockStore) -> None:
        keys = [a_key(), a_key("user"), a_key(owner="Maya"), a_key(scope="agent"), a_key(tenant=OTHER_TENANT)]
        for number, key in enumerate(keys):
            await store.put(a_block(str(number), key=key), expect=None, change=a_change())
        for number, key in enumerate(keys):
            (revision,) = await store.revisions(key)
            assert (revision.key, revision.number, revision.text) == (key, 1, str(number))

    async def test_a_purge_takes_the_history_of_one_owner(self, store: BlockStore) -> None:
        kept = [a_key(owner="may"), a_key(scope="agent"), a_key(tenant=OTHER_TENANT)]
        for key in [a_key(), a_key("DELETED"), *kept]:
            await store.put(a_block(key=key), expect=None, change=a_change())
        await store.delete(a_key("DELETED"), change=a_change())
        assert await store.purge(DEFAULT_TENANT, "user", "maya") == 1
        assert await store.revisions(a_key()) == []
        assert await store.revisions(a_key("DELETED")) == []
        for key in kept:
            await store.put(a_block("another", key=key), expect=ANY, change=a_change())
            assert [revision.number for revision in await store.revisions(key)] == [2, 1]
        await store.put(a_block(), expect=None, change=a_change())
        assert [revision.number for revision in await store.revisions(a_key())] == [1]

    async def test_numbers_have_no_gaps_when_edits_race(self, store: BlockStore) -> None:
        async def edit(text: str) -> None:
            await store.edit(a_key(), lambda _: text, change=a_change())

        await in_tasks([partial(edit, str(number)) for number in range(10)])
        revisions = await store.revisions(a_key())
        assert [revision.number for revision in revisions] == list(range(10, 0, -1))
        for newer, older in pairwise(revisions):
            assert newer.etag_before == older.etag_after

    @pytest.mark.parametrize("text", AWKWARD_TEXTS.values(), ids=AWKWARD_TEXTS.keys())
    async def test_a_revision_keeps_the_text_exactly(self, store: BlockStore, text: str) -> None:
        await store.put(a_block(text), expect=None, change=a_change())
        (revision,) = await store.revisions(a_key())
        assert (revision.text, revision.etag_after) == (text, etag_of(text))
