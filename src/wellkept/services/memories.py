"""Memories: create, read, search, change, forget; and the noting of uses."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import Final, Literal, TypeVar

from wellkept.contract.clock import Clock
from wellkept.contract.events import Event, Listener, unheard
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.audit import AuditAction, AuditEntry
from wellkept.model.directory import Once
from wellkept.model.errors import Conflict, InvalidCursor, InvalidInput, NotFound
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
from wellkept.services.audit import Note, entry, unnoted
from wellkept.services.new_ids import new_id
from wellkept.services.paging import page_of, place_after
from wellkept.services.touches import Touches

T = TypeVar("T")

_DEFAULTS: Final = MemorySettings()
_Kind = Literal["memory_created", "memory_updated", "memory_deleted"]
# Named out here: inside the class, `list` is the method.
_Rows = list[Memory]
_Found = list[MemoryFound]


class Memories:
    """The memories of all agents, in one store. Reading touches nothing; `touch` says that rows were used."""

    def __init__(
        self,
        store: MemoryStore,
        *,
        clock: Clock,
        listener: Listener = unheard,
        note: Note = unnoted,
        touch_every: float = 1.0,
    ) -> None:
        self._note = note
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
        if created.changed:
            await self._note(*_created_entries(pool, created))
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
        new = None if text is None else checked_memory_text(text)
        at = self._clock.now()

        async def update(row: Memory) -> Memory:
            if expect not in (None, row.etag) and new != row.text:
                raise Conflict(memory=memory, etag=row.etag)
            return await self._store.update(
                pool, row.id, partitions=partitions, at=at, text=new, pinned=pinned, expect=row.etag
            )

        before, updated = await self._of_what_is_there(pool, memory, partitions, update)
        self._tell("memory_updated", pool, updated.id)
        if (before.text, before.pinned) != (updated.text, updated.pinned):
            await self._note(_entry(updated, "memory.updated", at=at, etag_before=before.etag, etag_after=updated.etag))
        return updated

    async def delete(
        self, pool: Pool, memory: MemoryId, *, partitions: Partitions = None, expect: str | None = None
    ) -> None:
        """Forget a row, for good.

        Raises:
            NotFound: It is missing, or outside the partitions.
            Conflict: `expect` is not the etag of the stored text.
        """

        async def delete(row: Memory) -> bool:
            if expect not in (None, row.etag):
                raise Conflict(memory=memory, etag=row.etag)
            return await self._store.delete_memory(pool, row.id, partitions=partitions, expect=row.etag)

        before, there = await self._of_what_is_there(pool, memory, partitions, delete)
        if not there:
            raise NotFound(what="memory")
        self._tell("memory_deleted", pool, memory)
        await self._note(
            _entry(before, "memory.deleted", at=self._clock.now(), etag_before=before.etag, etag_after=None)
        )

    def touch(self, pool: Pool, ids: Iterable[MemoryId]) -> None:
        """Note that rows are used now; it is written in the background, at the latest before an eviction is decided."""
        self._touches.note(pool, ids)

    async def flush(self) -> None:
        """Write the noted uses. A store that cannot is an event, and they are kept for the next time."""
        await self._touches.flush()

    async def close(self) -> None:
        """Write what is noted and stop. A second time does nothing. The store stays open."""
        await self._touches.close()

    async def _of_what_is_there(
        self, pool: Pool, memory: MemoryId, partitions: Partitions, work: Callable[[Memory], Awaitable[T]]
    ) -> tuple[Memory, T]:
        """Change exactly the row that was read before, so that its etag is known; `work` raises a stale one."""
        while True:
            row = await self.get(pool, memory, partitions=partitions)
            try:
                return row, await work(row)
            except Conflict as error:
                if error.facts.get("etag") == row.etag:
                    raise  # it is not the row that changed since: the caller meant another text

    def _tell(self, kind: _Kind, pool: Pool, id: MemoryId) -> None:
        self._listener(Event(kind=kind, tenant=pool.tenant, agent=pool.agent, id=id))


def _named(partitions: Partitions) -> tuple[str | None, ...]:
    return (None,) if partitions is None else partitions


def _entry(
    memory: Memory, action: AuditAction, *, at: datetime, etag_before: str | None, etag_after: str | None
) -> AuditEntry:
    return entry(
        memory.tenant_id,
        action,
        at=at,
        agent=memory.agent_id,
        whose=memory.user_id,
        target=memory.id,
        etag_before=etag_before,
        etag_after=etag_after,
    )


def _created_entries(pool: Pool, created: MemoryCreated) -> Iterable[AuditEntry]:
    memory = created.memory
    yield _entry(memory, "memory.created", at=memory.created_at, etag_before=None, etag_after=memory.etag)
    if created.evicted:
        gone = created.evicted
        yield entry(pool.tenant, "memories.evicted", at=memory.created_at, agent=pool.agent, memories=gone)
