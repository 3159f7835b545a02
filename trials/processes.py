"""Eight processes on one store, for a minute: every kind of reading and writing, and no error at all.

On SQLite that is eight processes on one file, and the error to be afraid of is "database is locked".
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from trials.books import CAP, POOL
from trials.forks import in_forks
from trials.places import Place
from trials.report import Figure, Report
from wellkept.contract.block_store import ANY, BlockStore
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.blocks import Block
from wellkept.model.edits import Add
from wellkept.model.errors import NotFound, WellkeptError
from wellkept.model.keys import BlockKey
from wellkept.model.memories import PoolRules
from wellkept.rules.edit import apply
from wellkept.rules.entries import entries
from wellkept.testing.samples import a_change, a_key, a_memory, at

PROCESSES = 8
TASKS = 4
EACH_LOG = 100
"""Entries that one task adds to a shared block before it goes on to the next."""


class Did(msgspec.Struct):
    """What one process did."""

    times: dict[str, list[float]] = {}
    errors: Counter[str] = msgspec.field(default_factory=Counter[str])
    added: set[str] = msgspec.field(default_factory=set[str])
    own: dict[int, str] = {}


def run(place: Place, *, count: int, seconds: float) -> Report:
    """Work for so many seconds in `count` processes."""
    asyncio.run(_opened(place))
    dids = in_forks([partial(_worked, place, number, seconds) for number in range(count)])
    wrong = [f"{times} times {error}" for error, times in sum((did.errors for did in dids), Counter[str]()).items()]
    wrong += asyncio.run(_differences(place, dids))
    figures: dict[str, Figure] = {"processes": count, "tasks in each": TASKS, "seconds": seconds}
    figures["errors"] = sum(did.errors.total() for did in dids)
    times = _together([did.times for did in dids])
    figures["operations"] = sum(map(len, times.values()))
    figures["operations a second"] = round(sum(map(len, times.values())) / seconds)
    for work, took in sorted(times.items()):
        took.sort()
        some = (took[len(took) // 2], took[len(took) * 99 // 100], took[-1])
        figures[f"{work}: median, 99 %, worst, ms"] = ", ".join(f"{1_000 * one:,.1f}" for one in some)
    return Report(trial="processes", store=place.name, figures=figures, wrong=wrong)


async def _opened(place: Place) -> None:
    """Make what is there only once: the schema."""
    store = await place.open()
    await store.close()


def _together(all_times: Sequence[Mapping[str, list[float]]]) -> dict[str, list[float]]:
    return {work: [took for times in all_times for took in times.get(work, [])] for work in all_times[0]}


def _worked(place: Place, process: int, seconds: float) -> Did:
    return asyncio.run(_work(place, process, seconds))


async def _work(place: Place, process: int, seconds: float) -> Did:
    store = await place.open()
    did, until = Did(), time.monotonic() + seconds
    await asyncio.gather(*(_Task(store, process, task, did).work(until) for task in range(TASKS)))
    await store.close()
    return did


class _Task:
    """One of the tasks of a process."""

    def __init__(self, store: BlockStore, process: int, task: int, did: Did) -> None:
        self._store = store
        self._name = process * TASKS + task
        self._did = did
        self._chance = random.Random(self._name)
        self._number = 0

    async def work(self, until: float) -> None:
        works = {"put a block": self._put, "add an entry": self._add, "read a block": self._get}
        if isinstance(self._store, MemoryStore):
            works |= {"create a memory": self._create, "update or delete one": self._change, "search": self._search}
        while time.monotonic() < until:
            name = self._chance.choice(list(works))
            self._number += 1
            began = time.monotonic()
            try:
                await works[name]()
            except WellkeptError as error:
                self._did.errors[f"{name}: {error.message}"] += 1
            self._did.times.setdefault(name, []).append(time.monotonic() - began)

    async def _put(self) -> None:
        text = f"{self._name} {self._number}\n" + "x" * 2_000
        block = Block(key=a_key(f"OWN{self._name}"), text=text, updated_at=at(self._number))
        await self._store.put(block, expect=ANY, change=a_change(when=self._number))
        self._did.own[self._name] = text

    async def _add(self) -> None:
        entry = f"{self._name} {self._number}"

        def added(block: Block | None) -> str:
            return apply(Add(entry), block.text if block else "", limit=10**9)

        await self._store.edit(_log(len(self._did.added) // EACH_LOG), added, change=a_change(when=self._number))
        self._did.added.add(entry)

    async def _get(self) -> None:
        block = await self._store.get(a_key(f"OWN{self._name}"))
        if (block.text if block else None) != self._did.own.get(self._name):
            self._did.errors["a block was not what its only writer wrote"] += 1

    async def _create(self) -> None:
        memory = a_memory(self._name * 1_000_000 + self._number, user=f"user-{self._name}", created=self._number)
        await self._memories.create(memory, rules=PoolRules(cap=CAP))

    async def _change(self) -> None:
        rows = await self._memories.rows(POOL, partitions=(f"user-{self._name}",), limit=5)
        if not rows:
            return
        row = self._chance.choice(rows)
        try:
            if self._chance.random() < 0.5:
                text = f"{row.text} again"[-200:]
                await self._memories.update(POOL, row.id, partitions=None, at=at(self._number), text=text)
            else:
                await self._memories.delete_memory(POOL, row.id, partitions=None)
        except NotFound:
            pass  # it was evicted in the meantime

    async def _search(self) -> None:
        await self._memories.ranked(POOL, "which fact was it", partitions=None, limit=10)
        if await self._memories.count(POOL) > CAP:
            self._did.errors["the pool was above its cap"] += 1

    @property
    def _memories(self) -> MemoryStore:
        assert isinstance(self._store, MemoryStore)
        return self._store


def _log(number: int) -> BlockKey:
    return a_key(f"LOG{number}", owner="all")


async def _differences(place: Place, dids: Sequence[Did]) -> list[str]:
    store = await place.open()
    wrong = [f"check: {line}" for line in await store.check()]
    for did in dids:
        for task, text in did.own.items():
            block = await store.get(a_key(f"OWN{task}"))
            if block is None or block.text != text:
                wrong.append(f"the last text of task {task} is not there")
    added = Counter(entry for did in dids for entry in did.added)
    there: Counter[str] = Counter()
    for block in await store.blocks(_log(0).tenant, _log(0).scope, _log(0).owner):
        there.update(entries(block.text))
    if there != added:
        wrong.append(f"{(added - there).total()} entries lost, {(there - added).total()} there that were not added")
    await store.close()
    return wrong
