"""What the cache holds under a block's key: a copy of the block, or a fence. Decisions only; nothing here waits.

A `Copy` is shown to readers while it is fresh. A `Fence` holds no text: as long
as writers stand in it, the block may be changing, and nobody may put a copy in
its place; without writers it is just a place to put one. Every envelope has a
`mark` that no other has, so that a compare-and-set on an envelope tells whether
*anything* happened since it was seen, also if the same text came back.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import msgspec

from wellkept.model.blocks import Block
from wellkept.model.keys import BlockKey
from wellkept.model.text import etag_of

_HEAD: Final = "wellkept cache "
_VERSION: Final = f"{_HEAD}1\n"

FENCE_LIFE: Final = timedelta(seconds=60)
"""How long a writer keeps a block closed that was killed before it could open it again.

A write that takes longer than this is not guarded to its end: see `docs/why/consistency.md`.
"""


class Copy(msgspec.Struct, frozen=True, kw_only=True, tag="copy"):
    """What the durable store held at some time after `as_of`; `text` None: nothing. `etag` is its version."""

    mark: str
    as_of: datetime
    etag: str | None
    text: str | None
    updated_at: datetime | None

    def block(self, key: BlockKey) -> Block | None:
        """Give the block; None: there is none."""
        if self.text is None or self.updated_at is None:
            return None
        return Block(key=key, text=self.text, updated_at=self.updated_at)


class Fence(msgspec.Struct, frozen=True, kw_only=True, tag="fence"):
    """No copy. `writers` are those who may be changing the block, and since when."""

    mark: str
    writers: Mapping[str, datetime] = {}

    def alive(self, now: datetime) -> dict[str, datetime]:
        """Give the writers whose time is not over."""
        return {writer: since for writer, since in self.writers.items() if near(since, now, FENCE_LIFE)}


class Damaged(msgspec.Struct, frozen=True):
    """Was an envelope, or is one of another version: it is never shown, and may be replaced."""


class Foreign(msgspec.Struct, frozen=True):
    """Something else that lies in the cache, maybe somebody's own block: it is never shown, and left alone."""


Envelope = Copy | Fence | Damaged | Foreign

_decoder: Final = msgspec.json.Decoder(Copy | Fence)


def near(then: datetime, now: datetime, span: timedelta) -> bool:
    """Say whether two instants are less than `span` apart.

    In both directions: after the clock was set back, an envelope from the future does not stay for ever.
    """
    return abs(now - then) < span


def seal(envelope: Copy | Fence) -> str:
    """Write an envelope as the text of a block."""
    return _VERSION + msgspec.json.encode(envelope).decode()


def unseal(text: str) -> Envelope:
    """Read an envelope. What does not hold the text that its etag names is damaged."""
    if not text.startswith(_HEAD):
        return Foreign()
    if not text.startswith(_VERSION):
        return Damaged()
    try:
        found = _decoder.decode(text.removeprefix(_VERSION))
    except msgspec.DecodeError:
        return Damaged()
    if isinstance(found, Copy):
        whole = (found.text is None) == (found.updated_at is None)
        if not whole or found.etag != (None if found.text is None else etag_of(found.text)):
            return Damaged()
    return found


def copy_of(block: Block | None, *, mark: str, as_of: datetime) -> str:
    """Seal a copy of what the durable store answered; `as_of` was before it was asked."""
    return seal(
        Copy(
            mark=mark,
            as_of=as_of,
            etag=block.etag if block else None,
            text=block.text if block else None,
            updated_at=block.updated_at if block else None,
        )
    )


def fenced(stored: Block | None, *, writer: str, mark: str, now: datetime) -> str:
    """Close the block: take any copy away, and let `writer` stand in the fence beside the others."""
    return _fence(stored, mark=mark, now=now, add={writer: now})


def opened(stored: Block | None, *, writer: str | None, mark: str, now: datetime) -> str:
    """Let `writer` leave the fence. No copy stays, and whoever saw the cache before can put none there."""
    return _fence(stored, mark=mark, now=now, leave=writer)


def settled(stored: Block | None, *, fence: str, copy: str, writer: str, mark: str, now: datetime) -> str:
    """Put a writer's copy in the place of its fence if nobody else was there in the meantime; else let it leave."""
    alone = isinstance(before := unseal(fence), Fence) and set(before.writers) == {writer}
    if alone and stored is not None and stored.text == fence:
        return copy
    return opened(stored, writer=writer, mark=mark, now=now)


def _fence(
    stored: Block | None, *, mark: str, now: datetime, add: Mapping[str, datetime] = {}, leave: str | None = None
) -> str:
    found = unseal(stored.text) if stored else Damaged()
    if stored is not None and isinstance(found, Foreign):
        return stored.text
    writers = found.alive(now) if isinstance(found, Fence) else {}
    left = {writer: since for writer, since in writers.items() if writer != leave}
    return seal(Fence(mark=mark, writers={**left, **add}))
