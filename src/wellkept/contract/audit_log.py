"""Where it is kept who changed what."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from wellkept.model.audit import AuditEntry, AuditFilter
from wellkept.model.ids import TenantId
from wellkept.model.pages import Position


class AuditLog(ABC):
    """Keeps entries, for good: nothing changes or removes one.

    Obligations, each held by a test in `wellkept.testing.audit_log`:

    * an entry comes back as it went in, and is found by its own tenant only;
    * entries that are noted together are there together;
    * noting an entry again changes nothing, so that it may be tried again;
    * lists are newest first (`at`, then `id`, descending), and a cursor neither
      skips nor repeats an entry that was there all the time;
    * deleting an agent leaves its entries.

    What was noted survives the end of the process. A power cut may take the last
    entries: a log that waited for the disk would make every change wait twice.
    """

    @abstractmethod
    async def note(self, entries: Sequence[AuditEntry]) -> None:
        """Add entries, which are all of one tenant."""

    @abstractmethod
    async def noted(
        self, tenant: TenantId, *, which: AuditFilter, limit: int, after: Position | None = None
    ) -> list[AuditEntry]:
        """Give up to `limit` entries that the filter admits, newest first, from after a position."""

    async def close(self) -> None:
        """Let go of files and connections. A second time does nothing."""
