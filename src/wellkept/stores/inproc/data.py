"""What the in-process store holds: nested maps under one lock, keyed by tuples and values, never by joined text."""

import threading
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from wellkept.model.agents import AgentRecord, AgentVersion
from wellkept.model.audit import AuditEntry
from wellkept.model.blocks import Block, BlockRevision
from wellkept.model.directory import ApiKey, Once, Tenant
from wellkept.model.errors import IdempotencyMismatch, NotFound
from wellkept.model.ids import AgentId, MemoryId, TenantId
from wellkept.model.keys import Scope
from wellkept.model.memories import Memory, Pool
from wellkept.model.pages import Position
from wellkept.model.passages import PassageOwner
from wellkept.model.review import HeldWrite
from wellkept.model.sessions import Session, SessionKey, SessionMessage
from wellkept.rules.lexical import TsVector, to_tsvector
from wellkept.rules.rank import RankTokens, rank_tokens
from wellkept.stores.inproc.spoken import Spoken

T = TypeVar("T")


@dataclass(slots=True)
class Shelf:
    """The blocks of one owner, and the history of each."""

    blocks: dict[str, Block] = field(default_factory=dict[str, Block])
    history: dict[str, list[BlockRevision]] = field(default_factory=dict[str, list[BlockRevision]])


class Row:
    """A memory, and what searches need of its text. A new text makes a new row."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    @cached_property
    def vector(self) -> TsVector:
        """What mode `web` looks at."""
        return to_tsvector(self.memory.text)

    @cached_property
    def tokens(self) -> RankTokens:
        """What mode `ranked` looks at."""
        return rank_tokens(self.memory.text)


@dataclass(slots=True)
class Rows:
    """The memories of one pool, by id and in the order of their creation."""

    by_id: dict[MemoryId, Row] = field(default_factory=dict[MemoryId, Row])
    order: list[tuple[datetime, str]] = field(default_factory=list[tuple[datetime, str]])

    def add(self, row: Row) -> None:
        """Insert a row of a new id."""
        self.by_id[row.memory.id] = row
        insort(self.order, (row.memory.created_at, row.memory.id))

    def remove(self, memory: MemoryId) -> None:
        """Forget a row that is there."""
        gone = self.by_id.pop(memory).memory
        del self.order[bisect_left(self.order, (gone.created_at, gone.id))]

    def newest_first(self, *, after: Position | None = None) -> Iterator[Row]:
        """Yield the rows from after a position on."""
        end = len(self.order) if after is None else bisect_left(self.order, (after.at, after.id))
        for _, memory in reversed(self.order[:end]):
            yield self.by_id[MemoryId(memory)]


@dataclass(slots=True)
class Agent:
    """An agent in its newest version, and all versions from the first on."""

    record: AgentRecord
    versions: list[AgentVersion]


@dataclass(slots=True)
class Transcript:
    """A session and its messages."""

    session: Session
    messages: list[SessionMessage] = field(default_factory=list[SessionMessage])


@dataclass(slots=True)
class Claim:
    """Who may run a turn of a session, or decide about a held write, and how long."""

    holder: str
    until: datetime

    def keeps_out(self, holder: str, at: datetime) -> bool:
        """Say whether somebody else has to wait."""
        return holder != self.holder and at < self.until


@dataclass(slots=True)
class Answers:
    """Which id each idempotency key was answered with, and to which request."""

    by_key: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict[tuple[str, str], tuple[str, str]])

    def recall(self, once: Once | None) -> str | None:
        """Give the id that the key was answered with; None when it is new, or there is none.

        Raises:
            IdempotencyMismatch: The key came with another request before.
        """
        known = self.by_key.get((once.operation, once.key)) if once else None
        if once is None or known is None:
            return None
        fingerprint, answer = known
        if fingerprint != once.fingerprint:
            raise IdempotencyMismatch(operation=once.operation)
        return answer

    def note(self, once: Once | None, answer: str) -> None:
        """Remember what a key was answered with."""
        if once is not None:
            self.by_key[once.operation, once.key] = (once.fingerprint, answer)


@dataclass(slots=True)
class Data:
    """Everything, under one lock. Whoever holds the lock never awaits.

    To read, ask with `get`: `[…]` adds what is not there, and a reader must leave nothing behind.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    shelves: defaultdict[tuple[TenantId, Scope, str], Shelf] = field(default_factory=lambda: defaultdict(Shelf))
    pools: defaultdict[Pool, Rows] = field(default_factory=lambda: defaultdict(Rows))
    created: defaultdict[Pool, Answers] = field(default_factory=lambda: defaultdict(Answers))
    tenants: dict[TenantId, Tenant] = field(default_factory=dict[TenantId, Tenant])
    keys: dict[str, ApiKey] = field(default_factory=dict[str, ApiKey])
    agents: defaultdict[TenantId, dict[AgentId, Agent]] = field(
        default_factory=lambda: defaultdict(dict[AgentId, Agent])
    )
    added: defaultdict[TenantId, Answers] = field(default_factory=lambda: defaultdict(Answers))
    transcripts: dict[SessionKey, Transcript] = field(default_factory=dict[SessionKey, Transcript])
    claims: dict[SessionKey, Claim] = field(default_factory=dict[SessionKey, Claim])
    held: dict[tuple[TenantId, str], HeldWrite] = field(default_factory=dict[tuple[TenantId, str], HeldWrite])
    deciding: dict[tuple[TenantId, str], Claim] = field(default_factory=dict[tuple[TenantId, str], Claim])
    spoken: dict[PassageOwner, Spoken] = field(default_factory=dict[PassageOwner, Spoken])
    last_revision: int = 0
    """Of all passages: an owner whose passages are gone, and come again, must not count from 1 again."""
    audit: defaultdict[TenantId, dict[tuple[datetime, str], AuditEntry]] = field(
        default_factory=lambda: defaultdict(dict[tuple[datetime, str], AuditEntry])
    )
    deleted: set[tuple[TenantId, AgentId]] = field(default_factory=set[tuple[TenantId, AgentId]])

    def refuse_deleted(self, tenant: TenantId, agent: AgentId) -> None:
        """Let nothing be written for an agent that was deleted.

        Raises:
            NotFound: It was.
        """
        if (tenant, agent) in self.deleted:
            raise NotFound(agent=agent)


def newest_first(
    things: Iterable[T], place: Callable[[T], Position], *, limit: int | None = None, after: Position | None = None
) -> list[T]:
    """Give things in descending order of their places, from after a position on."""
    rest = (thing for thing in things if after is None or place(thing) < after)
    return sorted(rest, key=place, reverse=True)[:limit]
