"""Sessions, in process."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from wellkept.contract.session_store import SessionStore
from wellkept.model.errors import Conflict, NotFound
from wellkept.model.ids import AgentId, TenantId
from wellkept.model.pages import Position
from wellkept.model.passages import Selection
from wellkept.model.sessions import Session, SessionKey, SessionMessage
from wellkept.stores.inproc import passages
from wellkept.stores.inproc.data import Claim, Data, Transcript, newest_first


class InprocSessions(SessionStore):
    """The part of the store that keeps sessions."""

    _data: Data

    async def open(self, session: Session) -> Session:
        with self._data.lock:
            self._data.refuse_deleted(session.key.tenant, session.key.agent)
            return self._data.transcripts.setdefault(session.key, Transcript(session)).session

    async def session(self, key: SessionKey) -> Session | None:
        with self._data.lock:
            known = self._data.transcripts.get(key)
            return known.session if known else None

    async def sessions(
        self, tenant: TenantId, agent: AgentId, *, limit: int, after: Position | None = None, user: str | None = None
    ) -> list[Session]:
        with self._data.lock:
            known = (transcript.session for transcript in self._data.transcripts.values())
            return newest_first(
                (
                    session
                    for session in known
                    if (session.key.tenant, session.key.agent) == (tenant, agent)
                    and (user is None or session.user == user)
                ),
                lambda session: Position(session.created_at, session.key.session),
                limit=limit,
                after=after,
            )

    async def messages(self, key: SessionKey, *, after: int = 0, limit: int | None = None) -> list[SessionMessage]:
        with self._data.lock:
            known = self._data.transcripts.get(key)
            return known.messages[after:][:limit] if known else []

    async def append(self, key: SessionKey, messages: Sequence[SessionMessage], *, at: datetime) -> Session:
        with self._data.lock:
            known = self._data.transcripts.get(key)
            if known is None:
                raise NotFound(session=key.session)
            if not messages:
                return known.session
            length = len(known.messages)
            if [message.number for message in messages] != list(range(length + 1, length + 1 + len(messages))):
                raise Conflict(session=key.session, length=length)
            known.messages.extend(messages)
            known.session = replace(known.session, length=len(known.messages), updated_at=at)
            return known.session

    async def claim(self, key: SessionKey, holder: str, *, at: datetime, until: datetime) -> bool:
        with self._data.lock:
            self._data.refuse_deleted(key.tenant, key.agent)
            known = self._data.claims.get(key)
            if known and known.keeps_out(holder, at):
                return False
            self._data.claims[key] = Claim(holder, until)
            return True

    async def release(self, key: SessionKey, holder: str) -> None:
        with self._data.lock:
            known = self._data.claims.get(key)
            if known and known.holder == holder:
                del self._data.claims[key]

    async def delete_session(self, key: SessionKey) -> bool:
        with self._data.lock:
            self._data.claims.pop(key, None)
            passages.forget(self._data, Selection(tenant=key.tenant, agent=key.agent, session=key.session))
            return self._data.transcripts.pop(key, None) is not None
