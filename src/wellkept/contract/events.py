"""What happened, for logs and metrics: ids and counts, never a user's text."""

from collections.abc import Callable
from typing import Literal

import msgspec

EventKind = Literal[
    "block_changed",
    "memory_created",
    "memory_updated",
    "memory_deleted",
    "memories_evicted",
    "write_held",
    "write_rejected",
    "write_approved",
    "touch_failed",
    "user_missing",
    "agent_deleted",
    "audit_failed",
]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened to an agent's memory. `count` says how many rows it was about."""

    kind: EventKind
    tenant: str
    agent: str = ""
    id: str = ""
    count: int = 1


Listener = Callable[[Event], None]
"""Is told of events; must not raise and must not wait."""


def unheard(event: Event) -> None:
    """Listen to nothing."""
