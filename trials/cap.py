"""Sixty-four tasks create memories in one full pool: it is never above its cap, and who leaves is who the rule says.

Each answer says who left, so the order in which the creates took effect can be told: the model (`wellkept.rules.evict`)
says who has to leave next, and the create that answered with that one is the next to take effect. If no create did, the
store chose another than the model. That order must agree with the clock, too: a create that was answered before another
one was asked for comes before it.

Meanwhile a watcher counts the pool, over and over.
"""

import asyncio
import random
import time
from collections.abc import Sequence
from datetime import datetime
from functools import partial

import msgspec

from trials.books import CAP, POOL
from trials.forks import in_forks
from trials.places import Place, can
from trials.report import Figure, Report
from wellkept.contract.capability import Capability
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.ids import MemoryId
from wellkept.model.memories import Memory, PoolRules
from wellkept.rules.evict import Candidate, victims
from wellkept.testing.samples import a_memory

TASKS = 64
PROCESSES = 4
RULES = PoolRules(cap=CAP)
TICK = 0.02
"""Seconds: what is created within them has one time."""
_BEGAN = time.monotonic()


class Created(msgspec.Struct, frozen=True):
    """A create that was answered: between which instants, and who left."""

    memory: Memory
    asked: float
    answered: float
    evicted: tuple[MemoryId, ...]


class Seen(msgspec.Struct, frozen=True):
    """What a process came to."""

    created: Sequence[Created]
    snapshots: int
    most: int


def run(place: Place, *, count: int, seconds: float) -> Report:
    """Create `count` memories, by the tasks of one process; then by those of several, where the store allows it."""
    figures: dict[str, Figure] = {"tasks": TASKS, "creates": count, "cap": CAP}
    wrong: list[str] = []
    ways = {"one process": 1, f"{PROCESSES} processes": PROCESSES} if can(place.name, Capability.SHARED) else {"": 1}
    first = CAP
    before = asyncio.run(_filled(place))
    for way, processes in ways.items():
        began = time.monotonic()
        share = count // processes
        works = [
            partial(_worked, place, first + number * share, share, TASKS // processes) for number in range(processes)
        ]
        # A store in process is where its process is.
        seen = in_forks(works) if processes > 1 else [works[0]()]
        suffix = f", {way}" if way else ""
        figures[f"creates a second{suffix}"] = round(share * processes / (time.monotonic() - began))
        figures[f"snapshots{suffix}"] = sum(one.snapshots for one in seen)
        figures[f"most rows in a snapshot{suffix}"] = max(one.most for one in seen)
        if any(one.most > CAP for one in seen):
            wrong.append(f"{way}: {max(one.most for one in seen)} rows in a snapshot")
        created = [create for one in seen for create in one.created]
        after = asyncio.run(_rows(place))
        wrong += [f"{way} {line}".strip() for line in _differences(before, created, after)]
        before, first = after, first + share * processes
    return Report(trial="cap", store=place.name, figures=figures, wrong=wrong)


async def _filled(place: Place) -> list[Memory]:
    """Fill the pool: rows that were used in another order than they were made in, some at once, some pinned.

    Every other one has the times of others, so that its id alone tells who leaves first; ids come in no order.
    """
    chance = random.Random(1)
    store = await place.open_memories()
    for number in chance.sample(range(CAP), CAP):
        made = number if number % 2 else number // 100 * 100
        used = made + chance.randrange(0, CAP - made) if number % 2 else CAP // 2 + made // 2
        pinned = chance.random() < 0.05
        await store.create(a_memory(number, created=made, used=used, pinned=pinned), rules=RULES)
    await store.close()
    return await _rows(place)


async def _rows(place: Place) -> list[Memory]:
    store = await place.open_memories()
    rows = await store.rows(POOL, partitions=None, limit=10 * CAP)
    await store.close()
    return rows


def _worked(place: Place, first: int, count: int, tasks: int) -> Seen:
    return asyncio.run(_worker(place, first, count, tasks))


async def _worker(place: Place, first: int, count: int, tasks: int) -> Seen:
    store = await place.open_memories()
    numbers = iter(range(first, first + count))
    created: list[Created] = []

    async def create() -> None:
        for number in numbers:
            asked = time.monotonic()
            # Newer than what was there, in the order of the clock between processes; some at the same instant.
            memory = a_memory(number, created=CAP + (asked - _BEGAN) // TICK * TICK)
            answer = await store.create(memory, rules=RULES)
            created.append(Created(memory, asked, time.monotonic(), answer.evicted))
            await asyncio.sleep(0)

    done = asyncio.Event()
    watching = asyncio.create_task(_watch(store, done))
    await asyncio.gather(*(create() for _ in range(tasks)))
    done.set()
    counts = await watching
    await store.close()
    return Seen(created, len(counts), max(counts))


async def _watch(store: MemoryStore, done: asyncio.Event) -> list[int]:
    counts = [await store.count(POOL)]
    while not done.is_set():
        counts.append(await store.count(POOL))
        await asyncio.sleep(0.001)
    return counts


def _differences(before: Sequence[Memory], created: Sequence[Created], after: Sequence[Memory]) -> list[str]:
    """Say where the store and the model differ."""
    wrong = [f"{len(create.evicted)} left for {create.memory.id}" for create in created if len(create.evicted) != 1]
    by_victim = {create.evicted[0]: create for create in created if create.evicted}
    if wrong or len(by_victim) != len(created):
        return [*wrong, f"{len(by_victim)} different ones left for {len(created)} creates"]
    pool = {row.id: _candidate(row) for row in before}
    in_order: list[Created] = []
    while by_victim:
        (next_to_leave,) = victims(pool.values(), rules=RULES, need=1, joining="")
        if next_to_leave not in by_victim:
            return [f"{next_to_leave} is the model's next to leave, and did not ({len(by_victim)} others did)"]
        create = by_victim.pop(next_to_leave)
        del pool[next_to_leave]
        pool[create.memory.id] = _candidate(create.memory)
        in_order.append(create)
    if {row.id for row in after} != pool.keys():
        wrong.append(f"{len({row.id for row in after} ^ pool.keys())} rows differ from the model's survivors")
    return wrong + _out_of_time(in_order)


def _out_of_time(in_order: Sequence[Created]) -> list[str]:
    """Say which creates took effect before one that had been answered before they were asked for."""
    wrong, earliest_answer = [], float("inf")
    for create in reversed(in_order):
        if earliest_answer < create.asked:
            wrong.append(f"{create.memory.id} took effect before one that was answered before it was asked for")
        earliest_answer = min(earliest_answer, create.answered)
    return wrong


def _candidate(row: Memory) -> Candidate[datetime]:
    return Candidate(row.pinned, row.last_accessed_at, row.created_at, row.id, row.user_id)
