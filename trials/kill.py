"""SIGKILL in the middle of mixed writes: what was acknowledged is there, and all else is whole or absent.

Each round forks a process that opens the store and writes in several tasks at once: whole blocks, entries of a block
that all tasks share, memories into a full pool, new texts of memories, deletions. Before a write it says what it is
about to do, after the acknowledgement that it is done. It is killed after a few milliseconds; then the store is opened,
and every block, row and revision is compared with what was said.
"""

import asyncio
import os
import random
import select
import time
from collections.abc import Sequence

import msgspec

from trials.books import CAP, POOL, Books, Said, Work, log_key, new_memory, own_key
from trials.forks import Fork
from trials.places import Place, keeps_memories
from trials.report import Report
from wellkept.contract.block_store import ANY, BlockStore
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.blocks import Block
from wellkept.model.edits import Add
from wellkept.model.errors import NotFound
from wellkept.model.ids import MemoryId
from wellkept.model.memories import PoolRules
from wellkept.rules.edit import apply
from wellkept.testing.samples import a_block, a_change, a_key, at

TASKS = 4
LONGEST = 0.08
"""Seconds that a process writes, at most."""
PATIENCE = 30.0
SERVER_EVERY = 25
"""After so many kills the server is killed, too."""
CHECK_EVERY = 20
"""After so many kills the store looks at itself, page by page."""
_BLOCK_WORKS: Sequence[Work] = ("put", "add", "drop")
_MEMORY_WORKS: Sequence[Work] = ("create", "update", "delete")


def run(place: Place, *, count: int, seconds: float) -> Report:
    """Kill `count` writers, one after the other."""
    chance = random.Random(count)
    books = Books(memories=keeps_memories(place.name))
    asyncio.run(_fill(place, books))
    wrong: list[str] = []
    servers, began = 0, time.monotonic()
    for number in range(1, count + 1):
        said = _killed(place, books, number, chance)
        if place.server and number % SERVER_EVERY == 0:
            place.server.kill()
            place.server.start()
            servers += 1
        wrong += [f"kill {number}: {line}" for line in asyncio.run(_differences(place, books, number, said))]
    took = time.monotonic() - began
    return Report(
        trial="kill",
        store=place.name,
        figures={
            "writers killed": count,
            "servers killed": servers,
            "writes acknowledged": books.acknowledged,
            "writes under way when killed": books.pending,
            "of these found, whole": books.pending_found,
            "memories evicted": books.evicted,
            "milliseconds a kill, with its checks": round(1_000 * took / count, 1),
        },
        wrong=wrong,
    )


async def _fill(place: Place, books: Books) -> None:
    """Begin with a full pool."""
    if not books.memories:
        return
    store = await place.open_memories()
    for number in range(CAP):
        memory = new_memory(number)
        await store.create(memory, rules=PoolRules(cap=CAP))
        books.rows[memory.id] = memory.text
    await store.close()


def _killed(place: Place, books: Books, number: int, chance: random.Random) -> list[Said]:
    """Let a process write, kill it, and give what it said."""
    seed, moment = chance.random(), chance.uniform(0.0, LONGEST)
    writer = Fork(lambda pipe: asyncio.run(_Writer(pipe, books, number, seed).write(place)))
    told = bytearray()
    until, begun = time.monotonic() + PATIENCE, False
    while (left := until - time.monotonic()) > 0 and select.select([writer.pipe], [], [], left)[0]:
        piece = os.read(writer.pipe, 1 << 16)
        if not piece:
            raise RuntimeError("the writer ended by itself; its trace is above")
        told += piece
        if not begun:
            until, begun = time.monotonic() + moment, True
    writer.kill()
    told += writer.read()
    return [msgspec.json.decode(line, type=Said) for line in bytes(told).splitlines()]


class _Writer:
    """The process that is killed."""

    def __init__(self, pipe: int, books: Books, round: int, seed: float) -> None:
        self._pipe = pipe
        self._known = sorted(books.rows)
        self._round = round
        self._chance = random.Random(seed)
        self._numbers = iter(range(10**9))
        self._ages = iter(range(round * 100_000, (round + 1) * 100_000))

    async def write(self, place: Place) -> None:
        """Write until killed."""
        store = await place.open()
        await asyncio.gather(*(self._task(store, task) for task in range(TASKS)))

    async def _task(self, store: BlockStore, task: int) -> None:
        known = self._known[task::TASKS]
        while True:
            if isinstance(store, MemoryStore) and self._chance.random() < 0.6:
                await self._memory(store, task, known)
            else:
                await self._block(store, task)

    def _begin(self, said: Said) -> Said:
        # Shorter than PIPE_BUF: it is in the pipe as a whole, or not at all.
        os.write(self._pipe, msgspec.json.encode(said) + b"\n")
        return said

    def _done(self, said: Said, *, found: bool = True, evicted: tuple[MemoryId, ...] = ()) -> None:
        self._begin(msgspec.structs.replace(said, done=True, found=found, evicted=evicted))

    async def _block(self, store: BlockStore, task: int) -> None:
        work = self._chance.choices(_BLOCK_WORKS, (3, 3, 1))[0]
        said = self._begin(Said(work=work, round=self._round, number=next(self._numbers), task=task))
        match work:
            case "put":
                block = Block(key=own_key(task), text=said.text, updated_at=at())
                await store.put(block, expect=ANY, change=a_change())
            case "add":
                await store.edit(log_key(self._round), lambda block: _added(block, said.text), change=a_change())
            case _:
                await store.delete(own_key(task), change=a_change())
        self._done(said)

    async def _memory(self, store: MemoryStore, task: int, known: list[MemoryId]) -> None:
        work = self._chance.choices(_MEMORY_WORKS, (3, 2, 1))[0] if known else "create"
        age = next(self._ages)
        memory = new_memory(age).id if work == "create" else self._chance.choice(known)
        said = self._begin(Said(work=work, round=self._round, number=next(self._numbers), task=task, memory=memory))
        match work:
            case "create":
                created = await store.create(new_memory(age, said.text), rules=PoolRules(cap=CAP))
                known.append(memory)
                self._done(said, evicted=created.evicted)
            case "update":
                try:
                    await store.update(POOL, memory, partitions=None, at=at(age), text=said.text)
                    self._done(said)
                except NotFound:
                    self._done(said, found=False)  # it was evicted
            case _:
                await store.delete_memory(POOL, memory, partitions=None)
                known.remove(memory)
                self._done(said)


def _added(block: Block | None, entry: str) -> str:
    return apply(Add(entry), block.text if block else "", limit=10**9)


async def _differences(place: Place, books: Books, number: int, said: list[Said]) -> list[str]:
    """Open the store as the next one does, write, and say what is not as it was said to be."""
    store = await place.open()
    try:
        wrong = await books.compare(store, said, round=number)
        probe = a_block(f"after kill {number}", key=a_key("PROBE"))
        await store.put(probe, expect=ANY, change=a_change())
        if (found := await store.get(probe.key)) is None or found.text != probe.text:
            wrong.append("the next write is not there")
        if number % CHECK_EVERY == 0:
            wrong += [f"check: {line}" for line in await store.check() if "cut short" not in line]
        return wrong
    finally:
        await store.close()
