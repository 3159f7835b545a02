"""What a command works on: a store, or a server. Both give the answers of the wire, so that both say the same."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence

from wellkept.model.edits import Add, Remove, Replace, Write
from wellkept.model.keys import Scope
from wellkept.model.memories import SearchMode
from wellkept.model.passages import PassageCounts, PassagesPut, Said
from wellkept.model.recall import Recalled, RecallFilter
from wellkept.model.receipts import Context
from wellkept.wire.admin import HeldWriteAnswer, KeyCreated, KeysAnswer, ReviewPage
from wellkept.wire.agents import AgentAnswer, AgentCreate, AgentsPage
from wellkept.wire.audit import AuditPage, AuditQuery
from wellkept.wire.blocks import BlockAnswer, BlockEditedAnswer, BlocksAnswer, DiffAnswer, RevisionsPage
from wellkept.wire.events import DoneEvent, MemoryChangeEvent, TextEvent, ToolCallEvent, ToolResultEvent
from wellkept.wire.memories import MemoriesFound, MemoriesPage, MemoryAnswer
from wellkept.wire.passages import ReindexAnswer

Told = TextEvent | ToolCallEvent | ToolResultEvent | MemoryChangeEvent | DoneEvent
"""What a running turn tells. An error is raised, not told."""


class BlockBackend(ABC):
    """Blocks, as an administrator sees them. Whatever fails raises a `WellkeptError`."""

    @abstractmethod
    async def list_blocks(self, scope: Scope, owner: str) -> BlocksAnswer:
        """Give all blocks of one owner, by key."""

    @abstractmethod
    async def get_block(self, scope: Scope, owner: str, key: str) -> BlockAnswer:
        """Read a block."""

    @abstractmethod
    async def put_block(
        self, scope: Scope, owner: str, key: str, text: str, *, limit: int, if_match: str | None, only_new: bool = False
    ) -> BlockEditedAnswer:
        """Write a block's whole text, in place of the one that `if_match` names, or (`only_new`) of none."""

    @abstractmethod
    async def edit_block(
        self,
        scope: Scope,
        owner: str,
        key: str,
        edit: Add | Replace | Remove | Write,
        *,
        limit: int,
        if_match: str | None,
    ) -> BlockEditedAnswer:
        """Edit a block."""

    @abstractmethod
    async def delete_block(self, scope: Scope, owner: str, key: str, *, if_match: str | None) -> None:
        """Forget a block."""

    @abstractmethod
    async def block_history(
        self, scope: Scope, owner: str, key: str, *, cursor: str | None, limit: int
    ) -> RevisionsPage:
        """Give a page of a block's changes, newest first."""

    @abstractmethod
    async def block_diff(self, scope: Scope, owner: str, key: str, *, old: int, new: int) -> DiffAnswer:
        """Compare two revisions of a block; `old` 0 is the time before the first."""

    @abstractmethod
    async def restore_block(
        self, scope: Scope, owner: str, key: str, number: int, *, if_match: str | None
    ) -> BlockEditedAnswer:
        """Give a block the text of an earlier revision."""


class RecallBackend(ABC):
    """Past conversations. Whatever fails raises a `WellkeptError`."""

    @abstractmethod
    async def ingest(self, agent: str, *, user: str, session: str, messages: Sequence[Said]) -> PassagesPut:
        """Keep what was said in a session, each message once."""

    @abstractmethod
    async def recall(self, agent: str, query: str, *, user: str, limit: int, filter: RecallFilter) -> Recalled:
        """Find what was said in a user's conversations."""

    @abstractmethod
    async def forget(self, agent: str, *, user: str | None, session: str | None, passage: str | None) -> int:
        """Forget passages; say how many there were."""

    @abstractmethod
    async def recall_stats(self, agent: str) -> PassageCounts:
        """Count an agent's passages."""

    @abstractmethod
    def reindex(self) -> AsyncGenerator[ReindexAnswer, None]:
        """Embed what has no vector yet, and tell of each step; the last one has nothing left."""


class Backend(BlockBackend, RecallBackend):
    """All that the command line does. Whatever fails raises a `WellkeptError`."""

    @abstractmethod
    async def create_memory(self, agent: str, text: str, *, user: str, pinned: bool) -> MemoryAnswer:
        """Store a memory."""

    @abstractmethod
    async def list_memories(
        self,
        agent: str,
        *,
        user: str | None,
        search: str | None = None,
        mode: SearchMode = "web",
        cursor: str | None = None,
        limit: int,
    ) -> MemoriesPage:
        """Give a page of memories: of all users without `user`, of nobody for `""`."""

    @abstractmethod
    async def explain_search(self, agent: str, query: str, *, user: str | None, limit: int) -> MemoriesFound:
        """Search as a turn does, with the parts of each score. What is found counts as used."""

    @abstractmethod
    async def get_memory(self, agent: str, memory: str) -> MemoryAnswer:
        """Read a memory."""

    @abstractmethod
    async def update_memory(
        self, agent: str, memory: str, *, text: str | None, pinned: bool | None, if_match: str | None
    ) -> MemoryAnswer:
        """Replace a memory's text, pin or unpin it; what is None stays."""

    @abstractmethod
    async def delete_memory(self, agent: str, memory: str, *, if_match: str | None) -> None:
        """Forget a memory."""

    @abstractmethod
    async def create_agent(self, agent: AgentCreate) -> AgentAnswer:
        """Make an agent."""

    @abstractmethod
    async def list_agents(self, *, user: str | None, cursor: str | None, limit: int) -> AgentsPage:
        """Give a page of agents, newest first."""

    @abstractmethod
    async def get_agent(self, agent: str) -> AgentAnswer:
        """Read an agent."""

    @abstractmethod
    async def create_key(self, name: str, *, user: str) -> KeyCreated:
        """Make an API key."""

    @abstractmethod
    async def list_keys(self) -> KeysAnswer:
        """Give all API keys."""

    @abstractmethod
    async def revoke_key(self, key: str) -> None:
        """Make an API key useless."""

    @abstractmethod
    async def list_held(self, *, cursor: str | None, limit: int) -> ReviewPage:
        """Give a page of the writes that wait for approval."""

    @abstractmethod
    async def get_held(self, held: str) -> HeldWriteAnswer:
        """Read a write that waits."""

    @abstractmethod
    async def approve(self, held: str) -> HeldWriteAnswer:
        """Do a write that waits."""

    @abstractmethod
    async def reject(self, held: str) -> HeldWriteAnswer:
        """Throw a write that waits away."""

    @abstractmethod
    async def list_audit(self, query: AuditQuery) -> AuditPage:
        """Give a page of the changes that took effect."""

    @abstractmethod
    async def context(self, agent: str, *, user: str | None, session: str | None, query: str | None) -> Context:
        """Render the memory part of the prompt for a turn."""

    @abstractmethod
    def chat(self, agent: str, message: str, *, user: str | None, session: str | None) -> AsyncGenerator[Told, None]:
        """Run a turn, and tell of it; the last event is `DoneEvent`."""
