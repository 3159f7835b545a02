"""A memory that answers what a test tells it to, and remembers what it was asked."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from wellkept.contract.memory_api import MemoryApi
from wellkept.model.ids import DEFAULT_TENANT, AgentId, MemoryId, UserId
from wellkept.model.memories import Memory
from wellkept.model.outcomes import Declared, DeclaredBlock
from wellkept.model.turns import Turn

TURN = Turn(tenant=DEFAULT_TENANT, agent=AgentId("support"), user=UserId("user-42"))
DECLARED = Declared(
    agent="support",
    version=1,
    blocks=(
        DeclaredBlock(key="USER", scope="user", limit=100, description="What the user is like."),
        DeclaredBlock(key="RULES", scope="agent", limit=50, writable=False),
    ),
    memory_tools=("save_memory", "get_memory", "search_memories", "update_memory", "delete_memory"),
    recall_tool=True,
)
ROW = MemoryId("mem_0123456789abcdef")


def memory(text: str = "Likes heliotrope.", *, user: str = "user-42") -> Memory:
    at = datetime(2026, 1, 2, 3, 4, 5, 6, UTC)
    return Memory(
        id=ROW,
        tenant_id=DEFAULT_TENANT,
        agent_id=AgentId("support"),
        user_id=user,
        text=text,
        created_at=at,
        updated_at=at,
        last_accessed_at=at,
    )


@dataclass
class Script:
    """What the next call comes to, and the calls so far as (operation, arguments after the turn)."""

    outcome: object = None
    calls: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def play(self, operation: str, turn: Turn, *arguments: Any) -> Any:
        assert turn is TURN
        self.calls.append((operation, arguments))
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


class ScriptedMemory(MemoryApi):
    def __init__(self, script: Script) -> None:
        self._script = script

    async def declared(self, turn: Turn) -> Any:
        return self._script.play("declared", turn)

    async def context(self, turn: Turn, *, query: str | None = None) -> Any:
        return self._script.play("context", turn, query)

    async def view_block(self, turn: Turn, block: str) -> Any:
        return self._script.play("view_block", turn, block)

    async def edit_block(self, turn: Turn, block: str, edit: object) -> Any:
        return self._script.play("edit_block", turn, block, edit)

    async def save_memory(self, turn: Turn, text: str) -> Any:
        return self._script.play("save_memory", turn, text)

    async def get_memory(self, turn: Turn, memory: MemoryId) -> Any:
        return self._script.play("get_memory", turn, memory)

    async def search_memories(self, turn: Turn, query: str, *, limit: int = 10) -> Any:
        return self._script.play("search_memories", turn, query, limit)

    async def update_memory(self, turn: Turn, memory: MemoryId, text: str) -> Any:
        return self._script.play("update_memory", turn, memory, text)

    async def delete_memory(self, turn: Turn, memory: MemoryId) -> Any:
        return self._script.play("delete_memory", turn, memory)

    async def search_past(self, turn: Turn, query: str, *, limit: int = 10) -> Any:
        return self._script.play("search_past", turn, query, limit)
