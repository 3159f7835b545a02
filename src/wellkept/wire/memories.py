"""Memories on the wire."""

import msgspec
from msgspec import UNSET, UnsetType

from wellkept.model.memories import Memory, MemoryFound, SearchMode


class MemoryCreate(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A new memory; without `userId` in the general partition."""

    text: str
    user_id: str = ""
    pinned: bool = False


class MemoryUpdate(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A new text, pinned or not: at least one of the two."""

    text: str | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET


class MemoryAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One memory."""

    memory: Memory


class MemoriesQuery(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which memories: without `userId` of all partitions, `userId=` only the general ones."""

    user_id: str | None = None
    search: str | None = None
    mode: SearchMode = "web"
    cursor: str | None = None
    limit: int = 50


class MemoriesPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Memories, newest first; in mode `ranked` best first, on one page."""

    data: tuple[Memory, ...]
    next_cursor: str | None = None


class MemoriesFound(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found, best first, with the parts of each score."""

    data: tuple[MemoryFound, ...]
