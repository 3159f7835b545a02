"""What happened, for logs and metrics: ids and counts, never a user's text."""

from collections.abc import Callable
from typing import Final, Literal

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
    "passages_stored",
    "passages_deleted",
    "facts_stored",
    "facts_dropped",
    "recall_failed",
    "ingest_failed",
    "embed_failed",
    "extract_failed",
    "audit_failed",
]

FAILURES: Final[frozenset[EventKind]] = frozenset(
    {"touch_failed", "audit_failed", "recall_failed", "ingest_failed", "embed_failed", "extract_failed"}
)
"""What went wrong and was got over: worth a line in a log."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened to an agent's memory.

    `count` says how many rows it was about; `error`, of a failure, is the code of what was raised.
    """

    kind: EventKind
    tenant: str
    agent: str = ""
    id: str = ""
    count: int = 1
    error: str = ""


Listener = Callable[[Event], None]
"""Is told of events; must not raise and must not wait."""


def unheard(event: Event) -> None:
    """Listen to nothing."""
