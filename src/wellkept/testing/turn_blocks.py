"""What a turn's blocks keep, wherever they lie."""

import asyncio
from typing import Final

import pytest

from wellkept.contract.memory_api import MemoryApi
from wellkept.model import errors
from wellkept.model.edits import Add, Remove, Replace
from wellkept.model.turns import Turn
from wellkept.testing.backstage import Backstage, TurnStage
from wellkept.testing.samples import AWKWARD_TEXTS

ENTRIES: Final = {
    name: text for name, text in AWKWARD_TEXTS.items() if text.strip() and "\n§\n" not in text and len(text) <= 10_000
}
"""Awkward texts that an entry may hold."""


class TurnBlocks(TurnStage):
    """Viewing and editing blocks."""

    async def test_an_empty_block_shows_its_template(self, memory: MemoryApi, turn: Turn) -> None:
        view = await memory.view_block(turn, "USER")
        assert (view.text, view.empty, view.chars, view.etag) == ("- name:", True, 7, None)

    async def test_an_edit_is_seen_at_once(self, memory: MemoryApi, turn: Turn) -> None:
        written = await memory.edit_block(turn, "USER", Add("Likes tea."))
        view = await memory.view_block(turn, "USER")
        assert written.state == "done"
        assert (view.text, view.empty) == ("- name:\n§\nLikes tea.", False)
        assert (written.key, written.scope, written.chars, written.limit) == ("USER", "user", view.chars, view.limit)
        assert written.etag == view.etag
        await memory.edit_block(turn, "USER", Replace("Likes mate.", "tea"))
        await memory.edit_block(turn, "USER", Remove("name"))
        assert (await memory.view_block(turn, "USER")).text == "Likes mate."

    async def test_an_edit_that_changes_nothing(self, memory: MemoryApi, turn: Turn) -> None:
        await memory.edit_block(turn, "TEAM", Replace("Ship on Friday."))
        written = await memory.edit_block(turn, "TEAM", Replace("Ship on Friday."))
        assert (written.state, written.chars) == ("unchanged", 15)

    async def test_concurrent_adds_both_stay(self, memory: MemoryApi, turn: Turn) -> None:
        await asyncio.gather(*(memory.edit_block(turn, "USER", Add(f"fact {number}")) for number in range(8)))
        text = (await memory.view_block(turn, "USER")).text
        assert all(f"fact {number}" in text.split("\n") for number in range(8))

    @pytest.mark.parametrize("block", ["OTHER", "user", "a/b", "", "\u7528"])
    async def test_a_block_that_is_not_declared(self, memory: MemoryApi, turn: Turn, block: str) -> None:
        with pytest.raises(errors.BlockUnavailable):
            await memory.view_block(turn, block)
        with pytest.raises(errors.BlockUnavailable):
            await memory.edit_block(turn, block, Add("x"))

    async def test_a_block_without_an_owner(self, memory: MemoryApi, nobody: Turn) -> None:
        for block in ("USER", "TEAM"):
            with pytest.raises(errors.BlockUnavailable):
                await memory.view_block(nobody, block)
            with pytest.raises(errors.BlockUnavailable):
                await memory.edit_block(nobody, block, Add("x"))

    async def test_a_closed_block(self, memory: MemoryApi, turn: Turn, nobody: Turn) -> None:
        for who in (turn, nobody):
            with pytest.raises(errors.WriteClosed):
                await memory.edit_block(who, "RULES", Add("x"))

    async def test_over_the_limit(self, memory: MemoryApi, turn: Turn) -> None:
        await memory.edit_block(turn, "TEAM", Add("x" * 30))
        with pytest.raises(errors.OverLimit) as caught:
            await memory.edit_block(turn, "TEAM", Add("\U0001f600" * 20))
        assert (caught.value.facts["used"], caught.value.facts["limit"]) == (53, 40)
        assert (await memory.view_block(turn, "TEAM")).text == "x" * 30

    async def test_a_match_of_nothing(self, memory: MemoryApi, turn: Turn) -> None:
        await memory.edit_block(turn, "TEAM", Add("tea"))
        for edit in (Remove("coffee"), Replace("mate", "coffee")):
            with pytest.raises(errors.EntryNotFound) as caught:
                await memory.edit_block(turn, "TEAM", edit)
            assert caught.value.candidates == ("tea",)

    async def test_a_match_of_several(self, memory: MemoryApi, turn: Turn) -> None:
        for entry in ("green tea\r\nhot", "coffee", "black tea"):
            await memory.edit_block(turn, "TEAM", Add(entry))
        for edit in (Remove("tea"), Replace("mate", "tea")):
            with pytest.raises(errors.EntryAmbiguous) as caught:
                await memory.edit_block(turn, "TEAM", edit)
            assert caught.value.candidates == ("green tea\r\nhot", "black tea")

    async def test_a_rejected_edit(self, memory: MemoryApi, turn: Turn) -> None:
        with pytest.raises(errors.TextRejected):
            await memory.edit_block(turn, "USER", Add("REJECT"))
        assert (await memory.view_block(turn, "USER")).empty

    async def test_an_agent_s_block_in_a_user_s_turn_waits(
        self, memory: MemoryApi, backstage: Backstage, turn: Turn, nobody: Turn
    ) -> None:
        written = await memory.edit_block(turn, "MEMORY", Add("Refunds take 5 days."))
        assert (written.state, written.chars, written.held is not None) == ("held", 0, True)
        assert (await memory.view_block(turn, "MEMORY")).empty
        await backstage.approve(written.held or "")
        assert (await memory.view_block(nobody, "MEMORY")).text == "Refunds take 5 days."

    async def test_an_agent_s_block_in_a_turn_of_nobody_is_open(self, memory: MemoryApi, nobody: Turn) -> None:
        assert (await memory.edit_block(nobody, "MEMORY", Add("x"))).state == "done"

    async def test_an_edit_that_the_screen_holds(self, memory: MemoryApi, backstage: Backstage, turn: Turn) -> None:
        written = await memory.edit_block(turn, "TEAM", Add("HOLD this"))
        assert written.state == "held"
        assert (await memory.view_block(turn, "TEAM")).empty
        await backstage.approve(written.held or "")
        assert (await memory.view_block(turn, "TEAM")).text == "HOLD this"

    @pytest.mark.parametrize("text", ENTRIES.values(), ids=ENTRIES.keys())
    async def test_texts_come_back_exactly(self, memory: MemoryApi, turn: Turn, text: str) -> None:
        await memory.edit_block(turn, "USER", Replace(text))
        assert (await memory.view_block(turn, "USER")).text == text
