"""Memories: rows of durable text that an agent owns."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import GENERAL, AgentId, MemoryId, TenantId, UserId, agent_id, memory_id, tenant_id, user_id
from wellkept.model.text import checked_text, etag_of, has_visible

MAX_MEMORY_BYTES: Final = 10_240
"""UTF-8 bytes that a memory's text may have. Fixed."""

POOL_CAP: Final = 500
"""Memories an agent may have, over all partitions, unless its settings say otherwise."""

Origin = Literal["api", "tool", "review", "import"]
MemoryStatus = Literal["active"]
SearchMode = Literal["web", "ranked"]


def checked_memory_text(value: object, *, param: str = "text") -> str:
    """Return `value` if it can be a memory: visible text of at most 10,240 UTF-8 bytes.

    Raises:
        InvalidInput: It is blank, unstorable or too long.
    """
    text = checked_text(value, param=param)
    if not has_visible(text):
        raise InvalidInput(param=param, problem="must hold something visible")
    size = len(text.encode())
    if size > MAX_MEMORY_BYTES:
        raise InvalidInput(param=param, problem=f"Memory text must be at most {MAX_MEMORY_BYTES} bytes, not {size}")
    return text


def checked_partition(value: object, *, param: str = "userId") -> str:
    """Return `value` if it names a partition: a user's id, or `""` for the general one.

    Raises:
        InvalidInput: It is neither.
    """
    return GENERAL if value == GENERAL else user_id(value, param=param)


class Pool(msgspec.Struct, frozen=True, order=True):
    """All memories of one agent: what the cap counts."""

    tenant: TenantId
    agent: AgentId

    def __post_init__(self) -> None:
        tenant_id(self.tenant)
        agent_id(self.agent)


Partitions = tuple[str, ...] | None
"""Which partitions of a pool an operation may see: their names, or None for all (an administrator)."""


def visible_to(user: UserId | None) -> tuple[str, ...]:
    """Name the partitions that a turn sees: the general one, and its own user's."""
    return (GENERAL,) if user is None else (GENERAL, user)


class Memory(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One row of durable text. `user_id` is immutable; `""` is the general partition.

    Raises:
        InvalidInput: An id or the text is not valid.
    """

    id: MemoryId
    tenant_id: TenantId
    agent_id: AgentId
    user_id: str
    text: str
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime
    pinned: bool = False
    origin: Origin = "api"
    status: MemoryStatus = "active"
    etag: str = ""
    """Names the text: equal texts, equal etags. Always computed, whatever was passed."""

    def __post_init__(self) -> None:
        memory_id(self.id)
        checked_partition(self.user_id)
        checked_memory_text(self.text)
        msgspec.structs.force_setattr(self, "etag", etag_of(self.text))

    @property
    def pool(self) -> Pool:
        """Name the pool that counts this row."""
        return Pool(self.tenant_id, self.agent_id)


class PoolRules(msgspec.Struct, frozen=True, kw_only=True):
    """How full a pool may be.

    A partition at or under `per_user_reserve` rows is no victim while others are over theirs.
    """

    cap: int = POOL_CAP
    per_user_reserve: int = 0


class MemoryCreated(msgspec.Struct, frozen=True, kw_only=True):
    """What creating a memory came to: the row, whether it is new, and the ids of the rows that left for it."""

    memory: Memory
    changed: bool
    evicted: tuple[MemoryId, ...] = ()


class MemoryFound(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A memory that a search found. `score` and its `parts` are of mode `ranked`; higher is better."""

    memory: Memory
    score: float = 0.0
    parts: Mapping[str, float] = msgspec.field(default_factory=dict[str, float])


class MemorySettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """An agent's rules for its memories.

    `general_write`: what happens when a turn with a user changes a general
    row. `injection_words` and `injection_chars` bound what is rendered into a prompt.

    Raises:
        InvalidInput: A number is out of range.
    """

    pool_cap: int = POOL_CAP
    per_user_reserve: int = 0
    general_write: Literal["open", "review", "closed"] = "review"
    injection_words: int = 4_000
    injection_chars: int = 40_000

    def __post_init__(self) -> None:
        for param, value, low, high in (
            ("poolCap", self.pool_cap, 1, 10_000),
            ("perUserReserve", self.per_user_reserve, 0, self.pool_cap),
            ("injectionWords", self.injection_words, 0, 100_000),
            ("injectionChars", self.injection_chars, 0, 1_000_000),
        ):
            if not low <= value <= high:
                raise InvalidInput(param=param, problem=f"must be from {low} to {high}")

    @property
    def pool_rules(self) -> PoolRules:
        """Give what a store needs to keep the pool in bounds."""
        return PoolRules(cap=self.pool_cap, per_user_reserve=self.per_user_reserve)
