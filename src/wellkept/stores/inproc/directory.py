"""Tenants, keys and agents, in process."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from msgspec.structs import replace

from wellkept.contract.directory import Directory, Revise
from wellkept.model.agents import AgentRecord, AgentStatus, AgentVersion
from wellkept.model.directory import ApiKey, Holdings, Once, Tenant
from wellkept.model.errors import AlreadyExists, Conflict, NotFound
from wellkept.model.ids import AgentId, TenantId
from wellkept.model.memories import Pool
from wellkept.model.pages import Position
from wellkept.model.passages import Selection
from wellkept.stores.inproc import passages
from wellkept.stores.inproc.data import Agent, Data, newest_first


class InprocDirectory(Directory):
    """The part of the store that keeps tenants, keys and agents."""

    _data: Data

    async def put_tenant(self, tenant: Tenant) -> bool:
        with self._data.lock:
            return self._data.tenants.setdefault(tenant.id, tenant) is tenant

    async def tenants(self) -> list[Tenant]:
        with self._data.lock:
            return sorted(self._data.tenants.values(), key=lambda tenant: (tenant.created_at, tenant.id))

    async def first_tenant(self, new: Tenant) -> Tenant:
        with self._data.lock:
            oldest = min(self._data.tenants.values(), key=lambda tenant: (tenant.created_at, tenant.id), default=None)
            return oldest or self._data.tenants.setdefault(new.id, new)

    async def holdings(self) -> Mapping[TenantId, Holdings]:
        with self._data.lock:
            agents = Counter({tenant: len(agents) for tenant, agents in self._data.agents.items()})
            blocks: Counter[TenantId] = Counter()
            for (tenant, _, _), shelf in self._data.shelves.items():
                blocks[tenant] += len(shelf.blocks)
            memories: Counter[TenantId] = Counter()
            for pool, rows in self._data.pools.items():
                memories[pool.tenant] += len(rows.by_id)
            sessions = Counter(key.tenant for key in self._data.transcripts)
            held = Counter(tenant for tenant, _ in self._data.held)
            spoken: Counter[TenantId] = Counter()
            for owner, theirs in self._data.spoken.items():
                spoken[owner.tenant] += len(theirs.by_id)
        return {
            tenant: Holdings(
                agents=agents[tenant],
                blocks=blocks[tenant],
                memories=memories[tenant],
                sessions=sessions[tenant],
                held=held[tenant],
                passages=spoken[tenant],
            )
            for tenant in sorted(+agents | +blocks | +memories | +sessions | +held | +spoken)
        }

    async def add_key(self, key: ApiKey, *, most: int) -> None:
        with self._data.lock:
            live = [known for known in self._keys(key.tenant) if known.revoked_at is None]
            if any(known.name == key.name for known in live):
                raise AlreadyExists(name=key.name)
            if len(live) >= most:
                raise Conflict(most=most)
            self._data.keys[key.id] = key

    async def find_key(self, hash: str) -> ApiKey | None:
        with self._data.lock:
            for key in self._data.keys.values():
                if key.hash == hash and key.revoked_at is None:
                    return key
            return None

    async def keys(self, tenant: TenantId) -> list[ApiKey]:
        with self._data.lock:
            return newest_first(self._keys(tenant), lambda key: Position(key.created_at, key.id))

    async def revoke_key(self, tenant: TenantId, key: str, *, at: datetime) -> bool:
        with self._data.lock:
            known = self._data.keys.get(key)
            if known is None or known.tenant != tenant or known.revoked_at is not None:
                return False
            self._data.keys[key] = replace(known, revoked_at=at)
            return True

    async def add_agent(self, agent: AgentRecord, *, once: Once | None = None) -> AgentRecord:
        with self._data.lock:
            agents, answers = self._data.agents[agent.tenant], self._data.added[agent.tenant]
            answered = answers.recall(once)
            if answered is not None:
                return self._agent(agent.tenant, AgentId(answered)).record
            if agent.id in agents:
                raise AlreadyExists(agent=agent.id)
            agents[agent.id] = Agent(agent, [_version_of(agent)])
            self._data.deleted.discard((agent.tenant, agent.id))
            answers.note(once, agent.id)
            return agent

    async def agent(self, tenant: TenantId, agent: AgentId) -> AgentRecord | None:
        with self._data.lock:
            known = self._agents(tenant).get(agent)
            return known.record if known else None

    async def agents(
        self, tenant: TenantId, *, limit: int, after: Position | None = None, user: str | None = None
    ) -> list[AgentRecord]:
        with self._data.lock:
            records = (agent.record for agent in self._agents(tenant).values())
            return newest_first(
                (record for record in records if user is None or record.user_id == user),
                lambda record: Position(record.created_at, record.id),
                limit=limit,
                after=after,
            )

    async def add_version(self, tenant: TenantId, agent: AgentId, revise: Revise, *, at: datetime) -> AgentRecord:
        with self._data.lock:
            known = self._agent(tenant, agent)
            config = revise(known.record.config)
            known.record = replace(known.record, version=known.record.version + 1, config=config, updated_at=at)
            known.versions.append(_version_of(known.record))
            return known.record

    async def version(self, tenant: TenantId, agent: AgentId, number: int) -> AgentVersion | None:
        found = await self.versions(tenant, agent, before=number + 1, limit=1)
        return found[0] if found and found[0].version == number else None

    async def versions(self, tenant: TenantId, agent: AgentId, *, before: int | None, limit: int) -> list[AgentVersion]:
        with self._data.lock:
            known = self._agents(tenant).get(agent)
            versions = reversed(known.versions) if known else ()
            return [version for version in versions if before is None or version.version < before][:limit]

    async def set_status(self, tenant: TenantId, agent: AgentId, status: AgentStatus, *, at: datetime) -> AgentRecord:
        with self._data.lock:
            known = self._agent(tenant, agent)
            if known.record.status != status:
                known.record = replace(known.record, status=status, updated_at=at)
            return known.record

    async def delete_agent(self, tenant: TenantId, agent: AgentId) -> bool:
        data = self._data
        with data.lock:
            data.pools.pop(Pool(tenant, agent), None)
            data.created.pop(Pool(tenant, agent), None)
            data.shelves.pop((tenant, "agent", agent), None)
            for key in [key for key in data.transcripts if (key.tenant, key.agent) == (tenant, agent)]:
                del data.transcripts[key]
            for key in [key for key in data.claims if (key.tenant, key.agent) == (tenant, agent)]:
                del data.claims[key]
            for place in [place for place, held in data.held.items() if (held.tenant, held.agent) == (tenant, agent)]:
                del data.held[place]
                data.deciding.pop(place, None)
            passages.forget(data, Selection(tenant=tenant, agent=agent))
            if self._agents(tenant).pop(agent, None) is None:
                return False
            data.deleted.add((tenant, agent))
            return True

    async def ready(self) -> None:
        """Answer at once: there is nothing to wait for."""

    def _agents(self, tenant: TenantId) -> dict[AgentId, Agent]:
        return self._data.agents.get(tenant, {})

    def _keys(self, tenant: TenantId) -> list[ApiKey]:
        return [key for key in self._data.keys.values() if key.tenant == tenant]

    def _agent(self, tenant: TenantId, agent: AgentId) -> Agent:
        known = self._agents(tenant).get(agent)
        if known is None:
            raise NotFound(agent=agent)
        return known


def _version_of(agent: AgentRecord) -> AgentVersion:
    return AgentVersion(
        tenant=agent.tenant, agent=agent.id, version=agent.version, config=agent.config, created_at=agent.updated_at
    )
