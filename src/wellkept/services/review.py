"""Held writes: kept until someone approves or rejects them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Final

from wellkept.contract.block_store import BlockStore
from wellkept.contract.clock import Clock
from wellkept.contract.events import Event, EventKind, Listener, unheard
from wellkept.contract.review_store import ReviewStore
from wellkept.model.audit import AuditAction, AuditEntry
from wellkept.model.errors import NotFound
from wellkept.model.ids import GENERAL, TenantId
from wellkept.model.memories import Pool
from wellkept.model.pages import DEFAULT_LIMIT, Page, Position, checked_limit
from wellkept.model.review import (
    HeldAction,
    HeldBlockEdit,
    HeldMemoryDelete,
    HeldMemorySave,
    HeldMemoryUpdate,
    HeldWrite,
    Screened,
)
from wellkept.model.turns import Turn
from wellkept.rules.cursor import fingerprint
from wellkept.services.acting import acting, acting_as, acting_in
from wellkept.services.agent_source import AgentSource
from wellkept.services.audit import Note, entry, unnoted
from wellkept.services.blocks import Blocks
from wellkept.services.memories import Memories
from wellkept.services.new_ids import new_id
from wellkept.services.paging import page_of, place_after

MAX_HELD: Final = 1_000
"""Writes of one agent that may wait at once."""

CLAIM_SECONDS: Final = 60.0
"""How long nobody else can decide about a held write when the process that does dies."""


class Review:
    """The held writes of all tenants."""

    def __init__(
        self,
        store: ReviewStore,
        *,
        blocks: BlockStore,
        memories: Memories,
        source: AgentSource,
        clock: Clock,
        listener: Listener = unheard,
        note: Note = unnoted,
    ) -> None:
        self._note = note
        self._store = store
        self._blocks = blocks
        self._memories = memories
        self._source = source
        self._clock = clock
        self._listener = listener

    async def hold(self, turn: Turn, action: HeldAction, screened: Screened) -> HeldWrite:
        """Keep a write of a turn until someone decides: for the screen's sake if it says so, else for a policy's.

        Raises:
            Conflict: `MAX_HELD` writes of this agent wait already.
        """
        write = HeldWrite(
            id=new_id("hold_"),
            tenant=turn.tenant,
            agent=turn.agent,
            user=turn.user or GENERAL,
            session=turn.session,
            reason="screen" if screened.verdict == "hold" else "policy",
            findings=screened.findings,
            action=action,
            created_at=self._clock.now(),
        )
        await self._store.hold(write, most=MAX_HELD)
        self._tell("write_held", write)
        with acting_in(turn):
            await self._note(_entry(write, "review.held", at=write.created_at))
        return write

    async def list(self, tenant: TenantId, *, cursor: str | None = None, limit: int = DEFAULT_LIMIT) -> Page[HeldWrite]:
        """Give a page of held writes, newest first.

        Raises:
            InvalidCursor: The cursor is not one that this list gave out.
        """
        name = fingerprint("held", tenant)
        after = place_after(cursor, list_name=name)
        rows = await self._store.held(tenant, limit=checked_limit(limit) + 1, after=after)
        return page_of(rows, limit=limit, place=lambda row: Position(row.created_at, row.id), list_name=name)

    async def get(self, tenant: TenantId, id: str) -> HeldWrite:
        """Read a held write.

        Raises:
            NotFound: It is not waiting (any more).
        """
        write = await self._store.held_write(tenant, id)
        if write is None:
            raise NotFound(what="held write")
        return write

    async def approve(self, tenant: TenantId, id: str) -> HeldWrite:
        """Do what was held, by the rules that hold for any write, on what is stored now.

        When that cannot be done the write goes on waiting, and the error says why.

        Raises:
            NotFound: It is not waiting (any more), somebody else decides about it, or what it would change is gone.
            Conflict: What it would change is not what it was meant for.
            EntryNotFound: No entry contains its `match` now.
            EntryAmbiguous: Several do.
            OverLimit: The block would be longer than its limit.
        """
        # Shielded: a caller who leaves half-way has either approved or not.
        return await asyncio.shield(self._approve(tenant, id))

    async def reject(self, tenant: TenantId, id: str) -> HeldWrite:
        """Forget a held write.

        Raises:
            NotFound: It is not waiting (any more), or somebody else decides about it.
        """
        async with self._deciding(tenant, id) as write:
            await self._store.take(tenant, id)
        self._tell("write_rejected", write)
        await self._note(_entry(write, "review.rejected", at=self._clock.now()))
        return write

    async def _approve(self, tenant: TenantId, id: str) -> HeldWrite:
        async with self._deciding(tenant, id) as write:
            with acting_as(acting().actor, session=write.session):
                await self._do(write)
            await self._store.take(tenant, id)
        self._tell("write_approved", write)
        await self._note(_entry(write, "review.approved", at=self._clock.now()))
        return write

    @asynccontextmanager
    async def _deciding(self, tenant: TenantId, id: str) -> AsyncGenerator[HeldWrite]:
        """Be the only one who decides about a held write.

        It waits until it is taken: a process that dies half-way leaves it waiting, and done again it comes to the
        same. (What it would add is there then; what it would replace or delete is gone, which the error says.)
        """
        holder, at = new_id("claim_"), self._clock.now()
        write = await self._store.claim_held(tenant, id, holder, at=at, until=at + timedelta(seconds=CLAIM_SECONDS))
        if write is None:
            raise NotFound(what="held write")
        try:
            yield write
        except BaseException:
            await self._store.release_held(tenant, id, holder)
            raise

    async def _do(self, write: HeldWrite) -> None:
        agent = await self._source.resolve(write.tenant, write.agent, None)
        pool = Pool(write.tenant, write.agent)
        match write.action:
            case HeldBlockEdit(key, edit, limit, template):
                store = agent.blocks or self._blocks
                blocks = Blocks(store, clock=self._clock, listener=self._listener, note=self._note)
                await blocks.edit(key, edit, limit=limit, template=template, actor="admin", session=write.session)
            case HeldMemorySave(text, user):
                await self._memories.create(
                    pool,
                    user_id=user,
                    text=text,
                    settings=agent.config.memories,
                    origin="review",
                    unless_in=(user, GENERAL),
                )
            case HeldMemoryUpdate(memory, text, etag):
                await self._memories.update(pool, memory, text=text, expect=etag)
            case HeldMemoryDelete(memory, etag):
                await self._memories.delete(pool, memory, expect=etag)

    def _tell(self, kind: EventKind, write: HeldWrite) -> None:
        self._listener(Event(kind=kind, tenant=write.tenant, agent=write.agent, id=write.id))


def _entry(write: HeldWrite, action: AuditAction, *, at: datetime) -> AuditEntry:
    return entry(
        write.tenant,
        action,
        at=at,
        agent=write.agent,
        whose=write.user,
        session=write.session,
        target=write.id,
    )
