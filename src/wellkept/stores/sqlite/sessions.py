"""Sessions, in SQLite."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from wellkept.contract.session_store import SessionStore
from wellkept.model.errors import Conflict, NotFound
from wellkept.model.ids import AgentId, SessionId, TenantId, UserId
from wellkept.model.pages import Position
from wellkept.model.passages import Selection
from wellkept.model.sessions import Session, SessionKey, SessionMessage
from wellkept.rules.instants import behind, to_instant, to_number
from wellkept.stores.sqlite import deleted_agents, passages
from wellkept.stores.sqlite.hops import Hops
from wellkept.stores.sqlite.statements import statements

_SQL: Final = statements("sessions.sql")
_NO_LIMIT: Final = -1

_SessionRow = tuple[SessionId, UserId | None, int | None, int, int, int]


class SqliteSessions(Hops, SessionStore):
    """The part of the store that keeps sessions."""

    async def open(self, session: Session) -> Session:
        return await self._write(lambda db: _open(db, session))

    async def session(self, key: SessionKey) -> Session | None:
        return await self._read(lambda db: _find(db, key))

    async def sessions(
        self, tenant: TenantId, agent: AgentId, *, limit: int, after: Position | None = None, user: str | None = None
    ) -> list[Session]:
        return await self._read(lambda db: _newest(db, tenant, agent, limit, after, user))

    async def messages(self, key: SessionKey, *, after: int = 0, limit: int | None = None) -> list[SessionMessage]:
        return await self._read(lambda db: _messages(db, key, after, limit))

    async def append(self, key: SessionKey, messages: Sequence[SessionMessage], *, at: datetime) -> Session:
        return await self._write(lambda db: _append(db, key, messages, at))

    async def claim(self, key: SessionKey, holder: str, *, at: datetime, until: datetime) -> bool:
        return await self._write(lambda db: _claim(db, key, holder, at, until))

    async def release(self, key: SessionKey, holder: str) -> None:
        await self._write(lambda db: db.execute(_SQL["release"], (*_place(key), holder)))

    async def delete_session(self, key: SessionKey) -> bool:
        return await self._write(lambda db: _delete(db, key))


def forget_agent(db: sqlite3.Connection, tenant: TenantId, agent: AgentId) -> None:
    """Forget all sessions of an agent, their messages and claims."""
    db.execute(_SQL["delete_claims_of_agent"], (tenant, agent))
    db.execute(_SQL["delete_of_agent"], (tenant, agent))


def _open(db: sqlite3.Connection, session: Session) -> Session:
    deleted_agents.refuse(db, session.key.tenant, session.key.agent)
    times = (to_number(session.created_at), to_number(session.updated_at))
    db.execute(_SQL["open"], (*_place(session.key), session.user, session.version, *times))
    return _known(db, session.key)


def _claim(db: sqlite3.Connection, key: SessionKey, holder: str, at: datetime, until: datetime) -> bool:
    deleted_agents.refuse(db, key.tenant, key.agent)
    return db.execute(_SQL["claim"], (*_place(key), holder, to_number(until), to_number(at))).rowcount == 1


def _find(db: sqlite3.Connection, key: SessionKey) -> Session | None:
    row: _SessionRow | None = db.execute(_SQL["get"], _place(key)).fetchone()
    return _to_session(key.tenant, key.agent, row) if row else None


def _known(db: sqlite3.Connection, key: SessionKey) -> Session:
    found = _find(db, key)
    if found is None:
        raise NotFound(session=key.session)
    return found


def _newest(
    db: sqlite3.Connection, tenant: TenantId, agent: AgentId, limit: int, after: Position | None, user: str | None
) -> list[Session]:
    if user is None:
        rows = db.execute(_SQL["newest_first"], (tenant, agent, *behind(after), limit))
    else:
        rows = db.execute(_SQL["of_user_newest_first"], (tenant, agent, user, *behind(after), limit))
    return [_to_session(tenant, agent, row) for row in rows]


def _messages(db: sqlite3.Connection, key: SessionKey, after: int, limit: int | None) -> list[SessionMessage]:
    return [
        SessionMessage(number=number, role=role, text=text, at=to_instant(at), payload=payload)
        for number, role, text, at, payload in db.execute(
            _SQL["messages"], (*_place(key), after, _NO_LIMIT if limit is None else limit)
        )
    ]


def _append(db: sqlite3.Connection, key: SessionKey, messages: Sequence[SessionMessage], at: datetime) -> Session:
    session = _known(db, key)
    if not messages:
        return session
    length = session.length + len(messages)
    if [message.number for message in messages] != list(range(session.length + 1, length + 1)):
        raise Conflict(session=key.session, length=session.length)
    db.executemany(
        _SQL["add_message"],
        [
            (*_place(key), message.number, message.role, to_number(message.at), message.text, message.payload)
            for message in messages
        ],
    )
    db.execute(_SQL["grow"], (length, to_number(at), *_place(key)))
    return _known(db, key)


def _delete(db: sqlite3.Connection, key: SessionKey) -> bool:
    db.execute(_SQL["delete_claim"], _place(key))
    passages.forget(db, Selection(tenant=key.tenant, agent=key.agent, session=key.session))
    return db.execute(_SQL["delete"], _place(key)).rowcount == 1


def _to_session(tenant: TenantId, agent: AgentId, row: _SessionRow) -> Session:
    session, user, version, length, created_at, updated_at = row
    return Session(
        key=SessionKey(tenant=tenant, agent=agent, session=session),
        user=user,
        version=version,
        length=length,
        created_at=to_instant(created_at),
        updated_at=to_instant(updated_at),
    )


def _place(key: SessionKey) -> tuple[str, str, str]:
    return key.tenant, key.agent, key.session
