"""What a turn may do with memory, wherever the memory lies."""

from abc import ABC, abstractmethod
from typing import Literal

import msgspec

from wellkept.model.edits import Add, Remove, Replace
from wellkept.model.ids import MemoryId
from wellkept.model.keys import Scope
from wellkept.model.memories import Memory, MemoryFound
from wellkept.model.receipts import Context
from wellkept.model.turns import Turn


class DeclaredBlock(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A block that the tool may name in this turn. `writable` False: its policy is `closed`."""

    key: str
    scope: Scope
    limit: int
    description: str = ""
    writable: bool = True


class Declared(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the agent has in this turn: its blocks, and its memory tools by name.

    Blocks without an owner in this turn are left out.
    """

    agent: str
    version: int
    blocks: tuple[DeclaredBlock, ...] = ()
    memory_tools: tuple[str, ...] = ()
    memory_injection_enabled: bool = False


class BlockView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A block as it is now. `empty`: nothing is stored, `text` is its template."""

    key: str
    scope: Scope
    text: str
    empty: bool
    chars: int
    limit: int
    etag: str | None = None


WriteState = Literal["done", "unchanged", "held"]
"""Stored; nothing to change; waiting until someone approves it."""


class BlockWritten(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a block's edit came to. `chars` and `limit` in code points; `held` is the id of the waiting write."""

    key: str
    scope: Scope
    state: WriteState
    chars: int
    limit: int
    etag: str | None = None
    held: str | None = None


class MemoryWritten(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What saving, updating or deleting a memory came to. `memory` None: it is deleted, or it waits."""

    state: WriteState
    memory: Memory | None = None
    held: str | None = None
    evicted: int = 0


class MemoryApi(ABC):
    """The operations of a turn: what tools, composers and bridges use.

    The same on a local store and on a server; `wellkept.testing.memory_api`
    holds both to it. Everything sees only what the turn sees: the general
    memories and its own user's, and the blocks that its agent declares.
    """

    @abstractmethod
    async def declared(self, turn: Turn) -> Declared:
        """Say what the agent has in this turn.

        Raises:
            NotFound: There is no such agent.
            AgentVersionNotFound: It has no such version.
            AgentDisabled: It is disabled.
            SessionUserMismatch: The turn's session belongs to another user. (So every operation.)
        """

    @abstractmethod
    async def context(self, turn: Turn, *, query: str | None = None) -> Context:
        """Render the memory part of the prompt, and say what went in. Memories that went in are touched."""

    @abstractmethod
    async def view_block(self, turn: Turn, block: str) -> BlockView:
        """Read a declared block as it is now.

        Raises:
            BlockUnavailable: The agent does not declare it, or it has no owner in this turn.
        """

    @abstractmethod
    async def edit_block(self, turn: Turn, block: str, edit: Add | Replace | Remove) -> BlockWritten:
        """Edit a declared block.

        Raises:
            BlockUnavailable: As for `view_block`.
            WriteClosed: The block's policy is `closed`.
            OverLimit: The block would be longer than its limit.
            EntryNotFound: No entry contains `match`; its `candidates` are the entries there are.
            EntryAmbiguous: Several do; its `candidates` are these.
            TextRejected: The screen says that the text instructs the model.
        """

    @abstractmethod
    async def save_memory(self, turn: Turn, text: str) -> MemoryWritten:
        """Save a memory for the turn's user (without one: a general memory).

        A text that is already in the partition, or that was rendered into
        this turn's prompt, is answered with the existing row.

        Raises:
            InvalidInput: The text cannot be a memory.
            TextRejected: The screen says that it instructs the model.
        """

    @abstractmethod
    async def get_memory(self, turn: Turn, memory: MemoryId) -> Memory:
        """Read a visible memory, and touch it.

        Raises:
            NotFound: It is missing, deleted or somebody else's.
        """

    @abstractmethod
    async def search_memories(self, turn: Turn, query: str, *, limit: int = 10) -> list[MemoryFound]:
        """Find visible memories in mode `ranked`, best first, and touch them. A query of negations alone finds nothing.

        Raises:
            InvalidInput: `limit` is not from 1 to 20, or the query cannot be stored text.
        """

    @abstractmethod
    async def update_memory(self, turn: Turn, memory: MemoryId, text: str) -> MemoryWritten:
        """Replace the text of a visible memory. A general row from a turn with a user follows the agent's `general_write`.

        Raises:
            NotFound: It is missing, deleted or somebody else's.
            WriteClosed: It is a general row, and `general_write` is `closed`.
            TextRejected: The screen says that the text instructs the model.
        """

    @abstractmethod
    async def delete_memory(self, turn: Turn, memory: MemoryId) -> MemoryWritten:
        """Delete a visible memory. A general row from a turn with a user follows the agent's `general_write`.

        Raises:
            NotFound: It is missing, deleted or somebody else's.
            WriteClosed: It is a general row, and `general_write` is `closed`.
        """

    async def close(self) -> None:
        """Let go of files and connections. A second time does nothing."""
