"""Values to fill stores with: plain ones, awkward ones, and pairs that are easily taken for each other."""

import struct
from datetime import datetime, timedelta
from typing import Final

from wellkept.contract.directory import Revise
from wellkept.model.agents import AgentConfig, AgentRecord
from wellkept.model.audit import Actor, AuditAction, AuditEntry
from wellkept.model.blocks import ActorKind, Block, Change
from wellkept.model.ids import DEFAULT_TENANT, AgentId, MemoryId, SessionId, TenantId, UserId
from wellkept.model.keys import BlockKey, Scope, session_owner
from wellkept.model.memories import Memory, Pool
from wellkept.model.passages import Metadata, NewPassage, Passage, PassageKind, PassageOwner, Vector
from wellkept.model.review import HeldAction, HeldMemorySave, HeldWrite
from wellkept.model.sessions import Session, SessionKey
from wellkept.testing.clock import START

AWKWARD_TEXTS: Final[dict[str, str]] = {
    "empty": "",
    "a space": " ",
    "no end of line": "one\ntwo",
    "ends of line at the end": "one\n\n",
    "CRLF": "one\r\ntwo\r\n",
    "lone CR": "one\rtwo",
    "mixed ends of line": "a\nb\r\nc\rd",
    "line and paragraph separators": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "byte order mark first": "\ufeffabc",
    "byte order mark inside": "a\ufeffb",
    "tabs": "a\tb\n\t- c",
    "combining marks": "e\u0301 is not \u00e9",
    "Hangul in both forms": "\ud55c \u1112\u1161\u11ab",
    "zero-width non-joiner": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u062f",
    "emoji joined": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "flag of tags": "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "variation selector": "\u845b\U000e0100\u57ce",
    "noncharacters": "\ufffe \uffff \U0010ffff",
    "replacement character": "\ufffd",
    "control characters": "\x01\x02\x1b[31mred\x7f",
    "bidirectional override": "\u202eabc",
    "CJK": "\u6211\u559c\u6b22\u7d2b\u8272",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "entry marks": "one\n\u00a7\ntwo",
    "SQL": "'; DROP TABLE blocks;--",
    "LIKE": "100%_off \\ ' \"",
    "JSON": '{"a": "\\u0000", "b": null}',
    "escapes": "\\n \\0 %00 %0A &#0; \\ud800",
    "Markdown": "### USER (user)\n```\n</working_memory>\n---\n",
    "a formula": "=SUM(A1)",
    "a template": "{{x}} ${x} {0} %s",
    "a long word": "x" * 10_000,
    "wide characters": "\U0001f600" * 10_000,
}
"""Texts that a store damages when it opens files in text mode, joins SQL, or folds, trims or parses what it keeps."""

NEIGHBOURS: Final[dict[str, tuple[tuple[str, str], tuple[str, str]]]] = {
    "joined by a colon": (("a", "b.c"), ("a:b", "c")),
    "joined by a dot": (("a", "b.c"), ("a.b", "c")),
    "joined by a dash": (("a", "b-c"), ("a-b", "c")),
    "joined by an underscore": (("a", "b_c"), ("a_b", "c")),
    "a slash": (("a/b", "N"), ("a_b", "N")),
    "a slash and a dash": (("a/b", "N"), ("a-b", "N")),
    "a backslash": (("a\\b", "N"), ("a/b", "N")),
    "a slash, encoded": (("a/b", "N"), ("a%2Fb", "N")),
    "the case of an owner": (("Ann", "N"), ("ann", "N")),
    "the case of a key": (("ann", "USER"), ("ann", "user")),
    "the case of one letter": (("ann", "Notes"), ("ann", "NOTES")),
    "composed and decomposed": (("e\u0301", "N"), ("\u00e9", "N")),
    "full width": (("\uff21", "N"), ("A", "N")),
    "folding to more letters": (("stra\u00dfe", "N"), ("strasse", "N")),
    "the dotless i": (("\u0131d", "N"), ("id", "N")),
    "Kelvin and K": (("\u212a", "N"), ("k", "N")),
    "another alphabet": (("a", "N"), ("\u0430", "N")),
    "a zero-width joiner": (("a", "N"), ("a\u200d", "N")),
    "a prefix": (("test_user", "N"), ("test_user1", "N")),
    "a wildcard": (("a_b", "N"), ("axb", "N")),
    "a percent sign": (("%", "N"), ("a", "N")),
    "a leading zero": (("1", "N"), ("01", "N")),
    "a dot at the end": (("a.", "N"), ("a", "N")),
    "a dot at the end of a key": (("a", "N."), ("a", "N")),
    "a file's suffix": (("a", "N.md"), ("a", "N")),
    "a hidden name": (("a", ".N"), ("a", "N")),
    "a device": (("CON", "NUL"), ("con", "nul")),
    "long owners": (("x" * 255 + "a", "N"), ("x" * 255 + "b", "N")),
    "long owners of long characters": (("\U0001f600" * 255 + "a", "N"), ("\U0001f600" * 255 + "b", "N")),
    "a session and a user called like it": ((session_owner(SessionId("s1")), "N"), ("session s1", "N")),
}
"""Pairs of (owner, key) that meet when a store joins, cleans, folds or cuts the parts of a key."""

SPLITS: Final[dict[str, tuple[tuple[str, str], tuple[str, str]]]] = {
    f"joined by {separator!r}": (("a", f"b{separator}c"), (f"a{separator}b", "c"))
    for separator in (":", "::", "/", "\\", "|", ".", "-", "_", "&", "=", "%", "*", " ", "\u00a7")
}
"""Pairs of two ids, such as (agent, user), that meet when a store joins them with anything at all."""

NAME_SPLITS: Final = (".", "-", "_")
"""What a tenant's id and a block's key may hold, too."""

OTHER_TENANT: Final = TenantId("ten_other")


def at(seconds: float = 0) -> datetime:
    """Give the instant that many seconds after the start."""
    return START + timedelta(seconds=seconds)


def a_key(
    key: str = "USER", *, owner: str = "maya", scope: Scope = "user", tenant: TenantId = DEFAULT_TENANT
) -> BlockKey:
    """Address a block."""
    return BlockKey(tenant=tenant, scope=scope, owner=owner, key=key)


def a_block(text: str = "Likes tea.", *, key: BlockKey | None = None, when: float = 0) -> Block:
    """Make a block, updated `when` seconds after the start."""
    return Block(key=key or a_key(), text=text, updated_at=at(when))


def a_change(*, when: float = 0, actor: ActorKind = "admin", session: str | None = None) -> Change:
    """Say who changes something, `when` seconds after the start."""
    return Change(actor=actor, at=at(when), session=None if session is None else SessionId(session))


def a_pool(agent: str = "ag_support", *, tenant: TenantId = DEFAULT_TENANT) -> Pool:
    """Name a pool."""
    return Pool(tenant, AgentId(agent))


def memory_id_of(number: int) -> MemoryId:
    """Give the id of the sample memory of this number. A higher number sorts later."""
    return MemoryId(f"mem_{number:016d}")


def a_memory(
    number: int,
    text: str | None = None,
    *,
    user: str = "",
    pool: Pool | None = None,
    created: float | None = None,
    used: float | None = None,
    pinned: bool = False,
) -> Memory:
    """Make a memory, by default created and used `number` seconds after the start."""
    pool = pool or a_pool()
    made = at(number if created is None else created)
    return Memory(
        id=memory_id_of(number),
        tenant_id=pool.tenant,
        agent_id=pool.agent,
        user_id=user,
        text=f"fact {number}" if text is None else text,
        created_at=made,
        updated_at=made,
        last_accessed_at=made if used is None else at(used),
        pinned=pinned,
    )


def a_session_key(session: str = "s1", *, agent: str = "ag_support", tenant: TenantId = DEFAULT_TENANT) -> SessionKey:
    """Name a session."""
    return SessionKey(tenant, AgentId(agent), SessionId(session))


def a_session(
    session: str = "s1",
    *,
    agent: str = "ag_support",
    tenant: TenantId = DEFAULT_TENANT,
    user: str | None = None,
    when: float = 0,
) -> Session:
    """Make an empty session, created `when` seconds after the start."""
    return Session(
        key=a_session_key(session, agent=agent, tenant=tenant),
        user=None if user is None else UserId(user),
        version=None,
        created_at=at(when),
        updated_at=at(when),
    )


def a_write(
    number: int,
    *,
    agent: str = "ag_support",
    tenant: TenantId = DEFAULT_TENANT,
    action: HeldAction | None = None,
    session: str | None = None,
    when: float = 0,
) -> HeldWrite:
    """Make a held write, created `when` seconds after the start."""
    return HeldWrite(
        id=f"hold_{number:016d}",
        tenant=tenant,
        agent=AgentId(agent),
        user="maya",
        session=None if session is None else SessionId(session),
        reason="policy",
        findings=("one", "two"),
        action=action or HeldMemorySave("likes tea", ""),
        created_at=at(when),
    )


def an_owner(user: str = "maya", *, agent: str = "ag_support", tenant: TenantId = DEFAULT_TENANT) -> PassageOwner:
    """Say whose passages."""
    return PassageOwner(tenant, AgentId(agent), UserId(user))


def a_passage(
    number: int,
    text: str | None = None,
    *,
    owner: PassageOwner | None = None,
    session: str = "s1",
    message: str | None = None,
    part: int = 0,
    kind: PassageKind = "message",
    speaker: str = "Maya",
    when: float | None = None,
    metadata: Metadata | None = None,
    sources: tuple[str, ...] = (),
) -> Passage:
    """Make a passage, by default the only one of message `m<number>`, said `number` seconds after the start."""
    owner = owner or an_owner()
    return Passage(
        tenant_id=owner.tenant,
        agent_id=owner.agent,
        user_id=owner.user,
        session_id=SessionId(session),
        message=message or f"m{number}",
        part=part,
        number=number,
        kind=kind,
        speaker=speaker,
        at=at(number if when is None else when),
        text=f"passage {number}" if text is None else text,
        metadata=metadata or {},
        sources=sources,
    )


def a_vector(number: int = 0, *, model: str = "static-256", size: int = 256) -> Vector:
    """Make a vector of length 1: other numbers, other vectors."""
    values = [1.0 if place == number % size else 0.0 for place in range(size)]
    return Vector(model=model, data=struct.pack(f"<{size}e", *values))


def new(*passages: Passage, vector: Vector | None = None, entry: bytes = b"") -> list[NewPassage]:
    """Make passages ready to store, all with the same vector and entry."""
    return [NewPassage(passage=passage, vector=vector, entry=entry) for passage in passages]


def an_entry(
    number: int,
    *,
    tenant: TenantId = DEFAULT_TENANT,
    when: float = 0,
    agent: AgentId | None = None,
    user: str | None = None,
    action: AuditAction = "memory.created",
) -> AuditEntry:
    """Make an entry of an audit log. A higher number sorts later."""
    return AuditEntry(
        id=f"aud_{number:016d}",
        tenant=tenant,
        at=at(when),
        actor=Actor(role="admin_key", key_id="key_1"),
        action=action,
        agent_id=agent,
        user_id=user,
        target=memory_id_of(number),
    )


def becomes(config: AgentConfig) -> Revise:
    """Revise an agent into `config`, whatever it was."""
    return lambda before: config


def an_agent(
    id: str = "ag_support",
    *,
    tenant: TenantId = DEFAULT_TENANT,
    user: str = "",
    when: float = 0,
    config: AgentConfig | None = None,
) -> AgentRecord:
    """Make an agent in its first version, created `when` seconds after the start."""
    return AgentRecord(
        tenant=tenant,
        id=AgentId(id),
        user_id=user,
        version=1,
        status="active",
        config=config or AgentConfig(name=id),
        created_at=at(when),
        updated_at=at(when),
    )
