"""Blocks, what an agent declares about them, and their history."""

from datetime import datetime
from typing import Final, Literal

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import SessionId, block_name
from wellkept.model.keys import BlockKey, Scope, checked_scope
from wellkept.model.text import checked_text, etag_of

DEFAULT_CHAR_LIMIT: Final = 10_000
"""Code points a block may have unless its agent says otherwise."""

MAX_CHAR_LIMIT: Final = 1_000_000
"""The largest limit an agent may declare, in code points."""

WritePolicy = Literal["open", "review", "closed"]
MissingUser = Literal["withhold", "anonymous", "session"]
ActorKind = Literal["user_turn", "agent", "admin", "import"]


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A short named Markdown text that stands in the prompt every turn.

    Raises:
        InvalidInput: The text holds NUL or a lone surrogate.
    """

    key: BlockKey
    text: str
    updated_at: datetime

    def __post_init__(self) -> None:
        checked_text(self.text, param="text")

    @property
    def etag(self) -> str:
        """Name this text: equal texts, equal etags."""
        return etag_of(self.text)


class BlockSpec(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel", forbid_unknown_fields=True):
    """A block that an agent declares: `BlockSpec("user", "USER", template="- name:")`.

    `template` is shown while the block is empty. `char_limit` is in code
    points; None takes the working memory's default. `description` tells the
    model what belongs here. `write` None: `open` for user and shared blocks;
    agent blocks are `open` in turns without a user and `review` in turns with one.

    Raises:
        InvalidInput: A part is not valid, or the template is longer than the limit.
    """

    scope: Scope
    key: str
    template: str = ""
    char_limit: int | None = None
    description: str = ""
    write: WritePolicy | None = None

    def __post_init__(self) -> None:
        checked_scope(self.scope)
        block_name(self.key)
        checked_text(self.template, param="template")
        checked_text(self.description, param="description")
        if len(self.description) > 1_000:
            raise InvalidInput(param="description", problem="must have at most 1000 characters")
        if self.char_limit is not None:
            checked_char_limit(self.char_limit)
        if len(self.template) > (self.char_limit or MAX_CHAR_LIMIT):
            raise InvalidInput(param="template", problem="is longer than the block's limit")
        if self.write not in (None, "open", "review", "closed"):
            raise InvalidInput(param="write", problem="must be open, review or closed")


def checked_char_limit(value: int, *, param: str = "charLimit") -> int:
    """Return `value` if a block may have that limit.

    Raises:
        InvalidInput: It is not from 1 to `MAX_CHAR_LIMIT`.
    """
    if not 1 <= value <= MAX_CHAR_LIMIT:
        raise InvalidInput(param=param, problem=f"must be from 1 to {MAX_CHAR_LIMIT}")
    return value


class WorkingMemorySpec(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Which blocks an agent's prompt shows, and what happens without a user.

    Raises:
        InvalidInput: Two declared blocks have the same key (the tool names
            blocks by key alone), or a limit is out of range.
    """

    auto_load: tuple[BlockSpec, ...] = (BlockSpec("user", "USER"), BlockSpec("agent", "MEMORY"))
    default_char_limit: int = DEFAULT_CHAR_LIMIT
    scan_for_injection: bool = True
    on_missing_user: MissingUser = "withhold"

    def __post_init__(self) -> None:
        checked_char_limit(self.default_char_limit, param="defaultCharLimit")
        if self.on_missing_user not in ("withhold", "anonymous", "session"):
            raise InvalidInput(param="onMissingUser", problem="must be withhold, anonymous or session")
        if len(self.auto_load) > 50:
            raise InvalidInput(param="autoLoad", problem="must declare at most 50 blocks")
        keys = [spec.key for spec in self.auto_load]
        for key in keys:
            if keys.count(key) > 1:
                raise InvalidInput(
                    param="autoLoad", problem=f"declares the key {key} twice; keys must differ, in other scopes too"
                )

    def limit_of(self, spec: BlockSpec) -> int:
        """Give the code points that a declared block may have."""
        return spec.char_limit or self.default_char_limit


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Who changes something, and when: what a revision remembers."""

    actor: ActorKind
    at: datetime
    session: SessionId | None = None


class BlockRevision(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a block. `number` counts from 1 in each block; `text` None means that it was deleted."""

    key: BlockKey
    number: int
    text: str | None
    actor: ActorKind
    at: datetime
    session: SessionId | None
    etag_before: str | None
    etag_after: str | None


class BlockEdited(msgspec.Struct, frozen=True, kw_only=True):
    """What an edit of a block came to. `etag_before` None: there was none stored."""

    block: Block
    changed: bool
    etag_before: str | None
