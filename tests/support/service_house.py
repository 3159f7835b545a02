"""A small house over the in-process store, with a clock that stands still and an ear for events."""

from dataclasses import dataclass, field
from typing import Any

from wellkept.contract.embedder import Embedder
from wellkept.contract.events import Event
from wellkept.contract.screen import Screen
from wellkept.model.agents import AgentConfig
from wellkept.model.blocks import BlockSpec, WorkingMemorySpec
from wellkept.model.ids import DEFAULT_TENANT, AgentId, SessionId, TenantId, UserId
from wellkept.model.keys import BlockKey, Scope
from wellkept.model.memories import MemorySettings, Pool
from wellkept.model.turns import Turn
from wellkept.services.agent_source import AgentSource, DirectorySource
from wellkept.services.agents import Agents
from wellkept.services.audit import Audit
from wellkept.services.blocks import Blocks
from wellkept.services.keys import Keys
from wellkept.services.local_memory import LocalMemory
from wellkept.services.memories import Memories
from wellkept.services.recall import Recall
from wellkept.services.review import Review
from wellkept.services.screening import FirstScreen
from wellkept.services.sessions import Sessions
from wellkept.stores.inproc import InprocStore
from wellkept.testing.clock import FakeClock
from wellkept.testing.samples import becomes

AGENT = AgentId("helper")
POOL = Pool(DEFAULT_TENANT, AGENT)
NAMES = BlockSpec("user", "USER", template="- name:")
NOTES = BlockSpec("agent", "MEMORY")
DEFAULTS = MemorySettings()


@dataclass
class House:
    """Services over one store."""

    store: InprocStore = field(default_factory=InprocStore)
    clock: FakeClock = field(default_factory=FakeClock)
    events: list[Event] = field(default_factory=list)
    screen: Screen = field(default_factory=FirstScreen)
    source: AgentSource | None = None
    embedder: Embedder | None = None

    def __post_init__(self) -> None:
        self.audit = Audit(self.store, listener=self.events.append)
        note = self.audit.note
        told: dict[str, Any] = {"clock": self.clock, "listener": self.events.append, "note": note}
        source = self.source or DirectorySource(self.store)
        self.blocks = Blocks(self.store, **told)
        self.memories = Memories(self.store, touch_every=3600, **told)
        self.agents = Agents(self.store, blocks=self.store, memories=self.store, passages=self.store, **told)
        self.keys = Keys(self.store, clock=self.clock, note=note)
        self.sessions = Sessions(self.store, clock=self.clock, passages=self.store, note=note)
        self.recall = Recall(self.store, embedder=self.embedder, **told)
        self.review = Review(self.store, blocks=self.store, memories=self.memories, source=source, **told)
        self.memory = LocalMemory(
            source,
            blocks=self.store,
            memories=self.memories,
            sessions=self.sessions,
            review=self.review,
            recall=self.recall,
            screen=self.screen,
            **told,
        )

    async def agent(
        self,
        *blocks: BlockSpec,
        id: AgentId = AGENT,
        tools: tuple[str, ...] = ("memory",),
        inject: bool = True,
        settings: MemorySettings = DEFAULTS,
        **memory: Any,
    ) -> None:
        config = AgentConfig(
            name="Helper",
            tools=tools,
            memory_injection_enabled=inject,
            working_memory=WorkingMemorySpec(auto_load=blocks, **memory) if blocks else None,
            memories=settings,
        )
        if await self.store.agent(DEFAULT_TENANT, id) is None:
            await self.agents.create(DEFAULT_TENANT, config, id=id)
        else:
            await self.agents.update(DEFAULT_TENANT, id, becomes(config))

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]


def turn(user: str | None = "maya", session: str | None = None, *, version: int | None = None) -> Turn:
    return Turn(
        tenant=DEFAULT_TENANT,
        agent=AGENT,
        user=None if user is None else UserId(user),
        session=None if session is None else SessionId(session),
        version=version,
    )


def key(name: str = "USER", scope: Scope = "user", owner: str = "maya", tenant: str = DEFAULT_TENANT) -> BlockKey:
    return BlockKey(tenant=TenantId(tenant), scope=scope, owner=owner, key=name)
