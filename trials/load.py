"""Callers that go on while their store fails and heals, and remember what they were told.

A write that was acknowledged is there. One that failed, or whose caller lost patience, may be there or not, but once at
most. A read gives what may be there, and nothing else. Every failure is one that says so (`StoreFailed`).
"""

import asyncio
import random
import time
from collections import Counter

from trials.books import POOL
from wellkept.contract.block_store import BlockStore
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.blocks import Block
from wellkept.model.directory import Once
from wellkept.model.edits import Add
from wellkept.model.errors import Conflict, StoreFailed, WellkeptError
from wellkept.model.keys import BlockKey
from wellkept.model.memories import PoolRules
from wellkept.rules.edit import apply
from wellkept.rules.entries import entries
from wellkept.testing.samples import a_change, a_key, a_memory, at

WORKERS = 8
ROOM = PoolRules(cap=100_000)
HEALED_WITHIN = 5.0
_PAUSE = 0.004
_LOG = a_key("LOG", owner="all")
_EACH_LOG = 200


class Load:
    """The callers of one store."""

    def __init__(self, store: BlockStore) -> None:
        self.workers = [_Worker(store, number) for number in range(WORKERS)]
        self._stop = asyncio.Event()

    async def __aenter__(self) -> "Load":
        self._tasks = [asyncio.create_task(worker.work(self._stop)) for worker in self.workers]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stop.set()
        await asyncio.gather(*self._tasks)

    async def healed(self, since: float) -> float:
        """Wait until every worker has done something that it began after `since`; give the seconds until all had.

        Failures after that instant count, too: it is healed when the last of them is over.
        """
        # Looking costs less than a bell that eight workers ring at every success.
        while any(worker.succeeded < since for worker in self.workers) and time.monotonic() < since + 60:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        first = max(worker.first_success_after(since) for worker in self.workers)
        return max(first, *(worker.failed for worker in self.workers)) - since

    def total(self, what: str) -> int:
        """Count what happened, over all workers."""
        return sum(worker.counts[what] for worker in self.workers)

    def wrong(self) -> list[str]:
        """Give what was wrong while it ran."""
        return [line for worker in self.workers for line in worker.wrong]

    async def differences(self, store: BlockStore) -> list[str]:
        """Say what the store does not hold as it was said to be, when all is over."""
        there: Counter[str] = Counter()
        for block in await store.blocks(_LOG.tenant, _LOG.scope, _LOG.owner):
            there.update(entries(block.text))
        wrong = [f"an entry is there {times} times" for times in there.values() if times > 1]
        wrong += [f"entry lost: {entry}" for worker in self.workers for entry in worker.added - there.keys()]
        known = {entry for worker in self.workers for entry in worker.added | worker.maybe_added}
        wrong += [f"entry nobody added: {entry}" for entry in there.keys() - known]
        for worker in self.workers:
            own = await store.get(worker.key)
            if (own.text if own else None) not in worker.possible:
                wrong.append(f"{worker.key.key} holds what its last writer did not write")
        if isinstance(store, MemoryStore):
            rows = Counter(row.text for row in await store.rows(POOL, partitions=None, limit=1_000_000))
            wrong += [f"memory there {times} times: {text}" for text, times in rows.items() if times > 1]
            wrong += [f"memory lost: {text}" for worker in self.workers for text in worker.created - rows.keys()]
            made = {text for worker in self.workers for text in worker.asked}
            wrong += [f"memory nobody made: {text}" for text in rows.keys() - made]
        return wrong


class _Worker:
    """One caller. It alone writes its own block; the log is everybody's."""

    def __init__(self, store: BlockStore, name: int) -> None:
        self.key: BlockKey = a_key(f"OWN{name}")
        self.possible: set[str | None] = {None}
        """What its own block may hold now."""
        self.added: set[str] = set()
        self.maybe_added: set[str] = set()
        self.created: set[str] = set()
        self.asked: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.succeeded = self.failed = 0.0
        self._successes: list[float] = []
        self._again: list[int] = []
        self._store = store
        self._name = name
        self._chance = random.Random(name)
        self._number = 0

    async def work(self, stop: asyncio.Event) -> None:
        works = [self._read, self._put, self._add]
        if isinstance(self._store, MemoryStore):
            works.append(self._create)
        while not stop.is_set():
            self._number += 1
            began = time.monotonic()
            # Some callers lose patience; what they were waiting for must not be given to the next one.
            patience = self._chance.uniform(0.001, 0.05) if self._chance.random() < 0.05 else None
            try:
                async with asyncio.timeout(patience):
                    await self._chance.choice(works)()
                self.succeeded = began
                self._successes.append(began)
                self.counts["acknowledged"] += 1
            except TimeoutError:
                self.counts["given up"] += 1
            except StoreFailed:
                self.failed = time.monotonic()
                self.counts["failed"] += 1
            except WellkeptError as error:
                self.wrong.append(f"{type(error).__name__}: {error.message}")
            await asyncio.sleep(_PAUSE)

    def first_success_after(self, since: float) -> float:
        return next((began for began in self._successes if began >= since), float("inf"))

    async def _read(self) -> None:
        block = await self._store.get(self.key)
        text = block.text if block else None
        if text not in self.possible:
            self.wrong.append(f"{self.key.key} was read as what it cannot be: {str(text)[:40]!r}")

    async def _put(self) -> None:
        """Write on top of what is there: a write that comes late then finds something else, and is refused."""
        before = await self._store.get(self.key)
        text = before.text if before else None
        if text not in self.possible:
            self.wrong.append(f"{self.key.key} was read as what it cannot be: {str(text)[:40]!r}")
        block = Block(key=self.key, text=f"{self._name} {self._number} " + "x" * 3_000, updated_at=at(self._number))
        unsure = len(self.possible) > 1
        self.possible.add(block.text)
        try:
            await self._store.put(block, expect=before.etag if before else None, change=a_change(when=self._number))
        except Conflict:
            if not unsure:
                raise
            self.possible.discard(block.text)
            return
        self.possible = {block.text}

    async def _add(self) -> None:
        entry = f"{self._name} {self._number}"

        def added(block: Block | None) -> str:
            return apply(Add(entry), block.text if block else "", limit=10**9)

        key = a_key(f"LOG{len(self.added) // _EACH_LOG}", owner=_LOG.owner)
        self.maybe_added.add(entry)
        await self._store.edit(key, added, change=a_change(when=self._number))
        self.added.add(entry)

    async def _create(self) -> None:
        """Create a memory; what failed before is asked for again, with its key, so that it is made once."""
        assert isinstance(self._store, MemoryStore)
        asked = self._again.pop() if self._again else self._number
        text = f"memory {self._name} {asked}"
        self.asked.add(text)
        # Made within the same minutes: a key is remembered for a day.
        memory = a_memory(self._name * 10**8 + self._number, text, created=self._number / 1_000)
        once = Once(operation="create", key=f"{self._name}-{asked}", fingerprint="same")
        try:
            created = await self._store.create(memory, rules=ROOM, once=once)
        except BaseException:
            self._again.append(asked)
            raise
        if created.memory.text != text:
            self.wrong.append(f"a create was answered with another memory: {created.memory.text!r}")
        self.created.add(text)
