"""`wellkept.open`: a store by its URL, and the memory of one turn."""

from pathlib import Path

import pytest

import wellkept
from wellkept.compose.stores import open_block_store, open_stores, schemes
from wellkept.model.errors import InvalidInput, Misconfigured, NotSupported, StoreFailed, UnknownStore
from wellkept.testing.samples import a_passage, an_owner, new


async def test_what_one_turn_saves_another_turn_of_the_user_is_shown(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    async with wellkept.open(url) as memory:
        turn = memory.turn(agent="support", user_id="user-42", session_id="s1")
        await turn.context(query="hello")
        tools = {tool.name: tool for tool in turn.tools()}
        saved = await tools["memory_block"].call({"action": "add", "block": "USER", "content": "- plan: Pro"})
        assert saved["changed"] is True

    async with wellkept.open(url) as memory:
        mine = await memory.turn(agent="support", user_id="user-42", session_id="s2").context()
        theirs = await memory.turn(agent="support", user_id="user-43", session_id="s3").context()

    assert "- plan: Pro" in mine.text
    assert "- plan: Pro" not in theirs.text
    assert mine.receipt.hash != theirs.receipt.hash


async def test_a_user_block_is_the_users_whatever_agent_asks() -> None:
    async with wellkept.open("inproc://") as memory:
        turn = memory.turn(agent="support", user_id="u")
        await turn.declared()
        block = next(tool for tool in turn.tools() if tool.name == "memory_block")
        await block.call({"action": "add", "block": "USER", "content": "- name: Ann"})

        other = await memory.turn(agent="sales", user_id="u").context()

    assert "- name: Ann" in other.text


async def test_tools_are_not_known_before_the_turn_was_asked() -> None:
    async with wellkept.open("inproc://") as memory:
        turn = memory.turn(agent="support", user_id="u")
        with pytest.raises(Misconfigured, match=r"await context\(\)"):
            turn.tools()


async def test_a_turn_needs_ids_that_are_valid() -> None:
    async with wellkept.open("inproc://") as memory:
        with pytest.raises(InvalidInput, match="userId"):
            memory.turn(agent="support", user_id=" ")


@pytest.mark.parametrize("url", ["", "memory.db", "mysql://x", "../sqlite://x", "stores.sqlite://x"])
async def test_an_unknown_scheme_names_the_known_ones(url: str) -> None:
    with pytest.raises(UnknownStore) as caught:
        await open_stores(url)
    assert caught.value.facts["known"] == ", ".join(f"{name}://" for name in schemes())
    assert all(f"{scheme}://" in str(caught.value.facts["do"]) for scheme in schemes())


async def test_a_store_of_blocks_alone_does_not_hold_everything(tmp_path: Path) -> None:
    with pytest.raises(NotSupported, match="MemoryStore"):
        await open_stores(f"files://{tmp_path}")


async def test_blocks_may_lie_elsewhere(tmp_path: Path) -> None:
    stores = await open_stores("inproc://", blocks_url=f"files://{tmp_path}")
    try:
        assert stores.blocks is not stores.memories
    finally:
        await stores.close()


async def test_passages_may_lie_elsewhere(tmp_path: Path) -> None:
    stores = await open_stores("inproc://", passages_url=f"sqlite:///{tmp_path}/passages.db")
    try:
        assert stores.passages is not stores.memories
        assert stores.blocks is stores.memories
        await stores.passages.put_passages(an_owner(), new(a_passage(1)))
    finally:
        await stores.close()
    kept = await open_stores(f"sqlite:///{tmp_path}/passages.db")
    assert await kept.passages.passage_ids(an_owner()) == {a_passage(1).id}
    await kept.close()


async def test_what_has_the_same_address_is_one_store(tmp_path: Path) -> None:
    other = f"sqlite:///{tmp_path}/other.db"
    stores = await open_stores("inproc://", blocks_url=other, passages_url=other)
    assert stores.blocks is stores.passages
    assert stores.blocks is not stores.memories
    await stores.close()


async def test_a_store_of_blocks_alone_keeps_no_passages(tmp_path: Path) -> None:
    with pytest.raises(NotSupported, match="PassageStore"):
        await open_stores("inproc://", passages_url=f"files://{tmp_path}")


async def test_a_second_store_that_cannot_be_opened_closes_the_first(tmp_path: Path) -> None:
    folder_in_the_way = tmp_path / "taken.db"
    folder_in_the_way.mkdir()
    with pytest.raises(StoreFailed):
        await open_stores("inproc://", blocks_url=f"sqlite:///{folder_in_the_way}")
    with pytest.raises(UnknownStore):
        await open_block_store("nothing://")
