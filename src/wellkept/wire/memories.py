"""Memories on the wire."""

import msgspec
from msgspec import UNSET, UnsetType

from wellkept.model.memories import Memory, MemoryFound, SearchMode
from wellkept.wire.fields import Cursor, IdOrGeneral, MemoryText, PageLimit


class MemoryCreate(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A new memory; without `userId` in the general partition."""

    text: MemoryText
    user_id: IdOrGeneral = ""
    pinned: bool = False


class MemoryUpdate(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A new text, pinned or not: at least one of the two."""

    text: MemoryText | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET


class MemoryAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One memory."""

    memory: Memory


class MemoriesQuery(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which memories: without `userId` of all partitions, `userId=` only the general ones."""

    user_id: IdOrGeneral | None = None
    search: str | None = None
    mode: SearchMode = "web"
    cursor: Cursor | None = None
    limit: PageLimit = 50


class MemoriesPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Memories, newest first; in mode `ranked` best first, on one page."""

    data: tuple[Memory, ...]
    next_cursor: str | None = None


class MemoriesFound(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found, best first, with the parts of each score."""

    data: tuple[MemoryFound, ...]
