"""What the suites of `MemoryApi` are played on: an agent with everything, its turns, and what is behind the scenes."""

from abc import ABC, abstractmethod
from datetime import datetime
from typing import Final

import pytest

from wellkept.contract.screen import Screen
from wellkept.model.agents import AgentConfig
from wellkept.model.blocks import BlockSpec, WorkingMemorySpec
from wellkept.model.ids import AgentId, MemoryId, SessionId, TenantId, UserId
from wellkept.model.outcomes import MemoryWritten
from wellkept.model.passages import Said
from wellkept.model.review import Screened
from wellkept.model.turns import Turn

CONFIG: Final = AgentConfig(
    name="Support",
    tools=("memory",),
    memory_injection_enabled=True,
    working_memory=WorkingMemorySpec(
        auto_load=(
            BlockSpec("user", "USER", template="- name:", description="Who the user is."),
            BlockSpec("agent", "MEMORY"),
            BlockSpec("shared", "TEAM", char_limit=40),
            BlockSpec("agent", "RULES", write="closed"),
        )
    ),
)
"""An agent with a block of every kind and all memory tools."""

MISSING: Final = MemoryId("mem_0000000000000000")


class WordScreen(Screen):
    """Rejects what says REJECT and holds what says HOLD: the screen of the service that a suite is run on."""

    def look(self, text: str) -> Screened:
        """Give the verdict on `text`."""
        if "REJECT" in text:
            return Screened(verdict="reject", findings=("word",))
        return Screened(verdict="hold" if "HOLD" in text else "accept", findings=())


class Backstage(ABC):
    """What a suite needs behind the scenes, beside the `MemoryApi` that it tries. Its service has a `WordScreen`."""

    tenant: TenantId

    @abstractmethod
    async def agent(self, config: AgentConfig) -> AgentId:
        """Create an agent."""

    @abstractmethod
    async def disable(self, agent: AgentId) -> None:
        """Disable an agent."""

    @abstractmethod
    async def open_session(self, turn: Turn) -> None:
        """Let the turn's session exist, and belong to its user."""

    @abstractmethod
    async def said(self, turn: Turn, session: str, *messages: Said) -> None:
        """Keep for recall what was said in a session of the turn's user."""

    @abstractmethod
    async def forget(self, turn: Turn, session: str) -> None:
        """Delete what is kept of a session of the turn's user."""

    @abstractmethod
    async def approve(self, held: str) -> None:
        """Approve a held write."""

    @abstractmethod
    async def last_accessed_at(self, turn: Turn, memory: MemoryId) -> datetime:
        """Read when a memory was last used, after all touches are written."""

    @abstractmethod
    def advance(self, seconds: float) -> datetime:
        """Let time pass on the service's clock; give the new instant."""


class TurnStage:
    """The turns that the suites play."""

    @pytest.fixture
    async def agent(self, backstage: Backstage) -> AgentId:
        return await backstage.agent(CONFIG)

    @pytest.fixture
    def turn(self, backstage: Backstage, agent: AgentId) -> Turn:
        """A turn of the user maya."""
        return Turn(tenant=backstage.tenant, agent=agent, user=UserId("maya"), session=SessionId("s1"))

    @pytest.fixture
    def other(self, backstage: Backstage, agent: AgentId) -> Turn:
        """A turn of another user of the same agent."""
        return Turn(tenant=backstage.tenant, agent=agent, user=UserId("sam"), session=SessionId("s2"))

    @pytest.fixture
    def nobody(self, backstage: Backstage, agent: AgentId) -> Turn:
        """A turn without a user."""
        return Turn(tenant=backstage.tenant, agent=agent)


def row_of(written: MemoryWritten) -> MemoryId:
    """Give the id of the row that a write answered with."""
    assert written.memory is not None
    return written.memory.id
