# ruff: noqa: D102 - the contract says what a method promises
"""A server's memory as a turn uses it: tools and composers work on it as on a local store."""

from typing import TypedDict

from wellkept.client.async_client import AsyncView
from wellkept.contract.memory_api import MemoryApi
from wellkept.model.edits import Add, Remove, Replace
from wellkept.model.ids import MemoryId
from wellkept.model.memories import Memory, MemoryFound
from wellkept.model.outcomes import BlockView, BlockWritten, Declared, MemoryWritten
from wellkept.model.recall import Recalled
from wellkept.model.receipts import Context
from wellkept.model.turns import Turn


class _Who(TypedDict):
    """For whom: what every operation of a turn takes."""

    user_id: str | None
    session_id: str | None
    version: int | None


def _who(turn: Turn) -> _Who:
    return {"user_id": turn.user, "session_id": turn.session, "version": turn.version}


class RemoteMemory(MemoryApi):
    """The operations of a turn on a server.

    The tenant is that of the client's key, whatever the turn says. The client
    belongs to who made it: closing this does not close it.
    """

    def __init__(self, client: AsyncView) -> None:
        """Send through `client`."""
        self._turns = client.turns
        self._context = client.context

    async def declared(self, turn: Turn) -> Declared:
        return await self._turns.declared(turn.agent, **_who(turn))

    async def context(self, turn: Turn, *, query: str | None = None) -> Context:
        return await self._context.render(turn.agent, query=query, **_who(turn))

    async def view_block(self, turn: Turn, block: str) -> BlockView:
        return await self._turns.view_block(turn.agent, block, **_who(turn))

    async def edit_block(self, turn: Turn, block: str, edit: Add | Replace | Remove) -> BlockWritten:
        return await self._turns.edit_block(turn.agent, block, edit, **_who(turn))

    async def save_memory(self, turn: Turn, text: str) -> MemoryWritten:
        return await self._turns.save_memory(turn.agent, text, **_who(turn))

    async def get_memory(self, turn: Turn, memory: MemoryId) -> Memory:
        return (await self._turns.get_memory(turn.agent, memory, **_who(turn))).memory

    async def search_memories(self, turn: Turn, query: str, *, limit: int = 10) -> list[MemoryFound]:
        return list((await self._turns.search_memories(turn.agent, query, limit=limit, **_who(turn))).data)

    async def update_memory(self, turn: Turn, memory: MemoryId, text: str) -> MemoryWritten:
        return await self._turns.update_memory(turn.agent, memory, text, **_who(turn))

    async def delete_memory(self, turn: Turn, memory: MemoryId) -> MemoryWritten:
        return await self._turns.delete_memory(turn.agent, memory, **_who(turn))

    async def search_past(self, turn: Turn, query: str, *, limit: int = 10) -> Recalled:
        return await self._turns.search_past(turn.agent, query, limit=limit, **_who(turn))
