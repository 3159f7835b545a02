"""Held writes, in SQLite."""

import sqlite3
from datetime import datetime
from typing import Final

import msgspec

from wellkept.contract.review_store import ReviewStore
from wellkept.model.errors import AlreadyExists, Conflict
from wellkept.model.ids import AgentId, TenantId
from wellkept.model.pages import Position
from wellkept.model.review import HeldWrite
from wellkept.rules.instants import behind, to_number
from wellkept.stores.sqlite import deleted_agents
from wellkept.stores.sqlite.hops import Hops
from wellkept.stores.sqlite.statements import statements

_SQL: Final = statements("review.sql")


class SqliteReview(Hops, ReviewStore):
    """The part of the store that keeps held writes."""

    async def hold(self, write: HeldWrite, *, most: int) -> None:
        await self._write(lambda db: _hold(db, write, most))

    async def held(self, tenant: TenantId, *, limit: int, after: Position | None = None) -> list[HeldWrite]:
        place = (tenant, *behind(after), limit)
        return await self._read(lambda db: [_to_write(row) for row in db.execute(_SQL["newest_first"], place)])

    async def held_write(self, tenant: TenantId, id: str) -> HeldWrite | None:
        row = await self._read(lambda db: db.execute(_SQL["get"], (tenant, id)).fetchone())
        return _to_write(row) if row else None

    async def claim_held(
        self, tenant: TenantId, id: str, holder: str, *, at: datetime, until: datetime
    ) -> HeldWrite | None:
        claim = (holder, to_number(until), tenant, id, to_number(at))
        row = await self._write(lambda db: db.execute(_SQL["claim"], claim).fetchone())
        return _to_write(row) if row else None

    async def release_held(self, tenant: TenantId, id: str, holder: str) -> None:
        await self._write(lambda db: db.execute(_SQL["release"], (tenant, id, holder)))

    async def take(self, tenant: TenantId, id: str) -> HeldWrite | None:
        row = await self._write(lambda db: db.execute(_SQL["take"], (tenant, id)).fetchone())
        return _to_write(row) if row else None


def forget_agent(db: sqlite3.Connection, tenant: TenantId, agent: AgentId) -> None:
    """Forget all held writes of an agent."""
    db.execute(_SQL["delete_of_agent"], (tenant, agent))


def _hold(db: sqlite3.Connection, write: HeldWrite, most: int) -> None:
    deleted_agents.refuse(db, write.tenant, write.agent)
    (waiting,) = db.execute(_SQL["count_of_agent"], (write.tenant, write.agent)).fetchone()
    if waiting >= most:
        raise Conflict(most=most)
    body = msgspec.json.encode(write).decode()
    row = (write.tenant, write.id, write.agent, write.user, to_number(write.created_at), body)
    try:
        db.execute(_SQL["hold"], row)
    except sqlite3.IntegrityError as error:
        raise AlreadyExists(held=write.id) from error


def _to_write(row: tuple[str]) -> HeldWrite:
    return msgspec.json.decode(row[0], type=HeldWrite)
