"""The operations of a turn on stores of this process."""

import asyncio
from collections import OrderedDict
from typing import Final

from wellkept.contract.block_store import BlockStore
from wellkept.contract.clock import Clock
from wellkept.contract.events import Event, Listener, unheard
from wellkept.contract.memory_api import MemoryApi
from wellkept.contract.screen import Screen
from wellkept.model.edits import Add, Remove, Replace
from wellkept.model.errors import InvalidInput, StoreFailed
from wellkept.model.ids import MemoryId
from wellkept.model.memories import Memory, MemoryFound
from wellkept.model.outcomes import BlockView, BlockWritten, Declared, MemoryWritten
from wellkept.model.passages import PassageOwner
from wellkept.model.recall import Recalled, RecallFilter, RecallQuery
from wellkept.model.receipts import Context
from wellkept.model.text import checked_text, has_visible
from wellkept.model.turns import Turn
from wellkept.rules.edit import is_empty
from wellkept.services.acting import acting_in
from wellkept.services.agent_source import AgentSource
from wellkept.services.audit import Note, unnoted
from wellkept.services.block_writes import BlockWrites
from wellkept.services.composer import NOTHING, compose
from wellkept.services.memories import Memories
from wellkept.services.memory_writes import MemoryWrites
from wellkept.services.recall import Recall
from wellkept.services.review import Review
from wellkept.services.screening import Screening
from wellkept.services.sessions import Sessions
from wellkept.services.turn_scope import TurnScope, scope_of

MAX_FOUND: Final = 20
"""Memories, or passages, that one search of a turn may ask for."""

_REMEMBERED_SESSIONS: Final = 10_000

_UNAVAILABLE: Final = Recalled(degraded=("recall",))


class LocalMemory(MemoryApi):
    """Resolves who asks for what, and leaves the work to the parts."""

    def __init__(
        self,
        source: AgentSource,
        *,
        blocks: BlockStore,
        memories: Memories,
        sessions: Sessions,
        review: Review,
        recall: Recall,
        screen: Screen,
        clock: Clock,
        listener: Listener = unheard,
        note: Note = unnoted,
    ) -> None:
        self._source = source
        self._blocks = blocks
        self._memories = memories
        self._sessions = sessions
        self._recall = recall
        self._listener = listener
        screening = Screening(screen, listener=listener)
        self._block_writes = BlockWrites(review=review, screening=screening, clock=clock, listener=listener, note=note)
        self._memory_writes = MemoryWrites(memories, review=review, screening=screening)
        self._userless: OrderedDict[Turn, None] = OrderedDict()

    async def declared(self, turn: Turn) -> Declared:
        """Say what the agent has in this turn."""
        return (await self._scope(turn)).declared()

    async def context(self, turn: Turn, *, query: str | None = None) -> Context:
        """Render the memory part of the prompt, and say what went in. Memories that went in are touched."""
        scope = await self._scope(turn)
        blocks, memories, recalled = await asyncio.gather(
            scope.store.get_many([placed.key for placed in scope.placed]),
            self._visible(scope),
            self._preload(scope, query),
        )
        context = compose(scope, blocks, memories, recalled)
        shown = {piece.id for piece in context.receipt.pieces if piece.kind == "memory"}
        self._memories.touch(turn.pool, [memory.id for memory in memories if memory.id in shown])
        return context

    async def view_block(self, turn: Turn, block: str) -> BlockView:
        """Read a declared block as it is now."""
        scope = await self._scope(turn)
        placed = scope.block(block)
        stored = await scope.store.get(placed.key)
        empty = stored is None or is_empty(stored.text)
        text = placed.spec.template if stored is None or empty else stored.text
        return BlockView(
            key=placed.spec.key,
            scope=placed.spec.scope,
            text=text,
            empty=empty,
            chars=len(text),
            limit=placed.limit,
            etag=stored.etag if stored else None,
        )

    async def edit_block(self, turn: Turn, block: str, edit: Add | Replace | Remove) -> BlockWritten:
        """Edit a declared block."""
        scope = await self._scope(turn)
        with acting_in(turn):
            return await self._block_writes.edit(scope, scope.block(block), edit)

    async def save_memory(self, turn: Turn, text: str) -> MemoryWritten:
        """Save a memory for the turn's user (without one: a general memory)."""
        with acting_in(turn):
            return await self._memory_writes.save(await self._scope(turn), text)

    async def get_memory(self, turn: Turn, memory: MemoryId) -> Memory:
        """Read a visible memory, and touch it."""
        scope = await self._scope(turn)
        found = await self._memories.get(turn.pool, memory, partitions=scope.partitions)
        self._memories.touch(turn.pool, [found.id])
        return found

    async def search_memories(self, turn: Turn, query: str, *, limit: int = 10) -> list[MemoryFound]:
        """Find visible memories in mode `ranked`, best first, and touch them."""
        if not 1 <= limit <= MAX_FOUND:
            raise InvalidInput(param="limit", problem=f"must be from 1 to {MAX_FOUND}")
        scope = await self._scope(turn)
        found = await self._memories.search(turn.pool, query, partitions=scope.partitions, limit=limit)
        self._memories.touch(turn.pool, [one.memory.id for one in found])
        return found

    async def update_memory(self, turn: Turn, memory: MemoryId, text: str) -> MemoryWritten:
        """Replace the text of a visible memory."""
        with acting_in(turn):
            return await self._memory_writes.update(await self._scope(turn), memory, text)

    async def delete_memory(self, turn: Turn, memory: MemoryId) -> MemoryWritten:
        """Delete a visible memory."""
        with acting_in(turn):
            return await self._memory_writes.delete(await self._scope(turn), memory)

    async def search_past(self, turn: Turn, query: str, *, limit: int = 10) -> Recalled:
        """Find what was said in past conversations of the turn's user, best first; without a user, nothing."""
        if not 1 <= limit <= MAX_FOUND:
            raise InvalidInput(param="limit", problem=f"must be from 1 to {MAX_FOUND}")
        asked = RecallQuery(text=query, limit=limit, filter=_elsewhere(turn))
        recall = (await self._scope(turn)).agent.recall or self._recall
        if turn.user is None:
            return NOTHING
        return await recall.search(PassageOwner(turn.tenant, turn.agent, turn.user), asked)

    async def _preload(self, scope: TurnScope, query: str | None) -> Recalled:
        """Find what the prompt is to begin with; a search that fails leaves it out, and says so."""
        turn, settings = scope.turn, scope.recall
        if query is None or not has_visible(checked_text(query, param="query")):
            return NOTHING
        if turn.user is None or settings is None or not settings.preload:
            return NOTHING
        recall = scope.agent.recall or self._recall
        owner = PassageOwner(turn.tenant, turn.agent, turn.user)
        asked = RecallQuery(text=query, limit=settings.limit, filter=_elsewhere(turn))
        try:
            return await recall.search(owner, asked)
        except StoreFailed as error:
            self._listener(Event(kind="recall_failed", tenant=turn.tenant, agent=turn.agent, error=error.code))
            return _UNAVAILABLE

    async def _scope(self, turn: Turn) -> TurnScope:
        session = await self._sessions.check(turn)
        pinned = session.version if session else None
        agent = await self._source.resolve(turn.tenant, turn.agent, turn.version or pinned)
        scope = scope_of(turn, agent, store=self._blocks)
        if scope.without_user:
            self._warn_once(turn)
        return scope

    async def _visible(self, scope: TurnScope) -> list[Memory]:
        config = scope.agent.config
        if not config.memory_injection_enabled:
            return []
        return await self._memories.newest(scope.turn.pool, partitions=scope.partitions, limit=config.memories.pool_cap)

    def _warn_once(self, turn: Turn) -> None:
        """Tell that blocks or conversations were withheld for want of a user: once in each session."""
        whose = Turn(tenant=turn.tenant, agent=turn.agent, session=turn.session)
        if whose in self._userless:
            return
        self._userless[whose] = None
        if len(self._userless) > _REMEMBERED_SESSIONS:
            self._userless.popitem(last=False)
        self._listener(Event(kind="user_missing", tenant=turn.tenant, agent=turn.agent))


def _elsewhere(turn: Turn) -> RecallFilter:
    """Look at the other sessions: what was said in this one stands in its transcript."""
    return RecallFilter() if turn.session is None else RecallFilter(except_sessions=(turn.session,))
