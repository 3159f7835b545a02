"""What the audit log says: who did what when to which id; never a text."""

from datetime import datetime
from typing import Literal

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import AgentId, MemoryId, SessionId, TenantId
from wellkept.model.keys import Scope

ActorRole = Literal["admin_key", "limited_key", "user_turn", "agent_turn", "cli", "system"]

AuditAction = Literal[
    "agent.created",
    "agent.updated",
    "agent.disabled",
    "agent.enabled",
    "agent.deleted",
    "memory.created",
    "memory.updated",
    "memory.deleted",
    "memories.evicted",
    "block.written",
    "block.restored",
    "block.deleted",
    "review.held",
    "review.approved",
    "review.rejected",
    "passages.stored",
    "passages.deleted",
    "session.opened",
    "session.deleted",
    "key.created",
    "key.revoked",
]


class Actor(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Who does something.

    A key of the whole tenant, or one that is limited to a user; a turn with a
    user, or without one (a turn on a server names the key it came with, too);
    the command line; or `system`: the program itself, and a library's own code.
    """

    role: ActorRole
    key_id: str | None = None
    user_id: str | None = None


SYSTEM = Actor(role="system")


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One change that took effect. `id` is `aud_` and 16 letters or digits.

    `target` is the id of what was changed, where it has one: a memory's, an
    API key's, a held write's, or a block's key, which is `scope`'s and
    `owner`'s. `user_id` is the user it was done by or for, or whose it is.
    `etag_before` None: there was none before; `etag_after` None: there is none
    now. `version` is an agent's. `memories` are the evicted, and `count` says
    how many there are; of passages it says how many were stored or deleted.
    """

    id: str
    tenant: TenantId
    at: datetime
    actor: Actor
    action: AuditAction
    agent_id: AgentId | None = None
    user_id: str | None = None
    session_id: SessionId | None = None
    target: str | None = None
    scope: Scope | None = None
    owner: str | None = None
    etag_before: str | None = None
    etag_after: str | None = None
    version: int | None = None
    count: int | None = None
    memories: tuple[MemoryId, ...] = ()


class AuditFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries: those for which all that is given is so; `since` inclusive, `until` exclusive.

    Raises:
        InvalidInput: An instant has no time zone.
    """

    agent_id: AgentId | None = None
    user_id: str | None = None
    action: AuditAction | None = None
    since: datetime | None = None
    until: datetime | None = None

    def __post_init__(self) -> None:
        for name, at in (("since", self.since), ("until", self.until)):
            if at is not None and at.tzinfo is None:
                raise InvalidInput(param=name, problem="must say its time zone, as in 2026-01-31T12:00:00Z")

    def admits(self, entry: AuditEntry) -> bool:
        """Say whether an entry is one of those."""
        return (
            self.agent_id in (None, entry.agent_id)
            and self.user_id in (None, entry.user_id)
            and self.action in (None, entry.action)
            and (self.since is None or self.since <= entry.at)
            and (self.until is None or entry.at < self.until)
        )
