"""Where the transcripts of conversations are kept."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime

from wellkept.model.ids import AgentId, TenantId
from wellkept.model.pages import Position
from wellkept.model.sessions import Session, SessionKey, SessionMessage


class SessionStore(ABC):
    """Keeps sessions.

    Obligations, each held by a test in `wellkept.testing.session_store`:

    * a session's user is that of its first turn, for ever;
    * messages keep the order in which they were appended, whatever the clock says;
    * `append` is whole or not at all, and refuses when others came between;
    * of several claims on one session at most one holds.
    """

    @abstractmethod
    async def open(self, session: Session) -> Session:
        """Add the session unless it is there; answer with the stored one.

        The caller compares its user with the stored one's.

        Raises:
            NotFound: The agent was deleted (see `Directory`).
        """

    @abstractmethod
    async def session(self, key: SessionKey) -> Session | None:
        """Read a session."""

    @abstractmethod
    async def sessions(
        self, tenant: TenantId, agent: AgentId, *, limit: int, after: Position | None = None, user: str | None = None
    ) -> list[Session]:
        """Give up to `limit` sessions, newest first (`created_at`, then id), those of one user if `user` is given."""

    @abstractmethod
    async def messages(self, key: SessionKey, *, after: int = 0, limit: int | None = None) -> list[SessionMessage]:
        """Give messages in order, from above number `after`."""

    @abstractmethod
    async def append(self, key: SessionKey, messages: Sequence[SessionMessage], *, at: datetime) -> Session:
        """Add messages; their numbers go on from the session's length.

        Raises:
            NotFound: There is no such session.
            Conflict: The first number is not `length + 1`: somebody else appended.
        """

    @abstractmethod
    async def claim(self, key: SessionKey, holder: str, *, at: datetime, until: datetime) -> bool:
        """Take or renew the right to run a turn; False while another holder's claim lasts (`at` before its `until`).

        Raises:
            NotFound: The agent was deleted (see `Directory`).
        """

    @abstractmethod
    async def release(self, key: SessionKey, holder: str) -> None:
        """Give the right back, if `holder` has it."""

    @abstractmethod
    async def delete_session(self, key: SessionKey) -> bool:
        """Forget a session, its messages and claim, and those passages that this store keeps; say if there was one."""

    async def close(self) -> None:
        """Let go of files and connections. A second time does nothing."""
