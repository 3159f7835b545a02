"""Held writes, in PostgreSQL."""

from datetime import datetime
from typing import Final

import msgspec
from psycopg.errors import UniqueViolation

from wellkept.contract.review_store import ReviewStore
from wellkept.model.errors import AlreadyExists, Conflict
from wellkept.model.ids import TenantId
from wellkept.model.pages import Position
from wellkept.model.review import HeldWrite
from wellkept.rules.instants import behind, to_number
from wellkept.stores.postgresql.deleted_agents import REFUSE, refused
from wellkept.stores.postgresql.hops import Hops, Row
from wellkept.stores.postgresql.statements import statements

_SQL: Final = statements("review.sql")

FORGET_AGENT: Final = _SQL["delete_of_agent"]
"""Forgets all held writes of an agent (`agent`)."""


class PostgresReview(Hops, ReviewStore):
    """The part of the store that keeps held writes."""

    async def hold(self, write: HeldWrite, *, most: int) -> None:
        try:
            with refused(write.agent):
                rows = await self._tell(
                    write.tenant,
                    REFUSE,
                    _SQL["lock"],
                    _SQL["hold"],
                    id=write.id,
                    agent=write.agent,
                    created_at=to_number(write.created_at),
                    body=msgspec.json.encode(write).decode(),
                    most=most,
                )
        except UniqueViolation as error:
            raise AlreadyExists(held=write.id) from error
        if rows != [(write.id,)]:
            raise Conflict(most=most)

    async def held(self, tenant: TenantId, *, limit: int, after: Position | None = None) -> list[HeldWrite]:
        at, id = behind(after)
        rows = await self._ask(tenant, _SQL["newest_first"], at=at, after=id, limit=limit)
        return [_to_write(row) for row in rows]

    async def held_write(self, tenant: TenantId, id: str) -> HeldWrite | None:
        return _first(await self._ask(tenant, _SQL["get"], id=id))

    async def claim_held(
        self, tenant: TenantId, id: str, holder: str, *, at: datetime, until: datetime
    ) -> HeldWrite | None:
        rows = await self._tell(tenant, _SQL["claim"], id=id, holder=holder, at=to_number(at), until=to_number(until))
        return _first(rows)

    async def release_held(self, tenant: TenantId, id: str, holder: str) -> None:
        await self._tell(tenant, _SQL["release"], id=id, holder=holder)

    async def take(self, tenant: TenantId, id: str) -> HeldWrite | None:
        return _first(await self._tell(tenant, _SQL["take"], id=id))


def _first(rows: list[Row]) -> HeldWrite | None:
    return _to_write(rows[0]) if rows else None


def _to_write(row: Row) -> HeldWrite:
    return msgspec.json.decode(row[0], type=HeldWrite)
