"""Sessions, in PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from wellkept.contract.session_store import SessionStore
from wellkept.model.errors import Conflict, NotFound
from wellkept.model.ids import AgentId, TenantId
from wellkept.model.pages import Position
from wellkept.model.sessions import Session, SessionKey, SessionMessage
from wellkept.rules.instants import behind, to_instant, to_number
from wellkept.stores.postgresql import passages
from wellkept.stores.postgresql.deleted_agents import REFUSE, refused
from wellkept.stores.postgresql.hops import Hops, Row, Transaction, Value
from wellkept.stores.postgresql.statements import statements

_SQL: Final = statements("sessions.sql")

FORGET_AGENT: Final = (_SQL["delete_claims_of_agent"], _SQL["delete_of_agent"])
"""Forgets all sessions of an agent (`agent`), their messages and claims."""


class PostgresSessions(Hops, SessionStore):
    """The part of the store that keeps sessions."""

    async def open(self, session: Session) -> Session:
        with refused(session.key.agent):
            rows = await self._tell(
                session.key.tenant,
                REFUSE,
                _SQL["open"],
                _SQL["get"],
                **_place(session.key),
                user_id=session.user,
                version=session.version,
                created_at=to_number(session.created_at),
                updated_at=to_number(session.updated_at),
            )
        return _known(session.key, rows)

    async def session(self, key: SessionKey) -> Session | None:
        rows = await self._ask(key.tenant, _SQL["get"], **_place(key))
        return _to_session(key.tenant, key.agent, rows[0]) if rows else None

    async def sessions(
        self, tenant: TenantId, agent: AgentId, *, limit: int, after: Position | None = None, user: str | None = None
    ) -> list[Session]:
        statement = "newest_first" if user is None else "of_user_newest_first"
        before, session = behind(after)
        rows = await self._ask(
            tenant, _SQL[statement], agent=agent, user_id=user, before=before, after=session, limit=limit
        )
        return [_to_session(tenant, agent, row) for row in rows]

    async def messages(self, key: SessionKey, *, after: int = 0, limit: int | None = None) -> list[SessionMessage]:
        rows = await self._ask(key.tenant, _SQL["messages"], **_place(key), above=after, limit=limit)
        return [
            SessionMessage(number=number, role=role, text=text, at=to_instant(at), payload=payload)
            for number, role, text, at, payload in rows
        ]

    async def append(self, key: SessionKey, messages: Sequence[SessionMessage], *, at: datetime) -> Session:
        async def work(transaction: Transaction) -> Session:
            session = _known(key, await transaction.run(_SQL["get_locked"], **_place(key)))
            if not messages:
                await transaction.leave()
                return session
            length = session.length + len(messages)
            if [message.number for message in messages] != list(range(session.length + 1, length + 1)):
                raise Conflict(session=key.session, length=session.length)
            rows = await transaction.finish(
                _SQL["add_messages"],
                _SQL["grow"],
                _SQL["get"],
                **_place(key),
                **_columns(messages),
                length=length,
                updated_at=to_number(at),
            )
            return _known(key, rows)

        return await self._transact(key.tenant, work)

    async def claim(self, key: SessionKey, holder: str, *, at: datetime, until: datetime) -> bool:
        values: dict[str, Value] = {"holder": holder, "until": to_number(until), "at": to_number(at)}
        with refused(key.agent):
            return bool(await self._tell(key.tenant, REFUSE, _SQL["claim"], **_place(key), **values))

    async def release(self, key: SessionKey, holder: str) -> None:
        await self._tell(key.tenant, _SQL["release"], **_place(key), holder=holder)

    async def delete_session(self, key: SessionKey) -> bool:
        statements = (_SQL["delete_claim"], *passages.FORGET, _SQL["delete"])
        rows = await self._tell(key.tenant, *statements, **_place(key), **passages.ALL_OF_A_SESSION)
        return bool(rows)


def _known(key: SessionKey, rows: list[Row]) -> Session:
    if not rows:
        raise NotFound(session=key.session)
    return _to_session(key.tenant, key.agent, rows[0])


def _columns(messages: Sequence[SessionMessage]) -> dict[str, Value]:
    return {
        "numbers": [message.number for message in messages],
        "roles": [str(message.role) for message in messages],
        "ats": [to_number(message.at) for message in messages],
        "texts": [message.text for message in messages],
        "payloads": [message.payload for message in messages],
    }


def _to_session(tenant: TenantId, agent: AgentId, row: Row) -> Session:
    session, user, version, length, created_at, updated_at = row
    return Session(
        key=SessionKey(tenant=tenant, agent=agent, session=session),
        user=user,
        version=version,
        length=length,
        created_at=to_instant(created_at),
        updated_at=to_instant(updated_at),
    )


def _place(key: SessionKey) -> dict[str, Value]:
    return {"agent": key.agent, "session": key.session}
