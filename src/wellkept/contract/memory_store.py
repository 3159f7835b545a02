"""Where memories are kept."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime

from wellkept.model.directory import Once
from wellkept.model.ids import MemoryId
from wellkept.model.memories import Memory, MemoryCreated, MemoryFound, Partitions, Pool, PoolRules
from wellkept.model.pages import Position


class MemoryStore(ABC):
    """Keeps memories.

    (Its methods share no name with those of the other contracts but `close`: one class may keep all.)

    Obligations, each held by a test in `wellkept.testing.memory_store`:

    * `create` evicts and inserts in one transaction under a lock of the pool:
      concurrent creates never exceed the cap, and a failed insert brings the
      evicted back. Victims go by `wellkept.rules.evict`: least recently used
      first (`last_accessed_at`, then `created_at`, then `id`, ascending),
      pinned rows last, never the new row;
    * nothing outside the given partitions is ever read, changed or counted as found;
    * `user_id`, `created_at` and `id` of a row never change;
    * lists are newest first (`created_at`, then `id`, descending), and a
      cursor neither skips nor repeats a row that was there all the time;
    * mode `web` finds what PostgreSQL's `websearch_to_tsquery('simple')` finds;
    * a touch keeps the later instant; touching what is not there does nothing;
    * reading touches nothing: the service says when a use is a touch.
    """

    @abstractmethod
    async def create(
        self,
        memory: Memory,
        *,
        rules: PoolRules,
        unless_in: tuple[str, ...] = (),
        touched: Mapping[MemoryId, datetime] | None = None,
        once: Once | None = None,
    ) -> MemoryCreated:
        """Insert `memory`, after evicting until there is room.

        `unless_in`: when one of these partitions already has a row with the
        same text, change nothing and answer with that row (the row's own
        partition first, then in the order given). `touched`: uses to note
        before a victim is chosen. `once`: the same key in this pool again
        changes nothing and answers with the row that the first call answered
        with, whatever `memory.id` is now. A call that fails leaves no trace of its key.

        Raises:
            AlreadyExists: The pool has a row of this id.
            IdempotencyMismatch: The key came with another request before.
            NotFound: The key's row is gone by now; or the agent was deleted (see `Directory`).
        """

    @abstractmethod
    async def memory(self, pool: Pool, memory: MemoryId, *, partitions: Partitions) -> Memory | None:
        """Read a row; None when it is missing, or outside the partitions."""

    @abstractmethod
    async def rows(
        self, pool: Pool, *, partitions: Partitions, limit: int, after: Position | None = None, web: str | None = None
    ) -> list[Memory]:
        """Give up to `limit` rows, newest first, from after a position; with `web`, those that match in mode `web`."""

    @abstractmethod
    async def ranked(self, pool: Pool, query: str, *, partitions: Partitions, limit: int) -> list[MemoryFound]:
        """Give the rows that `query` finds in mode `ranked`, best first, ties newest first."""

    @abstractmethod
    async def update(
        self,
        pool: Pool,
        memory: MemoryId,
        *,
        partitions: Partitions,
        at: datetime,
        text: str | None = None,
        pinned: bool | None = None,
        expect: str | None = None,
    ) -> Memory:
        """Replace the text, pin or unpin; what is None stays. `updated_at` and `last_accessed_at` become `at`.

        With nothing to change, the row's times stay but for `last_accessed_at`.

        Raises:
            NotFound: The row is missing, or outside the partitions.
            Conflict: `expect` is not the etag of the stored text, and the texts differ.
        """

    @abstractmethod
    async def delete_memory(
        self, pool: Pool, memory: MemoryId, *, partitions: Partitions, expect: str | None = None
    ) -> bool:
        """Forget a row; say whether there was one.

        Raises:
            Conflict: `expect` is not the etag of the stored text.
        """

    @abstractmethod
    async def touch(self, pool: Pool, touched: Mapping[MemoryId, datetime]) -> None:
        """Note that rows were used; the later instant stays."""

    @abstractmethod
    async def count(self, pool: Pool, *, partitions: Partitions = None) -> int:
        """Count the rows."""

    @abstractmethod
    async def purge_pool(self, pool: Pool) -> int:
        """Forget all rows of an agent; say how many there were."""

    async def close(self) -> None:
        """Let go of files and connections. A second time does nothing."""
