"""What the model saw: the rendered memory part of a prompt, and its receipt."""

from typing import Literal

import msgspec

PieceKind = Literal["block", "memory", "passage"]
LeftOutReason = Literal["budget", "withheld", "unavailable"]


class Piece(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One piece that went into the prompt, named by its id (a block by `scope/KEY`); never its text."""

    kind: PieceKind
    id: str
    words: int
    chars: int
    etag: str = ""
    cut: bool = False
    """True when only its beginning fitted."""
    template: bool = False
    """True when a block was empty and its template was shown."""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One piece that did not go in, and why."""

    kind: PieceKind
    id: str
    reason: LeftOutReason


class Receipt(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What went into the prompt, in order; what did not; and how much room it took.

    `hash` is the SHA-256 of the whole rendered text, in hexadecimal. `words`
    counts runs of non-space, `chars` code points, both of the stored texts as rendered.
    """

    pieces: tuple[Piece, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    words: int = 0
    chars: int = 0
    hash: str = ""
    degraded: tuple[str, ...] = ()


class Context(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The memory part of a prompt for one turn; "" when there is nothing to say."""

    text: str
    receipt: Receipt
