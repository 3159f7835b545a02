"""Blocks on the wire."""

from datetime import datetime

import msgspec

from wellkept.model.blocks import DEFAULT_CHAR_LIMIT, ActorKind, Block, BlockRevision
from wellkept.model.edits import Add, Remove, Replace, Write
from wellkept.model.keys import Scope
from wellkept.wire.fields import CharLimit, Cursor, Id, Number, NumberOrStart, PageLimit


class BlockQuery(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Whose block."""

    owner: Id


class BlocksQuery(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Whose blocks, and of which kind."""

    scope: Scope
    owner: Id


class BlockPut(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """The whole text. `limit` in code points."""

    text: str
    limit: CharLimit = DEFAULT_CHAR_LIMIT


class BlockPatch(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """An edit: `{"action": "add", "content": …}`, `replace`, `remove` or `write`. `limit` in code points."""

    edit: Add | Replace | Remove | Write
    limit: CharLimit = DEFAULT_CHAR_LIMIT


class BlockAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One block. `chars` counts code points."""

    scope: Scope
    owner: str
    key: str
    text: str
    etag: str
    chars: int
    updated_at: datetime

    @classmethod
    def of(cls, block: Block) -> "BlockAnswer":
        """Say a block on the wire."""
        return cls(
            scope=block.key.scope,
            owner=block.key.owner,
            key=block.key.key,
            text=block.text,
            etag=block.etag,
            chars=len(block.text),
            updated_at=block.updated_at,
        )


class BlockEditedAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A block after a write; `changed` False: it was like that already."""

    block: BlockAnswer
    changed: bool


class BlocksAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """All blocks of one owner, by key. There is never a next page."""

    data: tuple[BlockAnswer, ...]
    next_cursor: None = None


class RevisionsQuery(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Whose block, and which page of its history."""

    owner: Id
    cursor: Cursor | None = None
    limit: PageLimit = 50


class RevisionAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One change of a block; `text` null: it was deleted."""

    number: int
    text: str | None
    actor: ActorKind
    at: datetime
    session_id: str | None
    etag_before: str | None
    etag_after: str | None

    @classmethod
    def of(cls, revision: BlockRevision) -> "RevisionAnswer":
        """Say a revision on the wire."""
        return cls(
            number=revision.number,
            text=revision.text,
            actor=revision.actor,
            at=revision.at,
            session_id=revision.session,
            etag_before=revision.etag_before,
            etag_after=revision.etag_after,
        )


class RevisionsPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Revisions, newest first."""

    data: tuple[RevisionAnswer, ...]
    next_cursor: str | None = None


class DiffQuery(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Whose block, and between which revisions; `old` 0 is the time before the first."""

    owner: Id
    old: NumberOrStart
    new: Number


class DiffAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A unified diff."""

    diff: str


class RestoreBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which revision's text shall be the block's again."""

    number: Number
