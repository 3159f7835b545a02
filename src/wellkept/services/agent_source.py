"""Where an agent's configuration comes from: the directory, or the program itself."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

import msgspec

from wellkept.contract.block_store import BlockStore
from wellkept.contract.directory import Directory
from wellkept.model.agents import AgentConfig
from wellkept.model.errors import AgentDisabled, AgentVersionNotFound, NotFound
from wellkept.model.ids import AgentId, TenantId
from wellkept.services.recall import Recall


class ResolvedAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent as a turn uses it.

    `blocks`: its own block store, `recall`: its own keeper of conversations; None: those that all agents share.
    """

    id: AgentId
    version: int
    config: AgentConfig
    blocks: BlockStore | None = None
    recall: Recall | None = None


class AgentSource(ABC):
    """Knows agents."""

    @abstractmethod
    async def resolve(self, tenant: TenantId, agent: AgentId, version: int | None) -> ResolvedAgent:
        """Give the agent in one version; None: its newest.

        Raises:
            NotFound: There is no such agent.
            AgentVersionNotFound: It has no such version.
            AgentDisabled: It is disabled.
        """


class DirectorySource(AgentSource):
    """The agents of the directory; with `fallback`, any other agent is version 1 of that configuration."""

    def __init__(self, directory: Directory, fallback: AgentConfig | None = None) -> None:
        self._directory = directory
        self._fallback = fallback

    async def resolve(self, tenant: TenantId, agent: AgentId, version: int | None) -> ResolvedAgent:
        """Give the agent in one version; None: its newest."""
        record = await self._directory.agent(tenant, agent)
        if record is None:
            if self._fallback is None:
                raise NotFound(what="agent")
            return only_version(ResolvedAgent(id=agent, version=1, config=self._fallback), version)
        if record.status == "disabled":
            raise AgentDisabled(agent=agent)
        if version is None or version == record.version:
            return ResolvedAgent(id=agent, version=record.version, config=record.config)
        older = await self._directory.version(tenant, agent, version)
        if older is None:
            raise AgentVersionNotFound(agent=agent, version=version)
        return ResolvedAgent(id=agent, version=version, config=older.config)


class DeclaredSource(AgentSource):
    """The agents that a program declares, in every tenant; others come from `otherwise`."""

    def __init__(self, declared: Mapping[AgentId, ResolvedAgent], otherwise: AgentSource | None = None) -> None:
        self._declared = dict(declared)
        self._otherwise = otherwise

    async def resolve(self, tenant: TenantId, agent: AgentId, version: int | None) -> ResolvedAgent:
        """Give the agent in one version; None: its newest."""
        declared = self._declared.get(agent)
        if declared is not None:
            return only_version(declared, version)
        if self._otherwise is None:
            raise NotFound(what="agent")
        return await self._otherwise.resolve(tenant, agent, version)


def only_version(agent: ResolvedAgent, version: int | None) -> ResolvedAgent:
    """Give an agent that has a single version.

    Raises:
        AgentVersionNotFound: Another one was asked for.
    """
    if version not in (None, agent.version):
        raise AgentVersionNotFound(agent=agent.id, version=version)
    return agent
