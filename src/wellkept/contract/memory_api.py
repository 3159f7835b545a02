"""What a turn may do with memory, wherever the memory lies."""

from abc import ABC, abstractmethod

from wellkept.model.edits import Add, Remove, Replace
from wellkept.model.ids import MemoryId
from wellkept.model.memories import Memory, MemoryFound
from wellkept.model.outcomes import BlockView, BlockWritten, Declared, MemoryWritten
from wellkept.model.recall import Recalled
from wellkept.model.receipts import Context
from wellkept.model.turns import Turn


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
        """Render the memory part of the prompt, and say what went in. Memories that went in are touched.

        `query` is the user's latest message: what an agent that preloads looks
        for in the user's other conversations. When that fails the rest is
        rendered, and the receipt's `degraded` says `recall`.

        Raises:
            InvalidInput: The query cannot be stored text.
        """

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
        """Replace the text of a visible memory.

        A general row from a turn with a user follows the agent's `general_write`.

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

    @abstractmethod
    async def search_past(self, turn: Turn, query: str, *, limit: int = 10) -> Recalled:
        """Find what was said in past conversations of the turn's user, best first; without a user, nothing.

        Raises:
            InvalidInput: `limit` is not from 1 to 20, or the query is blank or cannot be stored text.
        """

    async def close(self) -> None:
        """Let go of files and connections. A second time does nothing."""
