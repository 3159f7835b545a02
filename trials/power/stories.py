"""What the file store is asked to do while its calls are recorded, and what it then has to hold."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from trials.power.calls import Answered, Began, Event, Killed, Recorder
from wellkept.contract.block_store import ANY
from wellkept.model.blocks import Block
from wellkept.model.keys import BlockKey
from wellkept.stores.files import FileStore
from wellkept.testing.racing import in_threads
from wellkept.testing.samples import OTHER_TENANT, a_change, a_key, at

ROOT = "blocks"

MINE, MORE = a_key("USER"), a_key("MORE")
HERS, AGENTS, THEIRS = a_key("USER", owner="ann"), a_key("MEMORY", scope="agent"), a_key("USER", tenant=OTHER_TENANT)
LONG = "A long text, of which a half could be left.\n" * 500


class Operation(NamedTuple):
    """Something that is done, and what the blocks that it is about are afterwards."""

    kind: str
    keys: Sequence[BlockKey]
    text: str | None

    async def do(self, store: FileStore) -> None:
        """Ask the store for it."""
        key = self.keys[0]
        match self.kind:
            case "put":
                await store.put(Block(key=key, text=self.text or "", updated_at=at()), expect=ANY, change=a_change())
            case "edit":
                await store.edit(key, lambda _: self.text or "", change=a_change())
            case "delete":
                await store.delete(key, change=a_change())
            case _:
                await store.purge(key.tenant, key.scope, key.owner)


def put(key: BlockKey, text: str) -> Operation:
    return Operation("put", [key], text)


def edit(key: BlockKey, text: str) -> Operation:
    return Operation("edit", [key], text)


def delete(key: BlockKey) -> Operation:
    return Operation("delete", [key], None)


def purge(*keys: BlockKey) -> Operation:
    return Operation("purge", keys, None)


class Story(NamedTuple):
    """A recording. States before event `begin` are those of another story."""

    name: str
    operations: Sequence[Operation]
    events: Sequence[Event]
    begin: int


ONE_AFTER_THE_OTHER = [
    *(
        put(MINE, "one"),
        put(MINE, LONG),
        edit(MINE, "three"),
        put(MORE, "more"),
        put(HERS, LONG),
        put(AGENTS, "agent's"),
    ),
    *(put(THEIRS, "theirs"), delete(MORE), put(MORE, "more again"), edit(HERS, ""), purge(MINE, MORE)),
    *(put(MINE, "after the purge"), delete(MINE), put(MINE, LONG), purge(HERS), purge(AGENTS), put(AGENTS, LONG)),
]
AT_ONCE = [
    [put(MINE, "one"), put(MORE, "two"), put(MINE, LONG), delete(MORE)],
    [put(HERS, LONG), edit(HERS, "two"), delete(HERS), put(HERS, "four")],
    [put(THEIRS, "one"), purge(THEIRS), put(THEIRS, LONG)],
]
KILLED: Sequence[tuple[Sequence[Operation], Operation]] = [
    ([], put(MINE, LONG)),
    ([put(AGENTS, "there")], put(MINE, "new")),
    ([put(MINE, "old"), put(MORE, "more")], put(MINE, LONG)),
    ([put(MINE, "old"), put(MORE, "more")], delete(MINE)),
    ([put(MINE, "old"), put(MORE, "more")], purge(MINE, MORE)),
]
"""What is there, and what is cut short by a kill, at every one of its calls."""
AFTERWARDS = [put(MORE, "after the kill"), put(HERS, "after the kill"), put(MINE, "after the kill")]
"""What another process is told to do then. After the last of them the power fails, or before."""


def stories() -> Iterator[Story]:
    """Tell them all, the one with most in it first."""
    yield _told("one after the other", [ONE_AFTER_THE_OTHER])
    for number, (before, cut_short) in enumerate(KILLED):
        for calls in range(100):
            name = f"killed {number} at call {calls}"
            story, was_killed = _killed(name, before, cut_short, calls)
            if not was_killed:
                break
            yield story
    yield _told("at once", AT_ONCE)


def _told(name: str, writers: Sequence[Sequence[Operation]]) -> Story:
    """Let each writer do its operations, in a thread of its own."""
    operations = [operation for writer in writers for operation in writer]
    numbered = iter(enumerate(operations))
    with tempfile.TemporaryDirectory(prefix="wk-power-") as base:
        recorder, store = Recorder(Path(base)), FileStore(Path(base) / ROOT)
        works = [partial(_do, store, recorder, list(islice(numbered, len(writer)))) for writer in writers]
        with recorder.on():
            asyncio.run(_at_once(works))
    return Story(name, operations, recorder.events, 0)


def _killed(name: str, before: Sequence[Operation], cut_short: Operation, calls: int) -> tuple[Story, bool]:
    """Kill what does an operation after so many of its calls, and go on as another process; say whether it was."""
    operations = [*before, cut_short, *AFTERWARDS]
    numbered = list(enumerate(operations))
    here = len(before)
    with tempfile.TemporaryDirectory(prefix="wk-power-") as base:
        recorder, root = Recorder(Path(base)), Path(base) / ROOT
        with recorder.on():
            asyncio.run(_do(FileStore(root), recorder, numbered[:here]))
            recorder.left = calls
            try:
                asyncio.run(_do(FileStore(root), recorder, numbered[here : here + 1]))
                was_killed = False
            except Killed:
                was_killed = True
            recorder.left = None
            begin = len(recorder.events)
            asyncio.run(_do(FileStore(root), recorder, numbered[here + 1 :]))
    return Story(name, operations, recorder.events, begin), was_killed


async def _at_once(works: Sequence[Callable[[], Awaitable[None]]]) -> None:
    await in_threads(works)


async def _do(store: FileStore, recorder: Recorder, operations: Sequence[tuple[int, Operation]]) -> None:
    for number, operation in operations:
        recorder.note(Began(number))
        await operation.do(store)
        recorder.note(Answered(number))
