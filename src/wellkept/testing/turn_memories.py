"""What a turn's memories keep, wherever they lie."""

from collections.abc import Awaitable, Callable
from typing import Final

import pytest

from wellkept.contract.memory_api import MemoryApi
from wellkept.model import errors
from wellkept.model.agents import AgentConfig
from wellkept.model.edits import Add
from wellkept.model.ids import MemoryId, SessionId, UserId
from wellkept.model.memories import MemorySettings
from wellkept.model.turns import Turn
from wellkept.testing.backstage import CONFIG, MISSING, Backstage, TurnStage, row_of

RowOperation = Callable[[MemoryApi, Turn, MemoryId], Awaitable[object]]

ROW_OPERATIONS: Final[dict[str, RowOperation]] = {
    "get_memory": lambda memory, turn, row: memory.get_memory(turn, row),
    "update_memory": lambda memory, turn, row: memory.update_memory(turn, row, "mine now"),
    "delete_memory": lambda memory, turn, row: memory.delete_memory(turn, row),
}
every_row_operation: Final = pytest.mark.parametrize("operation", ROW_OPERATIONS.values(), ids=ROW_OPERATIONS.keys())


class TurnMemories(TurnStage):
    """Saving, reading, finding, replacing and deleting memories."""

    # ---- memories

    async def test_a_memory_is_the_turn_s_user_s(self, memory: MemoryApi, turn: Turn, nobody: Turn) -> None:
        own, general = await memory.save_memory(turn, "Likes tea."), await memory.save_memory(nobody, "Open at 9.")
        assert own.memory is not None and general.memory is not None
        assert (own.state, own.memory.user_id, own.memory.text) == ("done", "maya", "Likes tea.")
        assert (general.state, general.memory.user_id, general.memory.origin) == ("done", "", "tool")
        assert await memory.get_memory(turn, own.memory.id) == own.memory

    @pytest.mark.parametrize(
        "user", ["maya+test@example.com", "google-oauth2|123", "tenant:user", "a/b", "用户1", "a b"]
    )
    async def test_users_of_all_names(self, memory: MemoryApi, turn: Turn, user: str) -> None:
        mine = Turn(tenant=turn.tenant, agent=turn.agent, user=UserId(user), session=SessionId(user))
        saved = await memory.save_memory(mine, "Likes tea.")
        assert saved.memory is not None and saved.memory.user_id == user
        await memory.edit_block(mine, "USER", Add("x"))
        assert not (await memory.view_block(mine, "USER")).empty
        assert (await memory.view_block(turn, "USER")).empty

    async def test_a_text_that_is_saved_already(self, memory: MemoryApi, turn: Turn, other: Turn) -> None:
        first = await memory.save_memory(turn, "Likes tea.")
        again = await memory.save_memory(turn, "Likes tea.")
        assert (again.state, row_of(again)) == ("unchanged", row_of(first))
        assert row_of(await memory.save_memory(other, "Likes tea.")) != row_of(first)

    async def test_a_text_that_stands_in_the_prompt_already(self, memory: MemoryApi, turn: Turn, nobody: Turn) -> None:
        general = await memory.save_memory(nobody, "Open at 9.")
        await memory.context(turn)
        again = await memory.save_memory(turn, "Open at 9.")
        assert (again.state, row_of(again)) == ("unchanged", row_of(general))

    @pytest.mark.parametrize("text", ["", " \n", "\u200b", "\x00", "é" * 5_121])
    async def test_a_text_that_cannot_be_a_memory(self, memory: MemoryApi, turn: Turn, text: str) -> None:
        row = row_of(await memory.save_memory(turn, "Likes tea."))
        for call in (memory.save_memory(turn, text), memory.update_memory(turn, row, text)):
            with pytest.raises(errors.InvalidInput) as caught:
                await call
            assert caught.value.param == "text"

    async def test_a_rejected_memory(self, memory: MemoryApi, turn: Turn) -> None:
        row = row_of(await memory.save_memory(turn, "Likes tea."))
        for call in (memory.save_memory(turn, "REJECT"), memory.update_memory(turn, row, "REJECT")):
            with pytest.raises(errors.TextRejected):
                await call

    async def test_a_memory_that_the_screen_holds(self, memory: MemoryApi, backstage: Backstage, turn: Turn) -> None:
        written = await memory.save_memory(turn, "HOLD this")
        assert (written.state, written.memory) == ("held", None)
        assert await memory.search_memories(turn, "HOLD") == []
        await backstage.approve(written.held or "")
        assert [found.memory.text for found in await memory.search_memories(turn, "HOLD")] == ["HOLD this"]

    async def test_a_memory_is_replaced_and_deleted(self, memory: MemoryApi, turn: Turn) -> None:
        row = row_of(await memory.save_memory(turn, "Likes tea."))
        updated = await memory.update_memory(turn, row, "Likes mate.")
        assert (updated.state, row_of(updated)) == ("done", row)
        assert (await memory.get_memory(turn, row)).text == "Likes mate."
        assert (await memory.update_memory(turn, row, "Likes mate.")).state == "unchanged"
        deleted = await memory.delete_memory(turn, row)
        assert (deleted.state, deleted.memory) == ("done", None)
        with pytest.raises(errors.NotFound):
            await memory.get_memory(turn, row)

    @every_row_operation
    async def test_a_memory_that_is_not_there(
        self,
        memory: MemoryApi,
        turn: Turn,
        operation: RowOperation,
    ) -> None:
        with pytest.raises(errors.NotFound):
            await operation(memory, turn, MISSING)

    @every_row_operation
    async def test_a_memory_of_somebody_else_is_not_there(
        self,
        memory: MemoryApi,
        turn: Turn,
        other: Turn,
        nobody: Turn,
        operation: RowOperation,
    ) -> None:
        row = row_of(await memory.save_memory(turn, "Likes tea."))
        for stranger in (other, nobody):
            with pytest.raises(errors.NotFound):
                await operation(memory, stranger, row)
        assert (await memory.get_memory(turn, row)).text == "Likes tea."

    async def test_agents_share_no_memories(self, memory: MemoryApi, backstage: Backstage, turn: Turn) -> None:
        row = row_of(await memory.save_memory(turn, "Likes tea."))
        elsewhere = Turn(tenant=turn.tenant, agent=await backstage.agent(CONFIG), user=turn.user)
        assert await memory.search_memories(elsewhere, "tea") == []
        with pytest.raises(errors.NotFound):
            await memory.get_memory(elsewhere, row)

    # ---- general memories, from a turn with a user

    async def _general(
        self, memory: MemoryApi, backstage: Backstage, settings: MemorySettings
    ) -> tuple[Turn, MemoryId]:
        """Give a user's turn, and a general memory of an agent with these settings."""
        agent = await backstage.agent(AgentConfig(name="x", tools=("memory",), memories=settings))
        saved = await memory.save_memory(Turn(tenant=backstage.tenant, agent=agent), "Open at 9.")
        return Turn(tenant=backstage.tenant, agent=agent, user=UserId("maya")), row_of(saved)

    async def test_an_open_general_memory(self, memory: MemoryApi, backstage: Backstage) -> None:
        turn, row = await self._general(memory, backstage, MemorySettings(general_write="open"))
        assert (await memory.update_memory(turn, row, "Open at 8.")).state == "done"
        assert (await memory.delete_memory(turn, row)).state == "done"

    async def test_a_closed_general_memory(self, memory: MemoryApi, backstage: Backstage) -> None:
        turn, row = await self._general(memory, backstage, MemorySettings(general_write="closed"))
        for call in (memory.update_memory(turn, row, "Open at 8."), memory.delete_memory(turn, row)):
            with pytest.raises(errors.WriteClosed):
                await call
        assert (await memory.get_memory(turn, row)).text == "Open at 9."

    async def test_a_general_memory_waits_for_approval(self, memory: MemoryApi, backstage: Backstage) -> None:
        turn, row = await self._general(memory, backstage, MemorySettings())
        held = await memory.update_memory(turn, row, "Open at 8.")
        assert (held.state, held.memory) == ("held", None)
        assert (await memory.get_memory(turn, row)).text == "Open at 9."
        await backstage.approve(held.held or "")
        assert (await memory.get_memory(turn, row)).text == "Open at 8."
        held = await memory.delete_memory(turn, row)
        assert held.state == "held"
        await backstage.approve(held.held or "")
        with pytest.raises(errors.NotFound):
            await memory.get_memory(turn, row)

    # ---- searching

    async def test_the_best_comes_first(self, memory: MemoryApi, turn: Turn, nobody: Turn) -> None:
        for text in ("Error ERR-4092-B on the printer.", "The printer is on the third floor."):
            await memory.save_memory(nobody, text)
        await memory.save_memory(turn, "Prefers heliotrope accents.")
        found = await memory.search_memories(turn, "what does 4092 on the printer mean?")
        assert found[0].memory.text == "Error ERR-4092-B on the printer."
        assert found[0].score >= found[-1].score > 0
        assert set(found[0].parts)
        assert len(await memory.search_memories(turn, "printer", limit=1)) == 1

    @pytest.mark.parametrize(
        "query", ["-tea", "-tea -coffee", '-"green tea"', "", " ", "§ !?", "x" * 5_000, "' OR 1=1 --"]
    )
    async def test_any_query_is_legal_and_denials_alone_find_nothing(
        self, memory: MemoryApi, turn: Turn, query: str
    ) -> None:
        await memory.save_memory(turn, "Likes mate.")
        assert await memory.search_memories(turn, query) == []

    @pytest.mark.parametrize("limit", [-1, 0, 21])
    async def test_a_search_for_too_many(self, memory: MemoryApi, turn: Turn, limit: int) -> None:
        with pytest.raises(errors.InvalidInput) as caught:
            await memory.search_memories(turn, "tea", limit=limit)
        assert caught.value.param == "limit"

    @pytest.mark.parametrize("query", ["a\x00b", "\ud800"])
    async def test_a_query_that_is_no_text(self, memory: MemoryApi, turn: Turn, query: str) -> None:
        with pytest.raises(errors.InvalidInput):
            await memory.search_memories(turn, query)

    # ---- touching

    async def test_what_is_used_is_touched(self, memory: MemoryApi, backstage: Backstage, turn: Turn) -> None:
        row = row_of(await memory.save_memory(turn, "Likes tea."))
        uses: tuple[Callable[[], Awaitable[object]], ...] = (
            lambda: memory.get_memory(turn, row),
            lambda: memory.search_memories(turn, "tea"),
            lambda: memory.context(turn),
        )
        for use in uses:
            now = backstage.advance(60)
            await use()
            assert await backstage.last_accessed_at(turn, row) == now

    async def test_what_is_not_found_is_not_touched(self, memory: MemoryApi, backstage: Backstage, turn: Turn) -> None:
        row = row_of(await memory.save_memory(turn, "Likes tea."))
        before = await backstage.last_accessed_at(turn, row)
        backstage.advance(60)
        await memory.search_memories(turn, "coffee")
        await memory.declared(turn)
        assert await backstage.last_accessed_at(turn, row) == before
