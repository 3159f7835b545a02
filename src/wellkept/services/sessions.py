"""Sessions: whose they are, what was said, and one turn at a time."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from wellkept.contract.clock import Clock
from wellkept.contract.passage_store import PassageStore
from wellkept.contract.session_store import SessionStore
from wellkept.model.errors import InvalidInput, NotFound, SessionUserMismatch, SessionVersionMismatch
from wellkept.model.ids import AgentId, SessionId, TenantId
from wellkept.model.memories import checked_partition
from wellkept.model.pages import DEFAULT_LIMIT, Page, Position, checked_limit
from wellkept.model.passages import Selection
from wellkept.model.sessions import Session, SessionKey, SessionMessage
from wellkept.model.turns import Turn
from wellkept.rules.cursor import fingerprint
from wellkept.services.acting import acting_in
from wellkept.services.audit import Note, entry, unnoted
from wellkept.services.paging import page_of, place_after
from wellkept.services.session_turns import SessionTurns

# Named out here: inside the class, `list` is the method.
_Messages = list[SessionMessage]


class Sessions:
    """The sessions of all agents. `passages` is where what was said in them is kept for recall."""

    def __init__(self, store: SessionStore, *, clock: Clock, passages: PassageStore, note: Note = unnoted) -> None:
        self._note = note
        self._store = store
        self._passages = passages
        self._clock = clock
        self._turns = SessionTurns(store, clock=clock)

    async def open(self, turn: Turn, *, version: int | None = None) -> Session:
        """Give the turn's session; its first turn makes it, its user's for ever, pinned to `version` if that is given.

        Raises:
            InvalidInput: The turn has no session.
            SessionUserMismatch: It belongs to another user.
            SessionVersionMismatch: It is pinned to another version than the one asked for.
        """
        if turn.session is None:
            raise InvalidInput(param="sessionId", problem="is missing")
        at = self._clock.now()
        wanted = turn.version if version is None else version
        new = Session(key=_key(turn, turn.session), user=turn.user, version=wanted, created_at=at, updated_at=at)
        stored = await self._store.open(new)
        if stored == new:
            with acting_in(turn):
                await self._note(entry(turn.tenant, "session.opened", at=at, agent=turn.agent, session=turn.session))
        return _admitted(stored, turn, wanted)

    async def check(self, turn: Turn) -> Session | None:
        """Give the turn's session if there is one, after making sure that the turn may use it.

        Raises:
            SessionUserMismatch: It belongs to another user.
            SessionVersionMismatch: It is pinned to another version than the turn's.
        """
        if turn.session is None:
            return None
        stored = await self._store.session(_key(turn, turn.session))
        return None if stored is None else _admitted(stored, turn, turn.version)

    async def get(self, key: SessionKey) -> Session:
        """Read a session.

        Raises:
            NotFound: There is none.
        """
        session = await self._store.session(key)
        if session is None:
            raise NotFound(what="session")
        return session

    async def list(
        self,
        tenant: TenantId,
        agent: AgentId,
        *,
        cursor: str | None = None,
        limit: int = DEFAULT_LIMIT,
        user_id: str | None = None,
    ) -> Page[Session]:
        """Give a page of an agent's sessions, newest first; with `user_id`, those of one user ("": of none).

        Raises:
            InvalidCursor: The cursor is not one that this list gave out.
        """
        user = None if user_id is None else checked_partition(user_id)
        name = fingerprint("sessions", tenant, agent, user)
        after = place_after(cursor, list_name=name)
        rows = await self._store.sessions(tenant, agent, limit=checked_limit(limit) + 1, after=after, user=user)
        return page_of(rows, limit=limit, place=lambda row: Position(row.created_at, row.key.session), list_name=name)

    async def messages(self, key: SessionKey, *, after: int = 0, limit: int | None = 50) -> _Messages:
        """Give a session's messages in order, from above number `after`; `limit` None: all of them.

        Raises:
            NotFound: There is no such session.
        """
        await self.get(key)
        return await self._store.messages(key, after=after, limit=limit)

    async def append(self, key: SessionKey, messages: Sequence[SessionMessage]) -> Session:
        """Add messages, whose numbers go on from the session's length.

        Raises:
            NotFound: There is no such session.
            Conflict: Somebody else appended since.
        """
        return await self._store.append(key, messages, at=self._clock.now())

    async def delete(self, key: SessionKey) -> None:
        """Forget a session, its messages, and what was kept of it for recall.

        Raises:
            NotFound: There is none.
        """
        stored = await self.get(key)
        # First, so that it can be tried again while the session is there; and again behind it, for what a turn
        # that had just ended was about to keep.
        await self._forget_passages(stored)
        if not await self._store.delete_session(key):
            raise NotFound(what="session")
        await self._note(
            entry(
                key.tenant,
                "session.deleted",
                at=self._clock.now(),
                agent=key.agent,
                whose=stored.user,
                session=key.session,
            )
        )
        await self._forget_passages(stored)

    async def _forget_passages(self, session: Session) -> None:
        if session.user is not None:
            tenant, agent = session.key.tenant, session.key.agent
            await self._passages.delete_passages(
                Selection(tenant=tenant, agent=agent, user=session.user, session=session.key.session)
            )

    def one_turn(self, key: SessionKey, *, wait: float = 30.0) -> AbstractAsyncContextManager[None]:
        """Run the body while no other turn of the session runs, in this process or another.

        Raises:
            SessionBusy: Another turn was still running after `wait` seconds (0: it is running now).
        """
        return self._turns.one(key, wait=wait)


def _key(turn: Turn, session: SessionId) -> SessionKey:
    return SessionKey(turn.tenant, turn.agent, session)


def _admitted(session: Session, turn: Turn, version: int | None) -> Session:
    if session.user != turn.user:
        raise SessionUserMismatch
    if version is not None and session.version not in (None, version):
        raise SessionVersionMismatch(pinned=session.version, asked=version)
    return session
