"""Held writes: what waits until someone approves it."""

from datetime import datetime
from typing import Literal

import msgspec

from wellkept.model.edits import Add, Remove, Replace, Write
from wellkept.model.ids import AgentId, MemoryId, SessionId, TenantId
from wellkept.model.keys import BlockKey

HoldReason = Literal["policy", "screen"]
Verdict = Literal["accept", "hold", "reject"]


class Screened(msgspec.Struct, frozen=True, kw_only=True):
    """What the screen says of a text. `findings` names the patterns that were met, never the text."""

    verdict: Verdict
    findings: tuple[str, ...] = ()


class HeldBlockEdit(msgspec.Struct, frozen=True, tag="block", rename="camel"):
    """An edit of a block that waits. `limit` is what the agent declared, in code points; `template` likewise."""

    key: BlockKey
    edit: Add | Replace | Remove | Write
    limit: int
    template: str = ""


class HeldMemorySave(msgspec.Struct, frozen=True, tag="memory_save", rename="camel"):
    """A new memory that waits."""

    text: str
    user_id: str


class HeldMemoryUpdate(msgspec.Struct, frozen=True, tag="memory_update", rename="camel"):
    """A new text for a memory that waits; `etag` is of the text it was meant to replace."""

    memory: MemoryId
    text: str
    etag: str


class HeldMemoryDelete(msgspec.Struct, frozen=True, tag="memory_delete", rename="camel"):
    """A deletion that waits; `etag` is of the text that was meant to go."""

    memory: MemoryId
    etag: str


HeldAction = HeldBlockEdit | HeldMemorySave | HeldMemoryUpdate | HeldMemoryDelete


class HeldWrite(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A write that waits for approval, with who asked and why it waits. `id` is `hold_` and 16 letters or digits."""

    id: str
    tenant: TenantId
    agent: AgentId
    user: str
    session: SessionId | None
    reason: HoldReason
    findings: tuple[str, ...]
    action: HeldAction
    created_at: datetime
