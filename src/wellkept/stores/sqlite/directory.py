"""Tenants, keys and agents, in SQLite."""

import sqlite3
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import msgspec

from wellkept.contract.directory import Directory, Revise
from wellkept.model.agents import AgentConfig, AgentRecord, AgentStatus, AgentVersion, spelled
from wellkept.model.directory import ApiKey, Holdings, Once, Tenant
from wellkept.model.errors import AlreadyExists, Conflict, NotFound
from wellkept.model.ids import AgentId, TenantId
from wellkept.model.memories import Pool
from wellkept.model.pages import Position
from wellkept.model.passages import Selection
from wellkept.rules.instants import behind, to_instant, to_number
from wellkept.stores.sqlite import blocks, deleted_agents, memories, passages, review, sessions
from wellkept.stores.sqlite import once as once_only
from wellkept.stores.sqlite.hops import Hops
from wellkept.stores.sqlite.statements import statements

_SQL: Final = statements("directory.sql")
_BEHIND_THE_LAST: Final = 2**63 - 1

_KeyRow = tuple[TenantId, str, str, str, str, str, int, int | None]
_AgentRow = tuple[AgentId, str, int, AgentStatus, str, int, int]


class SqliteDirectory(Hops, Directory):
    """The part of the store that keeps tenants, keys and agents."""

    async def put_tenant(self, tenant: Tenant) -> bool:
        row = (tenant.id, tenant.name, to_number(tenant.created_at))
        return await self._write(lambda db: db.execute(_SQL["put_tenant"], row).rowcount == 1)

    async def tenants(self) -> list[Tenant]:
        return await self._read(_tenants)

    async def first_tenant(self, new: Tenant) -> Tenant:
        return await self._write(lambda db: _first_tenant(db, new))

    async def holdings(self) -> Mapping[TenantId, Holdings]:
        return await self._read(
            lambda db: {
                tenant: Holdings(
                    agents=agents, blocks=blocks, memories=memories, sessions=sessions, held=held, passages=spoken
                )
                for tenant, agents, blocks, memories, sessions, held, spoken in db.execute(_SQL["holdings"])
            }
        )

    async def add_key(self, key: ApiKey, *, most: int) -> None:
        await self._write(lambda db: _add_key(db, key, most))

    async def find_key(self, hash: str) -> ApiKey | None:
        row: _KeyRow | None = await self._read(lambda db: db.execute(_SQL["find_key"], (hash,)).fetchone())
        return _to_key(row) if row else None

    async def keys(self, tenant: TenantId) -> list[ApiKey]:
        return await self._read(lambda db: [_to_key(row) for row in db.execute(_SQL["keys"], (tenant,))])

    async def revoke_key(self, tenant: TenantId, key: str, *, at: datetime) -> bool:
        row = (to_number(at), tenant, key)
        return await self._write(lambda db: db.execute(_SQL["revoke_key"], row).rowcount == 1)

    async def add_agent(self, agent: AgentRecord, *, once: Once | None = None) -> AgentRecord:
        return await self._write(lambda db: _add_agent(db, agent, once))

    async def agent(self, tenant: TenantId, agent: AgentId) -> AgentRecord | None:
        return await self._read(lambda db: _find(db, tenant, agent))

    async def agents(
        self, tenant: TenantId, *, limit: int, after: Position | None = None, user: str | None = None
    ) -> list[AgentRecord]:
        return await self._read(lambda db: _agents(db, tenant, limit, after, user))

    async def add_version(self, tenant: TenantId, agent: AgentId, revise: Revise, *, at: datetime) -> AgentRecord:
        return await self._write(lambda db: _add_version(db, tenant, agent, revise, at))

    async def version(self, tenant: TenantId, agent: AgentId, number: int) -> AgentVersion | None:
        found = await self._read(lambda db: _versions(db, "version", tenant, agent, number))
        return found[0] if found else None

    async def versions(self, tenant: TenantId, agent: AgentId, *, before: int | None, limit: int) -> list[AgentVersion]:
        end = _BEHIND_THE_LAST if before is None else before
        return await self._read(lambda db: _versions(db, "versions", tenant, agent, end, limit))

    async def set_status(self, tenant: TenantId, agent: AgentId, status: AgentStatus, *, at: datetime) -> AgentRecord:
        return await self._write(lambda db: _set_status(db, tenant, agent, status, at))

    async def delete_agent(self, tenant: TenantId, agent: AgentId) -> bool:
        return await self._write(lambda db: _delete_agent(db, tenant, agent))


def _tenants(db: sqlite3.Connection) -> list[Tenant]:
    return [
        Tenant(id=tenant, name=name, created_at=to_instant(created_at))
        for tenant, name, created_at in db.execute(_SQL["tenants"])
    ]


def _first_tenant(db: sqlite3.Connection, new: Tenant) -> Tenant:
    known = _tenants(db)
    if known:
        return known[0]
    db.execute(_SQL["put_tenant"], (new.id, new.name, to_number(new.created_at)))
    return new


def _add_key(db: sqlite3.Connection, key: ApiKey, most: int) -> None:
    live = [name for (name,) in db.execute(_SQL["live_key_names"], (key.tenant,))]
    if key.name in live:
        raise AlreadyExists(name=key.name)
    if len(live) >= most:
        raise Conflict(most=most)
    revoked_at = to_number(key.revoked_at) if key.revoked_at else None
    row = (key.tenant, key.id, key.name, key.hash, key.hint, key.user_id, to_number(key.created_at), revoked_at)
    db.execute(_SQL["add_key"], row)


def _to_key(row: _KeyRow) -> ApiKey:
    tenant, id, name, hash, hint, user_id, created_at, revoked_at = row
    return ApiKey(
        id=id,
        tenant=tenant,
        name=name,
        hash=hash,
        hint=hint,
        user_id=user_id,
        created_at=to_instant(created_at),
        revoked_at=None if revoked_at is None else to_instant(revoked_at),
    )


def _add_agent(db: sqlite3.Connection, agent: AgentRecord, once: Once | None) -> AgentRecord:
    answered = once and once_only.recall(db, agent.tenant, None, once, at=agent.created_at)
    if answered:
        return _known(db, agent.tenant, AgentId(answered))
    times = (to_number(agent.created_at), to_number(agent.updated_at))
    try:
        db.execute(_SQL["add_agent"], (agent.tenant, agent.id, agent.user_id, agent.version, agent.status, *times))
    except sqlite3.IntegrityError as error:
        raise AlreadyExists(agent=agent.id) from error
    deleted_agents.forget(db, agent.tenant, agent.id)
    _write_version(db, agent.tenant, agent.id, agent.version, agent.config, agent.updated_at)
    if once:
        once_only.note(db, agent.tenant, None, once, agent.id, at=agent.created_at)
    return agent


def _add_version(db: sqlite3.Connection, tenant: TenantId, agent: AgentId, revise: Revise, at: datetime) -> AgentRecord:
    config = revise(_known(db, tenant, agent).config)
    (number,) = db.execute(_SQL["next_version"], (to_number(at), tenant, agent)).fetchone()
    _write_version(db, tenant, agent, number, config, at)
    return _known(db, tenant, agent)


def _write_version(
    db: sqlite3.Connection, tenant: TenantId, agent: AgentId, number: int, config: AgentConfig, at: datetime
) -> None:
    db.execute(_SQL["add_version"], (tenant, agent, number, spelled(config), to_number(at)))


def _set_status(
    db: sqlite3.Connection, tenant: TenantId, agent: AgentId, status: AgentStatus, at: datetime
) -> AgentRecord:
    db.execute(_SQL["set_status"], (status, to_number(at), tenant, agent))
    return _known(db, tenant, agent)


def _delete_agent(db: sqlite3.Connection, tenant: TenantId, agent: AgentId) -> bool:
    memories.purge_pool(db, Pool(tenant, agent))
    blocks.purge(db, tenant, "agent", agent)
    sessions.forget_agent(db, tenant, agent)
    review.forget_agent(db, tenant, agent)
    passages.forget(db, Selection(tenant=tenant, agent=agent))
    once_only.forget(db, tenant, agent)
    if db.execute(_SQL["delete_agent"], (tenant, agent)).rowcount == 0:
        return False
    deleted_agents.note(db, tenant, agent)
    return True


def _find(db: sqlite3.Connection, tenant: TenantId, agent: AgentId) -> AgentRecord | None:
    row: _AgentRow | None = db.execute(_SQL["agent"], (tenant, agent)).fetchone()
    return _to_agent(tenant, row) if row else None


def _known(db: sqlite3.Connection, tenant: TenantId, agent: AgentId) -> AgentRecord:
    found = _find(db, tenant, agent)
    if found is None:
        raise NotFound(agent=agent)
    return found


def _agents(
    db: sqlite3.Connection, tenant: TenantId, limit: int, after: Position | None, user: str | None
) -> list[AgentRecord]:
    if user is None:
        rows = db.execute(_SQL["agents"], (tenant, *behind(after), limit))
    else:
        rows = db.execute(_SQL["agents_of_user"], (tenant, user, *behind(after), limit))
    return [_to_agent(tenant, row) for row in rows]


def _to_agent(tenant: TenantId, row: _AgentRow) -> AgentRecord:
    id, user_id, version, status, config, created_at, updated_at = row
    return AgentRecord(
        tenant=tenant,
        id=id,
        user_id=user_id,
        version=version,
        status=status,
        config=msgspec.json.decode(config, type=AgentConfig),
        created_at=to_instant(created_at),
        updated_at=to_instant(updated_at),
    )


def _versions(
    db: sqlite3.Connection, statement: str, tenant: TenantId, agent: AgentId, *which: int
) -> list[AgentVersion]:
    return [
        AgentVersion(
            tenant=tenant,
            agent=agent,
            version=number,
            config=msgspec.json.decode(config, type=AgentConfig),
            created_at=to_instant(created_at),
        )
        for number, config, created_at in db.execute(_SQL[statement], (tenant, agent, *which))
    ]
