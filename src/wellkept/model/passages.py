"""Passages: pieces of past conversations, kept for recall."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Literal

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import (
    AgentId,
    PassageId,
    SessionId,
    TenantId,
    UserId,
    agent_id,
    session_id,
    tenant_id,
    user_id,
)
from wellkept.model.text import checked_text, has_visible

MAX_MESSAGE_BYTES: Final = 1_048_576
"""UTF-8 bytes that a message may have. Fixed."""

MAX_SPEAKER_CHARS: Final = 256
MAX_METADATA: Final = 32

_BASE62: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS: Final = [low + high for high in _BASE62 for low in _BASE62]
"""Two digits at a time, the lower one first: every passage that is read is named."""

MetaValue = str | int | float | bool
Metadata = Mapping[str, MetaValue]
"""A caller's own facts about a message. Who it belongs to is never among them."""

PassageKind = Literal["message", "fact"]


class PassageOwner(msgspec.Struct, frozen=True, order=True):
    """Whose passages: one user's, of one agent. A turn without a user has none.

    Raises:
        InvalidInput: An id is not valid.
    """

    tenant: TenantId
    agent: AgentId
    user: UserId

    def __post_init__(self) -> None:
        tenant_id(self.tenant)
        agent_id(self.agent)
        user_id(self.user)


class Said(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """One message of a conversation, as it was said.

    `id` names it in its session: the same id again is the same message, and
    another text replaces it. Without one it is named after speaker, time and
    text. `number` is its place in the session; of equal numbers the earlier
    `at` comes first.

    Raises:
        InvalidInput: A part is not valid.
    """

    text: str
    speaker: str
    at: datetime
    id: str = ""
    number: int = 0
    metadata: Metadata = msgspec.field(default_factory=dict[str, MetaValue])

    def __post_init__(self) -> None:
        checked_said(self.text)
        checked_speaker(self.speaker)
        if self.at.tzinfo is None:
            raise InvalidInput(param="at", problem="must have a time zone, as in 2026-01-31T12:00:00Z")
        if len(checked_text(self.id, param="id")) > 256:
            raise InvalidInput(param="id", problem="must have at most 256 characters")
        if not 0 <= self.number < 2**31:
            raise InvalidInput(param="number", problem="must be from 0 to 2147483647")
        checked_metadata(self.metadata)


def checked_said(value: object, *, param: str = "text") -> str:
    """Return `value` if it can be a message: visible text of at most a mebibyte.

    Raises:
        InvalidInput: It is blank, unstorable or too long.
    """
    text = checked_text(value, param=param)
    if not has_visible(text):
        raise InvalidInput(param=param, problem="must hold something visible")
    if len(text) > MAX_MESSAGE_BYTES or len(text.encode()) > MAX_MESSAGE_BYTES:
        raise InvalidInput(param=param, problem=f"must have at most {MAX_MESSAGE_BYTES} bytes")
    return text


def checked_speaker(value: object, *, param: str = "speaker") -> str:
    """Return `value` if it names a speaker: 1–256 characters, something visible, on one line.

    Raises:
        InvalidInput: It does not.
    """
    return user_id(value, param=param)


def checked_metadata(metadata: Metadata, *, param: str = "metadata") -> Metadata:
    """Return `metadata` if it may stand beside a message: up to 32 short names with short values.

    Raises:
        InvalidInput: It may not.
    """
    if len(metadata) > MAX_METADATA:
        raise InvalidInput(param=param, problem=f"may have at most {MAX_METADATA} entries")
    for name, value in metadata.items():
        if not 1 <= len(checked_text(name, param=param)) <= 64:
            raise InvalidInput(param=param, problem="names have 1 to 64 characters")
        if isinstance(value, str) and len(checked_text(value, param=param)) > 512:
            raise InvalidInput(param=param, problem="texts have at most 512 characters")
        if isinstance(value, int) and not isinstance(value, bool) and not -(2**53) <= value <= 2**53:
            raise InvalidInput(param=param, problem="whole numbers lie within 2 to the power of 53")
        if isinstance(value, float) and not abs(value) <= 1.7e308:
            raise InvalidInput(param=param, problem="numbers must be finite")
    return metadata


class Passage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A piece of a message as it was said, or a fact taken from messages.

    `message` names the message in its session (for a fact: the fact), `part`
    counts its pieces from 0; joined in order they are the message exactly.
    `sources` are the messages that a fact came from. `id` is always computed
    from the address, so that every store knows a passage by the same name.

    Raises:
        InvalidInput: A part is not valid.
    """

    tenant_id: TenantId
    agent_id: AgentId
    user_id: UserId
    session_id: SessionId
    message: str
    part: int = 0
    number: int = 0
    kind: PassageKind = "message"
    speaker: str
    at: datetime
    text: str
    metadata: Metadata = msgspec.field(default_factory=dict[str, MetaValue])
    sources: tuple[str, ...] = ()
    id: PassageId = PassageId("")

    def __post_init__(self) -> None:
        session_id(self.session_id)
        for param, text in (("message", self.message), ("speaker", self.speaker), ("text", self.text)):
            checked_text(text, param=param)
        if self.at.tzinfo is None:
            raise InvalidInput(param="at", problem="must have a time zone, as in 2026-01-31T12:00:00Z")
        if self.metadata:
            checked_metadata(self.metadata)
        msgspec.structs.force_setattr(self, "id", self._named())

    @property
    def owner(self) -> PassageOwner:
        """Say whose it is."""
        return PassageOwner(self.tenant_id, self.agent_id, self.user_id)

    @property
    def place(self) -> tuple[int, datetime, str, int]:
        """Say where in its session it stands."""
        return (self.number, self.at, self.message, self.part)

    def _named(self) -> PassageId:
        owner = (self.tenant_id, self.agent_id, self.user_id)
        return PassageId("psg_" + _digest([*owner, self.session_id, self.kind, self.message, self.part]))


def message_name(said: Said, *, repeated: int = 0) -> str:
    """Name a message in its session: its own id, or one made of what was said when by whom.

    `repeated` tells apart messages of one request that are the same in all three.
    """
    if said.id:
        return said.id
    return "said-" + _digest([said.speaker, said.at.timestamp(), said.text, repeated])


def fact_name(text: str, sources: Sequence[str]) -> str:
    """Name a fact in its session: the same fact of the same messages is the same one."""
    return "fact-" + _digest([text, *sources])


def _digest(parts: Sequence[object]) -> str:
    """Name a list of values: other values, another name. 16 digits of base 62 from their SHA-256."""
    number = int.from_bytes(hashlib.sha256(msgspec.json.encode(parts)).digest()[:16], "big")
    pairs: list[str] = []
    for _ in range(8):
        number, pair = divmod(number, 62 * 62)
        pairs.append(_PAIRS[pair])
    return "".join(pairs)


class Vector(msgspec.Struct, frozen=True, kw_only=True):
    """Where an embedder puts a text: `model` names the embedder, `data` is float16, little-endian, of length 1.

    The number of its dimensions is `size`. Made by `wellkept.rules.recall.vectors`, which checks.
    """

    model: str
    data: bytes

    @property
    def size(self) -> int:
        """Count its dimensions."""
        return len(self.data) // 2


class NewPassage(msgspec.Struct, frozen=True, kw_only=True):
    """A passage to store, with what searching derives from its text.

    `entry`: its terms as `wellkept.rules.recall` spells them, opaque to a
    store; empty, or of another version, the text is analysed anew. `vector`
    None: it is embedded later.
    """

    passage: Passage
    entry: bytes = b""
    vector: Vector | None = None


class StoredPassage(msgspec.Struct, frozen=True, kw_only=True):
    """A passage as a store gives it to an index.

    `revision`: the change of its owner's passages that last wrote it or its
    vector. `vector`: that of the model asked for, if there is one.
    """

    passage: Passage
    revision: int
    entry: bytes = b""
    vector: Vector | None = None


class PassageStamp(msgspec.Struct, frozen=True):
    """How far an owner's passages have come: equal stamps, equal passages and vectors.

    `revision` is that of the last change; `removals` that of the last one that
    took a passage away or replaced its text. (0, 0): there are none.
    """

    revision: int = 0
    removals: int = 0


class PassagesPut(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What storing messages came to, in passages."""

    stored: int = 0
    """New ones."""
    replaced: int = 0
    """Those that changed."""
    unchanged: int = 0
    removed: int = 0
    """Those of the same messages that were not given any more."""

    def plus(self, other: "PassagesPut") -> "PassagesPut":
        """Count both."""
        return PassagesPut(
            stored=self.stored + other.stored,
            replaced=self.replaced + other.replaced,
            unchanged=self.unchanged + other.unchanged,
            removed=self.removed + other.removed,
        )


class PassageCounts(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How many passages there are, of how many users and sessions, and how many of them have a vector of each model."""

    passages: int = 0
    users: int = 0
    sessions: int = 0
    vectors: Mapping[str, int] = msgspec.field(default_factory=dict[str, int])


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which passages of an agent: all, or those of a user, of a session of that user, or some by id. All hold together.

    `ids` may be empty, which selects none.
    """

    tenant: TenantId
    agent: AgentId
    user: UserId | None = None
    session: SessionId | None = None
    ids: tuple[PassageId, ...] | None = None
