"""The memory part of a turn's prompt, and its receipt, from what was loaded."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from wellkept.model.blocks import Block
from wellkept.model.ids import GENERAL
from wellkept.model.memories import Memory
from wellkept.model.passages import Passage
from wellkept.model.recall import Recalled, RecallSettings
from wellkept.model.receipts import Context, LeftOut, Piece, Receipt
from wellkept.model.text import etag_of
from wellkept.rules.budget import Fitted, count_words, fit, fit_all
from wellkept.rules.directive import directive
from wellkept.rules.edit import is_empty
from wellkept.rules.render import ShownBlock, ShownMemory, ShownPassage, render
from wellkept.services.preload import preloaded
from wellkept.services.turn_scope import PlacedBlock, TurnScope

NOTHING: Final = Recalled()
"""What is recalled when nothing is."""


def compose(
    scope: TurnScope, blocks: Sequence[Block | None], memories: Sequence[Memory], recalled: Recalled = NOTHING
) -> Context:
    """Render a turn's blocks (in the order of `scope.placed`), memories (newest first) and what was recalled.

    The same, the same bytes.
    """
    shown_blocks = [_shown(placed, block) for placed, block in zip(scope.placed, blocks, strict=True)]
    settings = scope.agent.config.memories
    fitted = fit_all(
        (memory.text for memory in memories), words=settings.injection_words, chars=settings.injection_chars
    )
    shown_memories = [
        ShownMemory(
            id=memory.id,
            text=part.text,
            created_at=memory.created_at,
            general=memory.user_id == GENERAL,
            cut=part.cut,
        )
        for memory, part in zip(memories, fitted, strict=False)
    ]
    preload = preloaded(recalled.data, scope.agent.config.recall or RecallSettings())
    text = render(shown_blocks, shown_memories, preload.shown, directive=_directive(scope))
    etags = [etag_of(block.text) if block else "" for block in blocks]
    pieces = [
        *(_block_piece(shown, etag) for shown, etag in zip(shown_blocks, etags, strict=True)),
        *(_memory_piece(part, memory) for memory, part in zip(memories, fitted, strict=False)),
        *(_passage_piece(shown, passage) for shown, passage in zip(preload.shown, preload.found, strict=True)),
    ]
    left_out = [
        *(LeftOut(kind="block", id=f"{spec.scope}/{spec.key}", reason="withheld") for spec in scope.withheld),
        *(LeftOut(kind="memory", id=memory.id, reason="budget") for memory in memories[len(fitted) :]),
        *(LeftOut(kind="passage", id=passage.id, reason="budget") for passage in preload.left_out),
    ]
    receipt = Receipt(
        pieces=tuple(pieces),
        left_out=tuple(left_out),
        words=sum(piece.words for piece in pieces),
        chars=sum(piece.chars for piece in pieces),
        hash=sha256(text.encode()).hexdigest(),
        degraded=recalled.degraded,
    )
    return Context(text=text, receipt=receipt)


def _directive(scope: TurnScope) -> str:
    writable = any(placed.policy != "closed" for placed in scope.placed)
    return directive(writable=writable, memory_tools=scope.agent.config.memory_tools)


def _shown(placed: PlacedBlock, block: Block | None) -> ShownBlock:
    stored = "" if block is None or is_empty(block.text) else block.text
    template = "" if is_empty(placed.spec.template) else placed.spec.template
    part = fit(stored or template, chars=placed.limit)
    return ShownBlock(
        scope=placed.spec.scope,
        key=placed.spec.key,
        text=part.text if part else "",
        template=not stored and bool(template),
        cut=part.cut if part else False,
    )


def _block_piece(shown: ShownBlock, etag: str) -> Piece:
    return Piece(
        kind="block",
        id=shown.id,
        words=count_words(shown.text),
        chars=len(shown.text),
        etag=etag,
        cut=shown.cut,
        template=shown.template,
    )


def _memory_piece(part: Fitted, memory: Memory) -> Piece:
    return Piece(kind="memory", id=memory.id, words=part.words, chars=len(part.text), etag=memory.etag, cut=part.cut)


def _passage_piece(shown: ShownPassage, passage: Passage) -> Piece:
    return Piece(
        kind="passage",
        id=passage.id,
        words=count_words(shown.text),
        chars=len(shown.text),
        etag=etag_of(passage.text),
        cut=shown.cut,
    )
