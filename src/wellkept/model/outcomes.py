"""What a turn has, and what its operations on memory come to."""

from typing import Literal

import msgspec

from wellkept.model.keys import Scope
from wellkept.model.memories import Memory


class DeclaredBlock(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A block that the tool may name in this turn. `writable` False: its policy is `closed`."""

    key: str
    scope: Scope
    limit: int
    description: str = ""
    writable: bool = True


class Declared(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the agent has in this turn: its blocks, its memory tools by name, and whether it may search conversations.

    Blocks without an owner in this turn are left out. Without a user there are no conversations to search.
    """

    agent: str
    version: int
    blocks: tuple[DeclaredBlock, ...] = ()
    memory_tools: tuple[str, ...] = ()
    memory_injection_enabled: bool = False
    recall_tool: bool = False


class BlockView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A block as it is now. `empty`: nothing is stored, `text` is its template."""

    key: str
    scope: Scope
    text: str
    empty: bool
    chars: int
    limit: int
    etag: str | None = None


WriteState = Literal["done", "unchanged", "held"]
"""Stored; nothing to change; waiting until someone approves it."""


class BlockWritten(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a block's edit came to. `chars` and `limit` in code points; `held` is the id of the waiting write."""

    key: str
    scope: Scope
    state: WriteState
    chars: int
    limit: int
    etag: str | None = None
    held: str | None = None


class MemoryWritten(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What saving, updating or deleting a memory came to. `memory` None: it is deleted, or it waits."""

    state: WriteState
    memory: Memory | None = None
    held: str | None = None
    evicted: int = 0
