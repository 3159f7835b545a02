"""Agents: made, changed version by version, disabled, deleted with all that is theirs."""

from datetime import datetime

from wellkept.contract.block_store import BlockStore
from wellkept.contract.clock import Clock
from wellkept.contract.directory import Directory, Revise
from wellkept.contract.events import Event, Listener, unheard
from wellkept.contract.memory_store import MemoryStore
from wellkept.contract.passage_store import PassageStore
from wellkept.model.agents import AgentConfig, AgentRecord, AgentStatus, AgentVersion
from wellkept.model.audit import AuditAction, AuditEntry
from wellkept.model.directory import Once
from wellkept.model.errors import AgentVersionNotFound, NotFound
from wellkept.model.ids import AgentId, TenantId, agent_id
from wellkept.model.memories import Pool, checked_partition
from wellkept.model.pages import DEFAULT_LIMIT, Page, Position, checked_limit
from wellkept.model.passages import Selection
from wellkept.rules.cursor import fingerprint
from wellkept.services.audit import Note, entry, unnoted
from wellkept.services.new_ids import new_id
from wellkept.services.paging import number_after, page_of, place_after


class Agents:
    """The agents of all tenants.

    `blocks`, `memories` and `passages` say where theirs lie: with the directory or elsewhere.
    """

    def __init__(
        self,
        directory: Directory,
        *,
        blocks: BlockStore,
        memories: MemoryStore,
        passages: PassageStore,
        clock: Clock,
        listener: Listener = unheard,
        note: Note = unnoted,
    ) -> None:
        self._note = note
        self._directory = directory
        self._blocks = blocks
        self._memories = memories
        self._passages = passages
        self._clock = clock
        self._listener = listener

    async def create(
        self,
        tenant: TenantId,
        config: AgentConfig,
        *,
        user_id: str = "",
        id: str | None = None,
        once: Once | None = None,
    ) -> AgentRecord:
        """Make an agent, in version 1; with `once`, the same key again answers with the first agent.

        Raises:
            AlreadyExists: The tenant has an agent of this id.
            IdempotencyMismatch: The key came with another request before.
        """
        at = self._clock.now()
        agent = AgentRecord(
            tenant=tenant,
            id=agent_id(new_id("ag_") if id is None else id),
            user_id=checked_partition(user_id),
            version=1,
            status="active",
            config=config,
            created_at=at,
            updated_at=at,
        )
        stored = await self._directory.add_agent(agent, once=once)
        if stored == agent:  # else the key's first call has made it
            await self._note(_entry(stored, "agent.created", at=at))
        return stored

    async def get(self, tenant: TenantId, id: AgentId) -> AgentRecord:
        """Read an agent in its newest version.

        Raises:
            NotFound: The tenant has no such agent.
        """
        agent = await self._directory.agent(tenant, id)
        if agent is None:
            raise NotFound(what="agent")
        return agent

    async def list(
        self, tenant: TenantId, *, cursor: str | None = None, limit: int = DEFAULT_LIMIT, user_id: str | None = None
    ) -> Page[AgentRecord]:
        """Give a page of agents, newest first; with `user_id`, those of one user.

        Raises:
            InvalidCursor: The cursor is not one that this list gave out.
        """
        user = None if user_id is None else checked_partition(user_id)
        name = fingerprint("agents", tenant, user)
        after = place_after(cursor, list_name=name)
        rows = await self._directory.agents(tenant, limit=checked_limit(limit) + 1, after=after, user=user)
        return page_of(rows, limit=limit, place=lambda agent: Position(agent.created_at, agent.id), list_name=name)

    async def update(self, tenant: TenantId, id: AgentId, revise: Revise) -> AgentRecord:
        """Give the agent a new version, made from its newest at that moment; also when nothing differs.

        Raises:
            NotFound: The tenant has no such agent.
        """
        at = self._clock.now()
        agent = await self._directory.add_version(tenant, id, revise, at=at)
        await self._note(_entry(agent, "agent.updated", at=at))
        return agent

    async def version(self, tenant: TenantId, id: AgentId, number: int) -> AgentVersion:
        """Read one version.

        Raises:
            NotFound: The tenant has no such agent.
            AgentVersionNotFound: It has no such version.
        """
        version = await self._directory.version(tenant, id, number)
        if version is None:
            await self.get(tenant, id)
            raise AgentVersionNotFound(agent=id, version=number)
        return version

    async def versions(
        self, tenant: TenantId, id: AgentId, *, cursor: str | None = None, limit: int = DEFAULT_LIMIT
    ) -> Page[AgentVersion]:
        """Give a page of an agent's versions, newest first.

        Raises:
            NotFound: The tenant has no such agent.
            InvalidCursor: The cursor is not one that this list gave out.
        """
        await self.get(tenant, id)
        name = fingerprint("versions", tenant, id)
        before = number_after(cursor, list_name=name)
        rows = await self._directory.versions(tenant, id, before=before, limit=checked_limit(limit) + 1)
        return page_of(
            rows, limit=limit, place=lambda version: Position(version.created_at, str(version.version)), list_name=name
        )

    async def disable(self, tenant: TenantId, id: AgentId) -> AgentRecord:
        """Refuse turns of this agent until it is enabled.

        Raises:
            NotFound: The tenant has no such agent.
        """
        return await self._set(tenant, id, "disabled")

    async def enable(self, tenant: TenantId, id: AgentId) -> AgentRecord:
        """Take turns of this agent again.

        Raises:
            NotFound: The tenant has no such agent.
        """
        return await self._set(tenant, id, "active")

    async def delete(self, tenant: TenantId, id: AgentId) -> None:
        """Forget an agent with its versions, memories, agent blocks, sessions, passages and held writes.

        Raises:
            NotFound: The tenant has no such agent.
        """
        agent = await self.get(tenant, id)
        # Other stores first: when one of them fails the agent is still there, and deleting it can be tried again.
        # What the directory's own store keeps goes with the agent, in one transaction.
        await self._empty_other_stores(tenant, id)
        if not await self._directory.delete_agent(tenant, id):
            raise NotFound(what="agent")
        self._listener(Event(kind="agent_deleted", tenant=tenant, agent=id))
        await self._note(entry(tenant, "agent.deleted", at=self._clock.now(), agent=id, whose=agent.user_id))
        # And again, for what turns that were under way have written there meanwhile.
        await self._empty_other_stores(tenant, id)

    async def _empty_other_stores(self, tenant: TenantId, id: AgentId) -> None:
        if not _are_one(self._blocks, self._directory):
            await self._blocks.purge(tenant, "agent", id)
        if not _are_one(self._memories, self._directory):
            await self._memories.purge_pool(Pool(tenant, id))
        if not _are_one(self._passages, self._directory):
            await self._passages.delete_passages(Selection(tenant=tenant, agent=id))

    async def _set(self, tenant: TenantId, id: AgentId, status: AgentStatus) -> AgentRecord:
        at = self._clock.now()
        agent = await self._directory.set_status(tenant, id, status, at=at)
        if agent.updated_at == at:  # else it was so already
            await self._note(_entry(agent, "agent.disabled" if status == "disabled" else "agent.enabled", at=at))
        return agent


def _entry(agent: AgentRecord, action: AuditAction, *, at: datetime) -> AuditEntry:
    return entry(agent.tenant, action, at=at, agent=agent.id, whose=agent.user_id, version=agent.version)


def _are_one(store: object, directory: object) -> bool:
    """Say whether one object keeps both: a class may keep several contracts."""
    return store is directory
