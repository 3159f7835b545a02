"""The audit log: every change, after it took effect; administrators read it."""

import asyncio
import logging
from datetime import datetime
from typing import Final, Protocol

from msgspec.structs import replace

from wellkept.contract.audit_log import AuditLog
from wellkept.contract.events import Event, Listener, unheard
from wellkept.model.audit import AuditAction, AuditEntry, AuditFilter
from wellkept.model.errors import WellkeptError
from wellkept.model.ids import GENERAL, AgentId, MemoryId, SessionId, TenantId
from wellkept.model.keys import BlockKey
from wellkept.model.pages import DEFAULT_LIMIT, Page, Position, checked_limit
from wellkept.rules.cursor import fingerprint
from wellkept.services.acting import acting
from wellkept.services.new_ids import new_id
from wellkept.services.paging import page_of, place_after

_LOG: Final = logging.getLogger("wellkept.services.audit")


class Note(Protocol):
    """Notes what took effect. Does not fail."""

    async def __call__(self, *entries: AuditEntry) -> None:
        """Note one entry or more, all of one tenant."""


async def unnoted(*entries: AuditEntry) -> None:
    """Note nothing."""


class Audit:
    """The audit log of all tenants."""

    def __init__(self, log: AuditLog, *, listener: Listener = unheard) -> None:
        self._log = log
        self._listener = listener

    async def note(self, *entries: AuditEntry) -> None:
        """Note changes that took effect.

        When the log cannot take them that is an event, and a line in the
        program's log, and undoes nothing: what was changed is changed. A caller
        who leaves here does not take the note along.
        """
        await asyncio.shield(self._note(entries))

    async def list(
        self,
        tenant: TenantId,
        *,
        which: AuditFilter = AuditFilter(),  # noqa: B008  immutable
        cursor: str | None = None,
        limit: int = DEFAULT_LIMIT,
    ) -> Page[AuditEntry]:
        """Give a page of entries, newest first.

        Raises:
            InvalidCursor: The cursor is not one that this list gave out.
        """
        name = fingerprint("audit", tenant, which.agent_id, which.user_id, which.action, *map(str, _span(which)))
        after = place_after(cursor, list_name=name)
        rows = await self._log.noted(tenant, which=which, limit=checked_limit(limit) + 1, after=after)
        return page_of(rows, limit=limit, place=lambda entry: Position(entry.at, entry.id), list_name=name)

    async def _note(self, entries: tuple[AuditEntry, ...]) -> None:
        try:
            await self._log.note(entries)
        except WellkeptError as error:
            first = entries[0]
            _LOG.warning("the audit log missed %s: %s", ", ".join(entry.action for entry in entries), error.code)
            self._listener(
                Event(kind="audit_failed", tenant=first.tenant, agent=first.agent_id or "", count=len(entries))
            )


def entry(
    tenant: TenantId,
    action: AuditAction,
    *,
    at: datetime,
    agent: AgentId | None = None,
    whose: str | None = None,
    session: SessionId | None = None,
    target: str | None = None,
    etag_before: str | None = None,
    etag_after: str | None = None,
    version: int | None = None,
    memories: tuple[MemoryId, ...] = (),
    count: int | None = None,
) -> AuditEntry:
    """Make an entry of what was done here; `whose`: the user whom it is about when none acts."""
    now = acting()
    return AuditEntry(
        id=new_id("aud_"),
        tenant=tenant,
        at=at,
        actor=now.actor,
        action=action,
        agent_id=agent,
        user_id=now.actor.user_id or (None if whose == GENERAL else whose),
        session_id=session or now.session,
        target=target,
        etag_before=etag_before,
        etag_after=etag_after,
        version=version,
        count=len(memories) or count,
        memories=memories,
    )


def block_entry(
    key: BlockKey,
    action: AuditAction,
    *,
    at: datetime,
    etag_before: str | None,
    etag_after: str | None,
    session: SessionId | None = None,
) -> AuditEntry:
    """Make an entry of what was done to a block."""
    made = entry(
        key.tenant,
        action,
        at=at,
        agent=AgentId(key.owner) if key.scope == "agent" else None,
        whose=None if key.scope == "agent" else key.owner,
        session=session,
        target=key.key,
        etag_before=etag_before,
        etag_after=etag_after,
    )
    return replace(made, scope=key.scope, owner=key.owner)


def _span(which: AuditFilter) -> tuple[datetime | None, datetime | None]:
    return which.since, which.until
