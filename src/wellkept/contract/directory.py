"""Who there is: tenants, their keys and their agents."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import datetime

from wellkept.model.agents import AgentConfig, AgentRecord, AgentStatus, AgentVersion
from wellkept.model.directory import ApiKey, Holdings, Once, Tenant
from wellkept.model.ids import AgentId, TenantId
from wellkept.model.pages import Position

Revise = Callable[[AgentConfig], AgentConfig]
"""From an agent's newest version to the one after it.

Pure; may be called again after a race; raises to refuse.
"""


class Directory(ABC):
    """Keeps tenants, API keys and agents.

    Obligations, each held by a test in `wellkept.testing.directory`:

    * what belongs to one tenant is not found by another;
    * of several who make the first tenant at once, from tasks, threads and
      processes that share the data, one does, and all get that one;
    * a version, once made, never changes; numbers count from 1 without gaps,
      also when two updates race; and each is made from the one before it, so
      that of two updates of different parts both take effect;
    * `delete_agent` takes the agent's versions, pool, agent-scoped blocks,
      sessions, held writes and passages that this store keeps with it, in one
      transaction;
    * and what was under way for the agent meanwhile does not come after: a
      deleted agent is remembered, by its id alone, and each write to this store
      that belongs to it raises `NotFound`, until `add_agent` adds one of the same id.
      An agent that was never added may be written for: a program's own agents are
      not in a directory. (Where blocks or memories lie in another store, that one
      does not know who was deleted: a write that was sent to it before, and arrives
      after, stays. `wellkept.services.agents.Agents.delete` empties it before and after.)
    * a revoked key is not found by its hash.
    """

    @abstractmethod
    async def put_tenant(self, tenant: Tenant) -> bool:
        """Add a tenant; say whether it is new."""

    @abstractmethod
    async def tenants(self) -> list[Tenant]:
        """Give all tenants, oldest first."""

    @abstractmethod
    async def first_tenant(self, new: Tenant) -> Tenant:
        """Give the oldest tenant; `new` becomes it where there is none yet."""

    @abstractmethod
    async def holdings(self) -> Mapping[TenantId, Holdings]:
        """Say how much this store keeps of each tenant that has anything, known or not: for operators, and slow."""

    @abstractmethod
    async def add_key(self, key: ApiKey, *, most: int) -> None:
        """Add a key, unless the tenant has `most` that are not revoked.

        Raises:
            AlreadyExists: A key of the tenant that is not revoked has this name.
            Conflict: The tenant has as many keys as it may.
        """

    @abstractmethod
    async def find_key(self, hash: str) -> ApiKey | None:
        """Find the key with this hash, unless it was revoked."""

    @abstractmethod
    async def keys(self, tenant: TenantId) -> list[ApiKey]:
        """Give a tenant's keys, revoked ones too, newest first."""

    @abstractmethod
    async def revoke_key(self, tenant: TenantId, key: str, *, at: datetime) -> bool:
        """Revoke a key by its id; say whether it was there and not revoked yet."""

    @abstractmethod
    async def add_agent(self, agent: AgentRecord, *, once: Once | None = None) -> AgentRecord:
        """Add an agent with its version 1; with `once`, the same key again answers with the first agent.

        Raises:
            AlreadyExists: The tenant has an agent of this id.
            IdempotencyMismatch: The key came with another request before.
            NotFound: The key's agent is gone by now.
        """

    @abstractmethod
    async def agent(self, tenant: TenantId, agent: AgentId) -> AgentRecord | None:
        """Read an agent in its newest version."""

    @abstractmethod
    async def agents(
        self, tenant: TenantId, *, limit: int, after: Position | None = None, user: str | None = None
    ) -> list[AgentRecord]:
        """Give up to `limit` agents, newest first (`created_at`, then `id`), those of one user if `user` is given."""

    @abstractmethod
    async def add_version(self, tenant: TenantId, agent: AgentId, revise: Revise, *, at: datetime) -> AgentRecord:
        """Give the agent a new version, which becomes its newest: read, decide and write as one.

        Raises:
            NotFound: There is no such agent.
        """

    @abstractmethod
    async def version(self, tenant: TenantId, agent: AgentId, number: int) -> AgentVersion | None:
        """Read one version."""

    @abstractmethod
    async def versions(self, tenant: TenantId, agent: AgentId, *, before: int | None, limit: int) -> list[AgentVersion]:
        """Give up to `limit` versions, newest first, from below number `before`."""

    @abstractmethod
    async def set_status(self, tenant: TenantId, agent: AgentId, status: AgentStatus, *, at: datetime) -> AgentRecord:
        """Disable or enable an agent.

        Raises:
            NotFound: There is no such agent.
        """

    @abstractmethod
    async def delete_agent(self, tenant: TenantId, agent: AgentId) -> bool:
        """Forget the agent and all that belongs to it in this store; say whether there was one.

        From then on what belongs to it is refused (see above), if there was one.
        """

    @abstractmethod
    async def ready(self) -> None:
        """Answer when the store can be read and written.

        Raises:
            StoreFailed: It cannot; the class says why.
        """

    async def close(self) -> None:
        """Let go of files and connections. A second time does nothing."""
