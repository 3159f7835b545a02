"""Random histories: every store tells the in-process one's story, and that one the story of plain dictionaries."""

from pathlib import Path
from tempfile import mkdtemp
from typing import ClassVar

import pytest

from store_places import placed
from wellkept.compose.stores import open_store
from wellkept.contract.block_store import BlockStore
from wellkept.model.blocks import Block, BlockEdited, Change
from wellkept.stores.inproc import InprocStore
from wellkept.testing.histories import (
    HISTORIES,
    AuditHistory,
    BlockHistory,
    DirectoryHistory,
    MemoryHistory,
    PassageHistory,
    ReviewHistory,
    SessionHistory,
    Twins,
    play,
)
from wellkept.testing.histories.plain import PlainBlocks, PlainMemories

STEPS = 250
"""Few, for every day. `scripts/histories` plays more."""

PLAIN = {BlockHistory: PlainBlocks, MemoryHistory: PlainMemories}


class Stories:
    """One kind of history, on every store that keeps what it is about."""

    history: ClassVar[type[Twins]]

    @classmethod
    def runs_on(cls, kind: type[BlockStore]) -> bool:
        return cls.history.runs_on(kind) and (kind is not InprocStore or cls.history in PLAIN)

    def test_both_tell_the_same(self, opened_by: str, tmp_path: Path) -> None:
        async def plain() -> PlainBlocks | PlainMemories:
            return PLAIN[self.history]()

        async def inproc() -> InprocStore:
            return InprocStore()

        async def store() -> object:
            return await open_store(placed(opened_by, mkdtemp(dir=tmp_path)))

        assert play(self.history, plain if opened_by == "inproc://" else inproc, store, steps=STEPS) >= STEPS


class TestBlocks(Stories):
    history = BlockHistory


class TestMemories(Stories):
    history = MemoryHistory


class TestDirectory(Stories):
    history = DirectoryHistory


class TestSessions(Stories):
    history = SessionHistory


class TestReview(Stories):
    history = ReviewHistory


class TestPassages(Stories):
    history = PassageHistory


class TestAudit(Stories):
    history = AuditHistory


def test_no_history_is_left_out() -> None:
    assert {kind.history for kind in Stories.__subclasses__()} == set(HISTORIES)


class Forgetful(InprocStore):
    """Forgets every block that is called K."""

    async def put(self, block: Block, *, expect: object, change: Change) -> BlockEdited:
        edited = await super().put(block, expect=expect, change=change)
        if block.key.key == "K":
            await self.delete(block.key, change=change)
        return edited


def test_a_difference_is_found() -> None:
    async def inproc() -> InprocStore:
        return InprocStore()

    async def forgetful() -> InprocStore:
        return Forgetful()

    with pytest.raises(AssertionError, match="is not"):
        play(BlockHistory, inproc, forgetful, steps=STEPS, shortest=False)
