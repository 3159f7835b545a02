"""Sixteen writers add entries to one block at once, as tasks, as threads and as processes: no entry is lost.

Tasks share a store. Threads share one, each in an event loop of its own. Processes open the same data, where a store
says that they may.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from trials.forks import in_forks
from trials.places import Place, can
from trials.report import Figure, Report
from wellkept.contract.block_store import BlockStore
from wellkept.contract.capability import Capability
from wellkept.model.blocks import Block
from wellkept.model.edits import Add
from wellkept.rules.edit import apply
from wellkept.rules.entries import entries
from wellkept.testing.racing import in_tasks, in_threads
from wellkept.testing.samples import a_change, a_key

WRITERS = 16

Writers = Callable[[Sequence[Callable[[], Awaitable[None]]]], Awaitable[list[None]]]


def run(place: Place, *, count: int, seconds: float) -> Report:
    """Let each writer add `count` entries, of each kind that the store allows."""
    wrong: list[str] = []
    figures: dict[str, Figure] = {"writers": WRITERS, "entries each": count}
    kinds: dict[str, Callable[[Place, int], None]] = {
        "tasks": lambda place, count: asyncio.run(_together(place, count, in_tasks, "tasks")),
        "threads": lambda place, count: asyncio.run(_together(place, count, in_threads, "threads")),
    }
    if can(place.name, Capability.SHARED):
        kinds["processes"] = _apart
    for kind, write in kinds.items():
        began = time.monotonic()
        write(place, count)
        figures[f"entries a second, {kind}"] = round(WRITERS * count / (time.monotonic() - began))
        wrong += [f"{kind}: {line}" for line in asyncio.run(_differences(place, kind, count))]
    return Report(trial="adders", store=place.name, figures=figures, wrong=wrong)


async def _together(place: Place, count: int, at_once: Writers, kind: str) -> None:
    store = await place.open()

    def writer(number: int) -> Callable[[], Awaitable[None]]:
        return lambda: _add(store, kind, number, count)

    await at_once([writer(number) for number in range(WRITERS)])
    await store.close()


def _apart(place: Place, count: int) -> None:
    async def alone(number: int) -> None:
        store = await place.open()
        await _add(store, "processes", number, count)
        await store.close()

    def run(number: int) -> None:
        asyncio.run(alone(number))

    in_forks([partial(run, number) for number in range(WRITERS)])


async def _add(store: BlockStore, kind: str, writer: int, count: int) -> None:
    for number in range(count):
        entry = _entry(writer, number)

        def added(block: Block | None, entry: str = entry) -> str:
            return apply(Add(entry), block.text if block else "", limit=10**9)

        await store.edit(a_key(kind), added, change=a_change())


def _entry(writer: int, number: int) -> str:
    return f"- writer {writer}, entry {number}"


async def _differences(place: Place, kind: str, count: int) -> list[str]:
    store = await place.open()
    block = await store.get(a_key(kind))
    there = entries(block.text) if block else []
    wanted = {_entry(writer, number) for writer in range(WRITERS) for number in range(count)}
    wrong = [f"lost: {entry}" for entry in sorted(wanted - set(there))]
    if len(there) != len(set(there)) or set(there) - wanted:
        wrong.append(f"{len(there)} entries, {len(wanted)} were added")
    if Capability.HISTORY in store.capabilities and not wrong:
        revisions = await store.revisions(a_key(kind), limit=10**6)
        if len(revisions) != len(wanted):
            wrong.append(f"{len(revisions)} revisions of {len(wanted)} changes")
    await store.close()
    return wrong
