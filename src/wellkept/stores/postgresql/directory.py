"""Tenants, keys and agents, in PostgreSQL."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import msgspec
from psycopg.errors import UniqueViolation

from wellkept.contract.directory import Directory, Revise
from wellkept.model.agents import AgentConfig, AgentRecord, AgentStatus, AgentVersion, spelled
from wellkept.model.directory import ApiKey, Holdings, Once, Tenant
from wellkept.model.errors import AlreadyExists, Conflict, NotFound
from wellkept.model.ids import AgentId, TenantId
from wellkept.model.pages import Position
from wellkept.rules.instants import behind, to_instant, to_number
from wellkept.stores.postgresql import blocks, deleted_agents, memories, once, passages, review, sessions
from wellkept.stores.postgresql.hops import Hops, Row, Transaction, Value
from wellkept.stores.postgresql.statements import statements

_SQL: Final = statements("directory.sql")
_BEHIND_THE_LAST: Final = 2**31 - 1

ACROSS: Final = TenantId("")
"""The tenant of a transaction that is of none: it sees no row, but through the functions that look across tenants."""


class PostgresDirectory(Hops, Directory):
    """The part of the store that keeps tenants, keys and agents."""

    async def put_tenant(self, tenant: Tenant) -> bool:
        values: dict[str, Value] = {"name": tenant.name, "created_at": to_number(tenant.created_at)}
        return bool(await self._tell(tenant.id, _SQL["put_tenant"], **values))

    async def tenants(self) -> list[Tenant]:
        return [_to_tenant(row) for row in await self._ask(ACROSS, _SQL["tenants"])]

    async def first_tenant(self, new: Tenant) -> Tenant:
        rows = await self._tell(new.id, _SQL["first_tenant"], name=new.name, created_at=to_number(new.created_at))
        return _to_tenant(rows[0])

    async def holdings(self) -> Mapping[TenantId, Holdings]:
        return {
            tenant: Holdings(
                agents=agents, blocks=blocks, memories=memories, sessions=sessions, held=held, passages=spoken
            )
            for tenant, agents, blocks, memories, sessions, held, spoken in await self._ask(ACROSS, _SQL["holdings"])
        }

    async def add_key(self, key: ApiKey, *, most: int) -> None:
        async def work(transaction: Transaction) -> None:
            live = [name for (name,) in await transaction.run(_SQL["lock_keys"], _SQL["live_key_names"])]
            if key.name in live:
                raise AlreadyExists(name=key.name)
            if len(live) >= most:
                raise Conflict(most=most)
            await transaction.finish(
                _SQL["add_key"],
                id=key.id,
                name=key.name,
                hash=key.hash,
                hint=key.hint,
                user_id=key.user_id,
                created_at=to_number(key.created_at),
                revoked_at=to_number(key.revoked_at) if key.revoked_at else None,
            )

        await self._transact(key.tenant, work)

    async def find_key(self, hash: str) -> ApiKey | None:
        rows = await self._ask(ACROSS, _SQL["find_key"], hash=hash)
        return _to_key(rows[0]) if rows else None

    async def keys(self, tenant: TenantId) -> list[ApiKey]:
        return [_to_key(row) for row in await self._ask(tenant, _SQL["keys"])]

    async def revoke_key(self, tenant: TenantId, key: str, *, at: datetime) -> bool:
        return bool(await self._tell(tenant, _SQL["revoke_key"], id=key, revoked_at=to_number(at)))

    async def add_agent(self, agent: AgentRecord, *, once: Once | None = None) -> AgentRecord:
        try:
            return await self._transact(agent.tenant, lambda transaction: _add(transaction, agent, once))
        except UniqueViolation as error:
            raise AlreadyExists(agent=agent.id) from error

    async def agent(self, tenant: TenantId, agent: AgentId) -> AgentRecord | None:
        rows = await self._ask(tenant, _SQL["agent"], agent=agent)
        return _to_agent(tenant, rows[0]) if rows else None

    async def agents(
        self, tenant: TenantId, *, limit: int, after: Position | None = None, user: str | None = None
    ) -> list[AgentRecord]:
        statement = "agents" if user is None else "agents_of_user"
        at, id = behind(after)
        rows = await self._ask(tenant, _SQL[statement], user_id=user, at=at, after=id, limit=limit)
        return [_to_agent(tenant, row) for row in rows]

    async def add_version(self, tenant: TenantId, agent: AgentId, revise: Revise, *, at: datetime) -> AgentRecord:
        async def work(transaction: Transaction) -> AgentRecord:
            newest = _known(tenant, agent, await transaction.run(_SQL["lock_agent"], _SQL["agent"], agent=agent))
            config = revise(newest.config)
            rows = await transaction.finish(
                _SQL["next_version"],
                _SQL["add_version"],
                _SQL["agent"],
                agent=agent,
                number=newest.version + 1,
                config=spelled(config),
                updated_at=to_number(at),
            )
            return _known(tenant, agent, rows)

        return await self._transact(tenant, work)

    async def version(self, tenant: TenantId, agent: AgentId, number: int) -> AgentVersion | None:
        rows = await self._ask(tenant, _SQL["version"], agent=agent, number=min(number, _BEHIND_THE_LAST))
        return _to_version(tenant, agent, rows[0]) if rows else None

    async def versions(self, tenant: TenantId, agent: AgentId, *, before: int | None, limit: int) -> list[AgentVersion]:
        end = _BEHIND_THE_LAST if before is None else before
        rows = await self._ask(tenant, _SQL["versions"], agent=agent, before=end, limit=limit)
        return [_to_version(tenant, agent, row) for row in rows]

    async def set_status(self, tenant: TenantId, agent: AgentId, status: AgentStatus, *, at: datetime) -> AgentRecord:
        values: dict[str, Value] = {"agent": agent, "status": status, "updated_at": to_number(at)}
        return _known(tenant, agent, await self._tell(tenant, _SQL["set_status"], _SQL["agent"], **values))

    async def delete_agent(self, tenant: TenantId, agent: AgentId) -> bool:
        rows = await self._tell(
            tenant,
            deleted_agents.LOCK,
            *memories.PURGE_POOL,
            *blocks.PURGE,
            *sessions.FORGET_AGENT,
            *passages.FORGET,
            review.FORGET_AGENT,
            once.FORGET_AGENT,
            deleted_agents.NOTE,
            _SQL["delete_agent"],
            agent=agent,
            scope="agent",
            owner=agent,
            **passages.ALL_OF_AN_AGENT,
        )
        return bool(rows)


def _to_tenant(row: Row) -> Tenant:
    tenant, name, created_at = row
    return Tenant(id=tenant, name=name, created_at=to_instant(created_at))


def _to_key(row: Row) -> ApiKey:
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


async def _add(transaction: Transaction, agent: AgentRecord, key: Once | None) -> AgentRecord:
    if key:
        known = await once.answered(transaction, key, agent.id, at=agent.created_at)
        if known is not None:
            rows = await transaction.run(_SQL["agent"], agent=known)
            await transaction.leave()
            return _known(agent.tenant, AgentId(known), rows)
    await transaction.finish(
        deleted_agents.LOCK,
        _SQL["add_agent"],
        deleted_agents.FORGET,
        _SQL["add_version"],
        agent=agent.id,
        user_id=agent.user_id,
        number=agent.version,
        status=agent.status,
        config=spelled(agent.config),
        created_at=to_number(agent.created_at),
        updated_at=to_number(agent.updated_at),
    )
    return agent


def _known(tenant: TenantId, agent: AgentId, rows: list[Row]) -> AgentRecord:
    if not rows:
        raise NotFound(agent=agent)
    return _to_agent(tenant, rows[0])


def _to_agent(tenant: TenantId, row: Row) -> AgentRecord:
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


def _to_version(tenant: TenantId, agent: AgentId, row: Row) -> AgentVersion:
    number, config, created_at = row
    return AgentVersion(
        tenant=tenant,
        agent=agent,
        version=number,
        config=msgspec.json.decode(config, type=AgentConfig),
        created_at=to_instant(created_at),
    )
