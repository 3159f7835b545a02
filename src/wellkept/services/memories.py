"""Memories: create, read, search, change, forget; and the noting of uses."""

from collections.abc import Iterable
from typing import Final, Literal

from wellkept.contract.clock import Clock
from wellkept.contract.events import Event, Listener, unheard
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.directory import Once
from wellkept.model.errors import InvalidCursor, InvalidInput, NotFound
from wellkept.model.ids import MemoryId, memory_id
from wellkept.model.memories import (
    Memory,
    MemoryCreated,
    MemoryFound,
    MemorySettings,
    Origin,
    Partitions,
    Pool,
    SearchMode,
    checked_memory_text,
    checked_partition,
)
from wellkept.model.pages import DEFAULT_LIMIT, Page, Position, checked_limit
from wellkept.model.text import checked_text
from wellkept.rules.cursor import fingerprint
from wellkept.services.new_ids import new_id
from wellkept.services.paging import page_of, place_after
from wellkept.services.touches import Touches

_DEFAULTS: Final = MemorySettings()
_Kind = Literal["memory_created", "memory_updated", "memory_deleted"]
# Named out here: inside the class, `list` is the method.
_Rows = list[Memory]
_Found = list[MemoryFound]


class Memories:
    """The memories of all agents, in one store. Reading touches nothing; `touch` says that rows were used."""

    def __init__(
        self, store: MemoryStore, *, clock: Clock, listener: Listener = unheard, touch_every: float = 1.0
    ) -> None:
        self._store = store
        self._clock = clock
        self._listener = listener
        self._touches = Touches(store, clock=clock, listener=listener, every=touch_every)

    async def create(
        self,
        pool: Pool,
        *,
        user_id: str,
        text: str,
        settings: MemorySettings = _DEFAULTS,
        pinned: bool = False,
        origin: Origin = "api",
        unless_in: tuple[str, ...] = (),
        once: Once | None = None,
    ) -> MemoryCreated:
        """Store a memory; when the pool is full, others leave for it.

        `unless_in`: when one of these partitions has a row with this text
        already, that row is the answer and nothing changes. `once`: the same
        key again answers with the row that the first call made.

        Raises:
            InvalidInput: The text or the user's id is not valid.
            IdempotencyMismatch: The key came with another request before.
            NotFound: The key's row is gone by now.
        """
        at = self._clock.now()
        memory = Memory(
            id=memory_id(new_id("mem_")),
            tenant_id=pool.tenant,
            agent_id=pool.agent,
            user_id=checked_partition(user_id),
            text=checked_memory_text(text),
            created_at=at,
            updated_at=at,
            last_accessed_at=at,
            pinned=pinned,
            origin=origin,
        )
        # Uses that are not written yet must count when victims are chosen.
        touched = self._touches.pending(pool)
        created = await self._store.create(
            memory, rules=settings.pool_rules, unless_in=unless_in, touched=touched, once=once
        )
        self._touches.written(pool, touched)
        if created.changed:
            self._tell("memory_created", pool, created.memory.id)
        if created.evicted:
            self._listener(
                Event(kind="memories_evicted", tenant=pool.tenant, agent=pool.agent, count=len(created.evicted))
            )
        return created

    async def get(self, pool: Pool, memory: MemoryId, *, partitions: Partitions = None) -> Memory:
        """Read a row, and touch nothing.

        Raises:
            NotFound: It is missing, or outside the partitions.
        """
        found = await self._store.memory(pool, memory_id(memory), partitions=partitions)
        if found is None:
            raise NotFound(what="memory")
        return found

    async def list(
        self,
        pool: Pool,
        *,
        partitions: Partitions = None,
        search: str | None = None,
        mode: SearchMode = "web",
        cursor: str | None = None,
        limit: int = DEFAULT_LIMIT,
    ) -> Page[Memory]:
        """Give a page of rows: newest first, or in mode `ranked` the best that `search` finds, on one page.

        Raises:
            InvalidInput: `search` is blank or cannot be text, or `limit` is out of range.
            InvalidCursor: The cursor is not one that this list gave out.
        """
        checked_limit(limit)
        if search is not None and not checked_text(search, param="search").strip():
            raise InvalidInput(param="search", problem="must hold something to look for")
        if search is not None and mode == "ranked":
            if cursor is not None:
                raise InvalidCursor(problem="mode ranked has a single page")
            found = await self._store.ranked(pool, search, partitions=partitions, limit=limit)
            return Page(tuple(one.memory for one in found))
        name = fingerprint("memories", pool.tenant, pool.agent, search, *_named(partitions))
        after = place_after(cursor, list_name=name)
        rows = await self._store.rows(pool, partitions=partitions, limit=limit + 1, after=after, web=search)
        return page_of(rows, limit=limit, place=lambda row: Position(row.created_at, row.id), list_name=name)

    async def newest(self, pool: Pool, *, partitions: Partitions, limit: int) -> _Rows:
        """Give up to `limit` rows, newest first, as many as a pool may have."""
        return await self._store.rows(pool, partitions=partitions, limit=limit)

    async def search(self, pool: Pool, query: str, *, partitions: Partitions, limit: int) -> _Found:
        """Find rows in mode `ranked`, best first; a blank query finds nothing.

        Raises:
            InvalidInput: The query cannot be text, or `limit` is out of range.
        """
        checked_limit(limit)
        if not checked_text(query, param="query").strip():
            return []
        return await self._store.ranked(pool, query, partitions=partitions, limit=limit)

    async def update(
        self,
        pool: Pool,
        memory: MemoryId,
        *,
        text: str | None = None,
        pinned: bool | None = None,
        expect: str | None = None,
        partitions: Partitions = None,
    ) -> Memory:
        """Replace a row's text, pin or unpin it; what is None stays.

        Raises:
            InvalidInput: The text is not valid.
            NotFound: The row is missing, or outside the partitions.
            Conflict: `expect` is not the etag of the stored text.
        """
        updated = await self._store.update(
            pool,
            memory_id(memory),
            partitions=partitions,
            at=self._clock.now(),
            text=None if text is None else checked_memory_text(text),
            pinned=pinned,
            expect=expect,
        )
        self._tell("memory_updated", pool, updated.id)
        return updated

    async def delete(
        self, pool: Pool, memory: MemoryId, *, partitions: Partitions = None, expect: str | None = None
    ) -> None:
        """Forget a row, for good.

        Raises:
            NotFound: It is missing, or outside the partitions.
            Conflict: `expect` is not the etag of the stored text.
        """
        if not await self._store.delete_memory(pool, memory_id(memory), partitions=partitions, expect=expect):
            raise NotFound(what="memory")
        self._tell("memory_deleted", pool, memory)

    def touch(self, pool: Pool, ids: Iterable[MemoryId]) -> None:
        """Note that rows are used now; it is written in the background, at the latest before an eviction is decided."""
        self._touches.note(pool, ids)

    async def flush(self) -> None:
        """Write the noted uses. A store that cannot is an event, and they are kept for the next time."""
        await self._touches.flush()

    async def close(self) -> None:
        """Write what is noted and stop. A second time does nothing. The store stays open."""
        await self._touches.close()

    def _tell(self, kind: _Kind, pool: Pool, id: MemoryId) -> None:
        self._listener(Event(kind=kind, tenant=pool.tenant, agent=pool.agent, id=id))


def _named(partitions: Partitions) -> tuple[str | None, ...]:
    return (None,) if partitions is None else partitions
