"""What writers said that they would write and had written, and whether a store agrees."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from wellkept.contract.block_store import BlockStore
from wellkept.contract.capability import Capability
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.ids import MemoryId
from wellkept.model.keys import BlockKey
from wellkept.model.memories import Memory, Pool
from wellkept.rules.entries import entries
from wellkept.testing.samples import a_key, a_memory, a_pool

POOL: Final[Pool] = a_pool()
CAP: Final = 500
_LONG, _SHORT = "x" * 20_000, "y" * 40

Work = Literal["put", "drop", "add", "create", "update", "delete"]


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A write that is about to be made or, when `done`, was acknowledged. `number` tells it from all others."""

    work: Work
    round: int
    number: int
    task: int
    memory: MemoryId = MemoryId("")
    done: bool = False
    found: bool = True
    evicted: tuple[MemoryId, ...] = ()

    @property
    def text(self) -> str:
        """Give what is written: told from what others write, and long where a half could be left."""
        long = _LONG if self.work == "put" else _SHORT
        return f"{self.memory} {self.round}.{self.number} {long} {self.round}.{self.number}".strip()


def own_key(task: int) -> BlockKey:
    """Name the block that one task alone writes."""
    return a_key(f"OWN{task}")


def log_key(round: int) -> BlockKey:
    """Name the block to which all tasks of a round add entries."""
    return a_key(f"LOG{round}", owner="all")


def new_memory(number: int, text: str = "") -> Memory:
    """Make the memory of this number, newer than those of lower ones."""
    return a_memory(number, text or None)


class Books:
    """What a store must hold after all that was said."""

    def __init__(self, *, memories: bool) -> None:
        self.memories = memories
        self.own: dict[int, str | None] = {}
        self.rows: dict[MemoryId, str] = {}
        self.acknowledged = self.pending = self.pending_found = self.evicted = 0

    async def compare(self, store: BlockStore, said: Sequence[Said], *, round: int) -> list[str]:
        """Say what the store does not hold as was said; what it holds is where the next round begins."""
        done = [one for one in said if one.done]
        finished = {one.number for one in done}
        pending = [one for one in said if one.number not in finished]
        self.acknowledged += len(done)
        self.pending += len(pending)
        self.evicted += sum(len(one.evicted) for one in done)
        wrong = await self._own_blocks(store, done, pending)
        wrong += await self._log(store, done, pending, round)
        if self.memories:
            assert isinstance(store, MemoryStore)
            wrong += await self._pool(store, done, pending)
        return wrong

    async def _own_blocks(self, store: BlockStore, done: Iterable[Said], pending: Iterable[Said]) -> list[str]:
        wrong: list[str] = []
        self.own.update({one.task: _block(one) for one in done if one.work in ("put", "drop")})
        maybe = {one.task: _block(one) for one in pending if one.work in ("put", "drop")}
        for task in {*self.own, *maybe}:
            block = await store.get(own_key(task))
            text = block.text if block else None
            if task in maybe and text == maybe[task] != self.own.get(task):
                self.pending_found += 1
            elif text != self.own.get(task):
                wrong.append(f"block OWN{task}: {_told(text)} instead of {_told(self.own.get(task))}")
            self.own[task] = text
        return wrong

    async def _log(self, store: BlockStore, done: Iterable[Said], pending: Iterable[Said], round: int) -> list[str]:
        block = await store.get(log_key(round))
        there = Counter(entries(block.text) if block else [])
        must = {one.text for one in done if one.work == "add"}
        may = {one.text for one in pending if one.work == "add"}
        self.pending_found += len(may & there.keys())
        wrong = [f"entry lost: {_told(text)}" for text in must - there.keys()]
        wrong += [f"entry nobody wrote: {_told(text)}" for text in there.keys() - must - may]
        wrong += [f"entry there {times} times: {_told(text)}" for text, times in there.items() if times > 1]
        if Capability.HISTORY in store.capabilities:
            revisions = await store.revisions(log_key(round), limit=1_000_000)
            if len(revisions) != there.total() or (block and revisions[0].text != block.text):
                wrong.append(f"{len(revisions)} revisions of a block with {there.total()} entries")
        return wrong

    async def _pool(self, store: MemoryStore, done: Iterable[Said], pending: Iterable[Said]) -> list[str]:
        must = dict(self.rows)
        must.update({one.memory: one.text for one in done if one.work in ("create", "update") and one.found})
        for one in done:
            gone = (one.memory,) if one.work == "delete" or not one.found else one.evicted
            for memory in gone:
                must.pop(memory, None)
        new = {one.memory: one.text for one in pending if one.work == "create"}
        texts = {one.memory: one.text for one in pending if one.work == "update"}
        leaving = {one.memory for one in pending if one.work == "delete"}
        rows = {row.id: row.text for row in await store.rows(POOL, partitions=None, limit=10 * CAP)}
        created = new.keys() & rows.keys()
        missing = must.keys() - rows.keys() - leaving
        self.pending_found += len(created) + len(leaving - rows.keys())
        self.pending_found += sum(rows.get(memory) == text for memory, text in texts.items())
        wrong = [f"row nobody made: {memory}" for memory in rows.keys() - must.keys() - new.keys()]
        wrong += [
            f"row {memory}: {_told(text)}"
            for memory, text in rows.items()
            if text not in (must.get(memory), new.get(memory), texts.get(memory))
        ]
        # Each create under way may have taken one row out, and only if it took its place.
        if len(missing) > len(created):
            wrong.append(f"{len(missing)} rows lost, with {len(created)} new ones in their place")
        least = min(CAP, len(must) + len(created)) - len(leaving)
        if not least <= len(rows) <= CAP or await store.count(POOL) != len(rows):
            wrong.append(f"{len(rows)} rows in the pool, {await store.count(POOL)} counted, at least {least} expected")
        self.rows = rows
        return wrong


def _block(said: Said) -> str | None:
    return None if said.work == "drop" else said.text


def _told(text: str | None) -> str:
    return "nothing" if text is None else repr(text[:32])
