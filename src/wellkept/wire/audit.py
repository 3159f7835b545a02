"""The audit log on the wire."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from wellkept.model.audit import ActorRole, AuditAction, AuditEntry, AuditFilter
from wellkept.model.ids import AgentId, MemoryId
from wellkept.model.keys import Scope
from wellkept.wire.fields import Cursor, Id, PageLimit

Since = Annotated[datetime, Meta(tz=True, description="From this instant on.")]
Until = Annotated[datetime, Meta(tz=True, description="Before this instant.")]


class AuditQuery(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which entries: those for which all that is given is so."""

    agent_id: Id | None = None
    user_id: Id | None = None
    action: AuditAction | None = None
    since: Since | None = None
    until: Until | None = None
    cursor: Cursor | None = None
    limit: PageLimit = 50

    def which(self) -> AuditFilter:
        """Give the filter.

        Raises:
            InvalidInput: An instant has no time zone.
        """
        return AuditFilter(
            agent_id=None if self.agent_id is None else AgentId(self.agent_id),
            user_id=self.user_id,
            action=self.action,
            since=self.since,
            until=self.until,
        )


class ActorAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Who did it: a key, a turn (with the key it came with), the command line or the program itself."""

    role: ActorRole
    key_id: str | None
    user_id: str | None


class AuditEntryAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One change that took effect. `target` is the id of what was changed, or a block's key.

    `etagBefore` null: there was none before; `etagAfter` null: there is none now.
    """

    id: str
    at: datetime
    actor: ActorAnswer
    action: AuditAction
    agent_id: str | None
    user_id: str | None
    session_id: str | None
    target: str | None
    scope: Scope | None
    owner: str | None
    etag_before: str | None
    etag_after: str | None
    version: int | None
    count: int | None
    memories: tuple[MemoryId, ...]

    @classmethod
    def of(cls, entry: AuditEntry) -> "AuditEntryAnswer":
        """Say an entry on the wire."""
        return msgspec.convert(entry, cls, from_attributes=True)


class AuditPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Entries, newest first."""

    data: tuple[AuditEntryAnswer, ...]
    next_cursor: str | None = None
