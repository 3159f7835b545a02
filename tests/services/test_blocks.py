"""Blocks as an administrator sees them."""

import asyncio

import pytest

from service_house import House, key
from wellkept.contract.events import Event
from wellkept.model.edits import Add
from wellkept.model.errors import Conflict, InvalidInput, NotFound, OverLimit
from wellkept.model.ids import DEFAULT_TENANT


async def test_put_get_list_delete(house: House) -> None:
    edited = await house.blocks.put(key(), "one\r\n\ttwo\n")
    assert (edited.changed, edited.etag_before) == (True, None)
    assert await house.blocks.get(key()) == edited.block
    assert await house.blocks.list(DEFAULT_TENANT, "user", "maya") == [edited.block]
    assert await house.blocks.list(DEFAULT_TENANT, "user", "mayb") == []
    await house.blocks.delete(key())
    with pytest.raises(NotFound):
        await house.blocks.get(key())
    with pytest.raises(NotFound):
        await house.blocks.delete(key())
    # An event goes to logs: whose block it was does not.
    assert house.events == [Event(kind="block_changed", tenant=DEFAULT_TENANT, id="user/USER")] * 2


async def test_a_stale_write_changes_nothing(house: House) -> None:
    first = (await house.blocks.put(key(), "one", expect=None)).block
    await house.blocks.put(key(), "two", expect=first.etag)
    for call in (
        house.blocks.put(key(), "three", expect=first.etag),
        house.blocks.put(key(), "three", expect=None),
        house.blocks.edit(key(), Add("three"), expect=first.etag),
        house.blocks.delete(key(), expect=first.etag),
    ):
        with pytest.raises(Conflict) as caught:
            await call
        assert caught.value.facts["etag"] == (await house.blocks.get(key())).etag
    assert not (await house.blocks.put(key(), "two", expect=first.etag)).changed


async def test_limits_hold_for_administrators_too(house: House) -> None:
    with pytest.raises(OverLimit):
        await house.blocks.put(key(), "12345", limit=4)
    with pytest.raises(InvalidInput):
        await house.blocks.put(key(), "a\x00")
    await house.blocks.put(key(), "12345678")
    assert (await house.blocks.put(key(), "1234567", limit=4)).changed


async def test_concurrent_adds_all_survive(house: House) -> None:
    await asyncio.gather(*(house.blocks.edit(key(), Add(str(number))) for number in range(30)))
    text = (await house.blocks.get(key())).text
    assert sorted(text.split("\n§\n"), key=int) == [str(number) for number in range(30)]


async def test_history_diff_and_restore(house: House) -> None:
    await house.blocks.put(key(), "one\r\ntwo\n")
    await house.blocks.put(key(), "one\r\n2\u2028\nthree")
    assert [revision.number for revision in await house.blocks.history(key())] == [2, 1]
    assert [revision.number for revision in await house.blocks.history(key(), before=2)] == [1]
    assert await house.blocks.diff(key(), 1, 2) == (
        "--- USER 1\n+++ USER 2\n@@ -1,2 +1,3 @@\n one\r\n-two\n+2\u2028\n+three\n\\ No newline at end of text\n"
    )
    assert await house.blocks.diff(key(), 0, 1) == "--- USER 0\n+++ USER 1\n@@ -0,0 +1,2 @@\n+one\r\n+two\n"
    assert await house.blocks.diff(key(), 1, 1) == ""
    restored = await house.blocks.restore(key(), 1)
    assert (restored.changed, restored.block.text) == (True, "one\r\ntwo\n")
    assert [revision.number for revision in await house.blocks.history(key())] == [3, 2, 1]


async def test_a_deleted_block_can_be_restored_but_not_its_deletion(house: House) -> None:
    await house.blocks.put(key(), "one")
    await house.blocks.delete(key())
    with pytest.raises(InvalidInput):
        await house.blocks.restore(key(), 2)
    assert (await house.blocks.restore(key(), 1)).block.text == "one"


async def test_a_revision_that_is_none_is_not_found(house: House) -> None:
    await house.blocks.put(key(), "one")
    for number in (0, 2, -1):
        with pytest.raises(NotFound):
            await house.blocks.restore(key(), number)
    with pytest.raises(NotFound):
        await house.blocks.diff(key(), 1, 2)
    with pytest.raises(InvalidInput):
        await house.blocks.history(key(), limit=0)


async def test_a_stale_restore_changes_nothing(house: House) -> None:
    first = (await house.blocks.put(key(), "one")).block
    await house.blocks.put(key(), "two")
    with pytest.raises(Conflict):
        await house.blocks.restore(key(), 1, expect=first.etag + "x")
    assert (await house.blocks.get(key())).text == "two"
