"""Services over stores: the one place that wires them."""

import msgspec

from wellkept.compose.stores import Stores
from wellkept.contract.clock import Clock, SystemClock
from wellkept.contract.embedder import Embedder
from wellkept.contract.events import Listener, unheard
from wellkept.contract.memory_api import MemoryApi
from wellkept.contract.screen import Screen
from wellkept.model.agents import AgentConfig
from wellkept.services.agent_source import AgentSource, DirectorySource
from wellkept.services.agents import Agents
from wellkept.services.audit import Audit
from wellkept.services.blocks import Blocks
from wellkept.services.facts import Facts
from wellkept.services.ingestion import Ingestion
from wellkept.services.keys import Keys
from wellkept.services.local_memory import LocalMemory
from wellkept.services.memories import Memories
from wellkept.services.recall import Recall
from wellkept.services.review import Review
from wellkept.services.screening import FirstScreen
from wellkept.services.sessions import Sessions


class Services(msgspec.Struct, frozen=True, kw_only=True):
    """The use cases over one set of stores. `memory` is what a turn may do; the rest is for administrators."""

    memory: MemoryApi
    blocks: Blocks
    memories: Memories
    agents: Agents
    keys: Keys
    sessions: Sessions
    review: Review
    recall: Recall
    ingestion: Ingestion
    audit: Audit
    source: AgentSource
    stores: Stores
    clock: Clock

    async def close(self) -> None:
        """Write what is still to be written, and close the stores."""
        try:
            await self.finish()
        finally:
            await self.stores.close()

    async def finish(self) -> None:
        """Write what is still to be written, and leave the stores open."""
        await self.ingestion.finish()
        await self.recall.close()
        await self.memories.close()


def assemble(
    stores: Stores,
    *,
    clock: Clock | None = None,
    listener: Listener = unheard,
    screen: Screen | None = None,
    source: AgentSource | None = None,
    fallback: AgentConfig | None = None,
    embedder: Embedder | None = None,
) -> Services:
    """Wire the services over `stores`.

    `source` says what an agent is; None asks the directory, and `fallback`
    then is what agents are that it does not know (None: there is no such agent).
    Without `embedder`, recall finds words alone.
    """
    clock = clock or SystemClock()
    source = source or DirectorySource(stores.directory, fallback=fallback)
    audit = Audit(stores.audit, listener=listener)
    note = audit.note
    memories = Memories(stores.memories, clock=clock, listener=listener, note=note)
    screen = screen or FirstScreen()
    recall = Recall(stores.passages, embedder=embedder, clock=clock, listener=listener, note=note)
    sessions = Sessions(stores.sessions, clock=clock, passages=stores.passages, note=note)
    review = Review(
        stores.review,
        blocks=stores.blocks,
        memories=memories,
        source=source,
        clock=clock,
        listener=listener,
        note=note,
    )
    memory = LocalMemory(
        source=source,
        blocks=stores.blocks,
        memories=memories,
        sessions=sessions,
        review=review,
        recall=recall,
        screen=screen,
        clock=clock,
        listener=listener,
        note=note,
    )
    return Services(
        memory=memory,
        blocks=Blocks(stores.blocks, clock=clock, listener=listener, note=note),
        memories=memories,
        agents=Agents(
            stores.directory,
            blocks=stores.blocks,
            memories=stores.memories,
            passages=stores.passages,
            clock=clock,
            listener=listener,
            note=note,
        ),
        keys=Keys(stores.directory, clock=clock, note=note),
        sessions=sessions,
        review=review,
        recall=recall,
        ingestion=Ingestion(stores.sessions, facts=Facts(screen, listener=listener), clock=clock, listener=listener),
        audit=audit,
        source=source,
        stores=stores,
        clock=clock,
    )
