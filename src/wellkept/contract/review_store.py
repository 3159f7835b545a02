"""Where held writes wait."""

from abc import ABC, abstractmethod

from wellkept.model.ids import TenantId
from wellkept.model.pages import Position
from wellkept.model.review import HeldWrite


class ReviewStore(ABC):
    """Keeps held writes until they are approved or rejected.

    Obligations, each held by a test in `wellkept.testing.review_store`:

    * a held write is found by its own tenant only;
    * of two who take the same held write, one gets it.
    """

    @abstractmethod
    async def hold(self, write: HeldWrite, *, most: int) -> None:
        """Add a held write, unless `most` of the agent's wait already.

        Raises:
            Conflict: Too many wait; some must be decided first.
        """

    @abstractmethod
    async def held(self, tenant: TenantId, *, limit: int, after: Position | None = None) -> list[HeldWrite]:
        """Give up to `limit` held writes, newest first (`created_at`, then id)."""

    @abstractmethod
    async def held_write(self, tenant: TenantId, id: str) -> HeldWrite | None:
        """Read one held write."""

    @abstractmethod
    async def take(self, tenant: TenantId, id: str) -> HeldWrite | None:
        """Remove a held write and answer with it; None when it is not there (any more)."""

    async def close(self) -> None:
        """Let go of files and connections. A second time does nothing."""
