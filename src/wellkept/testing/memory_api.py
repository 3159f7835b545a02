"""What every way to a turn's memory keeps: `MemoryApiContract`."""

import hashlib
from collections.abc import Awaitable, Callable
from typing import Final

import pytest

from wellkept.contract.memory_api import MemoryApi
from wellkept.model import errors
from wellkept.model.agents import MEMORY_TOOLS, AgentConfig
from wellkept.model.edits import Add
from wellkept.model.ids import AgentId, UserId
from wellkept.model.outcomes import DeclaredBlock
from wellkept.model.turns import Turn
from wellkept.testing.backstage import MISSING, Backstage, row_of
from wellkept.testing.turn_blocks import TurnBlocks
from wellkept.testing.turn_memories import TurnMemories
from wellkept.testing.turn_recall import TurnRecall

Operation = Callable[[MemoryApi, Turn], Awaitable[object]]

OPERATIONS: Final[dict[str, Operation]] = {
    "declared": lambda memory, turn: memory.declared(turn),
    "context": lambda memory, turn: memory.context(turn, query="tea"),
    "view_block": lambda memory, turn: memory.view_block(turn, "MEMORY"),
    "edit_block": lambda memory, turn: memory.edit_block(turn, "MEMORY", Add("x")),
    "save_memory": lambda memory, turn: memory.save_memory(turn, "x"),
    "get_memory": lambda memory, turn: memory.get_memory(turn, MISSING),
    "search_memories": lambda memory, turn: memory.search_memories(turn, "x"),
    "update_memory": lambda memory, turn: memory.update_memory(turn, MISSING, "x"),
    "delete_memory": lambda memory, turn: memory.delete_memory(turn, MISSING),
    "search_past": lambda memory, turn: memory.search_past(turn, "x"),
}
every_operation: Final = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS.keys())


class MemoryApiContract(TurnBlocks, TurnMemories, TurnRecall):
    """Each promise of `MemoryApi`. Fixtures: `memory`, and `backstage`, the `Backstage` of the service behind it."""

    # ---- which agent, which session

    @every_operation
    async def test_an_agent_that_is_not_there(
        self, memory: MemoryApi, backstage: Backstage, operation: Operation
    ) -> None:
        with pytest.raises(errors.NotFound):
            await operation(memory, Turn(tenant=backstage.tenant, agent=AgentId("ag_missing")))

    @every_operation
    async def test_a_version_that_is_not_there(
        self, memory: MemoryApi, backstage: Backstage, agent: AgentId, operation: Operation
    ) -> None:
        with pytest.raises(errors.AgentVersionNotFound):
            await operation(memory, Turn(tenant=backstage.tenant, agent=agent, version=2))

    @every_operation
    async def test_an_agent_that_is_disabled(
        self, memory: MemoryApi, backstage: Backstage, turn: Turn, operation: Operation
    ) -> None:
        await backstage.disable(turn.agent)
        with pytest.raises(errors.AgentDisabled):
            await operation(memory, turn)

    @every_operation
    async def test_a_session_of_another_user(
        self, memory: MemoryApi, backstage: Backstage, turn: Turn, operation: Operation
    ) -> None:
        await backstage.open_session(turn)
        for user in (UserId("sam"), None):
            with pytest.raises(errors.SessionUserMismatch):
                await operation(memory, Turn(tenant=turn.tenant, agent=turn.agent, user=user, session=turn.session))

    async def test_a_session_of_one_s_own(self, memory: MemoryApi, backstage: Backstage, turn: Turn) -> None:
        await backstage.open_session(turn)
        assert (await memory.declared(turn)).version == 1

    # ---- what a turn has

    async def test_what_is_declared(self, memory: MemoryApi, turn: Turn) -> None:
        declared = await memory.declared(turn)
        assert (declared.agent, declared.version) == (turn.agent, 1)
        assert (declared.memory_tools, declared.memory_injection_enabled) == (MEMORY_TOOLS, True)
        assert not declared.recall_tool
        assert declared.blocks == (
            DeclaredBlock(key="USER", scope="user", limit=10_000, description="Who the user is."),
            DeclaredBlock(key="MEMORY", scope="agent", limit=10_000),
            DeclaredBlock(key="TEAM", scope="shared", limit=40),
            DeclaredBlock(key="RULES", scope="agent", limit=10_000, writable=False),
        )

    async def test_without_a_user_there_are_no_user_s_blocks(self, memory: MemoryApi, nobody: Turn) -> None:
        assert [block.key for block in (await memory.declared(nobody)).blocks] == ["MEMORY", "RULES"]

    # ---- the prompt

    async def test_a_context_shows_blocks_and_memories(self, memory: MemoryApi, turn: Turn, nobody: Turn) -> None:
        await memory.edit_block(turn, "USER", Add("Call her Maya."))
        own = row_of(await memory.save_memory(turn, "Likes heliotrope."))
        general = row_of(await memory.save_memory(nobody, "The office is in Lyon."))
        context = await memory.context(turn, query="which color?")
        for text in ("### USER (user)", "Call her Maya.", "Likes heliotrope.", "The office is in Lyon."):
            assert text in context.text
        pieces = {piece.id for piece in context.receipt.pieces}
        assert {"user/USER", own, general} <= pieces
        assert context.receipt.hash == hashlib.sha256(context.text.encode()).hexdigest()

    async def test_a_context_stays_the_same_while_nothing_changes(
        self, memory: MemoryApi, backstage: Backstage, turn: Turn
    ) -> None:
        for text in ("one", "two", "three"):
            await memory.save_memory(turn, text)
        first = await memory.context(turn)
        backstage.advance(60)
        assert await memory.context(turn, query="another question") == first

    async def test_a_context_of_an_agent_without_memory_is_empty(self, memory: MemoryApi, backstage: Backstage) -> None:
        agent = await backstage.agent(AgentConfig(name="Plain"))
        turn = Turn(tenant=backstage.tenant, agent=agent, user=UserId("maya"))
        context = await memory.context(turn)
        assert (context.text, context.receipt.pieces) == ("", ())

    # ---- who sees what

    async def test_nobody_else_sees_what_a_user_has(
        self, memory: MemoryApi, turn: Turn, other: Turn, nobody: Turn
    ) -> None:
        fact = "Prefers heliotrope."
        await memory.save_memory(turn, fact)
        for block in ("USER", "TEAM"):
            await memory.edit_block(turn, block, Add(fact))
        for stranger in (other, nobody):
            assert await memory.search_memories(stranger, "heliotrope") == []
            assert "heliotrope" not in (await memory.context(stranger)).text
        for block in ("USER", "TEAM"):
            assert (await memory.view_block(other, block)).empty

    # ---- the end

    async def test_closing_twice_is_nothing(self, memory: MemoryApi) -> None:
        await memory.close()
        await memory.close()
