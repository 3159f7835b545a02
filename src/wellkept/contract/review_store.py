"""Where held writes wait."""

from abc import ABC, abstractmethod
from datetime import datetime

from wellkept.model.ids import TenantId
from wellkept.model.pages import Position
from wellkept.model.review import HeldWrite


class ReviewStore(ABC):
    """Keeps held writes until they are approved or rejected.

    Obligations, each held by a test in `wellkept.testing.review_store`:

    * a held write is found by its own tenant only;
    * a held write goes on waiting until it is taken; of two who take it, one gets it;
    * of several claims on one held write at most one holds, and it runs out by itself.
    """

    @abstractmethod
    async def hold(self, write: HeldWrite, *, most: int) -> None:
        """Add a held write, unless `most` of the agent's wait already.

        Raises:
            Conflict: Too many wait; some must be decided first.
            NotFound: The agent was deleted (see `Directory`).
        """

    @abstractmethod
    async def held(self, tenant: TenantId, *, limit: int, after: Position | None = None) -> list[HeldWrite]:
        """Give up to `limit` held writes, newest first (`created_at`, then id)."""

    @abstractmethod
    async def held_write(self, tenant: TenantId, id: str) -> HeldWrite | None:
        """Read one held write."""

    @abstractmethod
    async def claim_held(
        self, tenant: TenantId, id: str, holder: str, *, at: datetime, until: datetime
    ) -> HeldWrite | None:
        """Take or renew the right to decide about a held write, and read it.

        None when it is not there, or another holder's claim lasts (`at` before its `until`).
        """

    @abstractmethod
    async def release_held(self, tenant: TenantId, id: str, holder: str) -> None:
        """Give the right back, if `holder` has it."""

    @abstractmethod
    async def take(self, tenant: TenantId, id: str) -> HeldWrite | None:
        """Remove a held write, with its claim, and answer with it; None when it is not there (any more)."""

    async def close(self) -> None:
        """Let go of files and connections. A second time does nothing."""
