"""Stores whose data several processes share: nothing is lost between them, nor when one is killed."""

import asyncio
import os
import sys

from wellkept.contract.block_store import BlockStore
from wellkept.contract.capability import Capability
from wellkept.contract.passage_store import PassageStore
from wellkept.testing.following import Follower, stored
from wellkept.testing.samples import a_change, a_key, a_vector, an_owner

PROCESSES, EDITS = 3, 20

APPEND = """
import asyncio, importlib, sys
from wellkept.testing.samples import a_change, a_key

async def main(url, name, edits):
    store = await importlib.import_module("wellkept.stores." + url.partition(":")[0]).open(url)
    for number in range(edits):
        line = f"{name} {number}"
        await store.edit(a_key(), lambda block: f"{block.text}\\n{line}" if block else line, change=a_change())
    await store.close()

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""

INGEST = """
import asyncio, importlib, sys
from wellkept.testing.samples import a_passage, a_vector, an_owner, new

async def main(url, name, rounds):
    store = await importlib.import_module("wellkept.stores." + url.partition(":")[0]).open(url)
    stored = unchanged = 0
    for number in range(rounds):
        alike = [a_passage(number, part=part) for part in range(3)]
        put = await store.put_passages(an_owner(), new(*alike, vector=a_vector(number)))
        stored, unchanged = stored + put.stored, unchanged + put.unchanged
        await store.put_passages(an_owner(), new(a_passage(number, session=name)))
    await store.close()
    print(stored, unchanged)

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""

WRITE_FOR_EVER = """
import asyncio, importlib, sys
from wellkept.contract.block_store import ANY
from wellkept.testing.samples import a_block, a_change

async def main(url):
    store = await importlib.import_module("wellkept.stores." + url.partition(":")[0]).open(url)
    number = 0
    while True:
        number += 1
        await store.put(a_block(f"{number}\\n" + "x" * 50_000), expect=ANY, change=a_change())
        print(number, flush=True)

asyncio.run(main(sys.argv[1]))
"""


async def start(program: str, *args: object) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        *map(str, args),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


class TestSharing:
    """Several processes on the same data."""

    @staticmethod
    def runs_on(kind: type[BlockStore]) -> bool:
        return Capability.SHARED in kind.capabilities

    async def test_of_edits_from_several_processes_none_is_lost(self, url: str, store: BlockStore) -> None:
        running = [await start(APPEND, url, name, EDITS) for name in range(PROCESSES)]
        await asyncio.gather(*(process.communicate() for process in running))
        assert [process.returncode for process in running] == [0] * PROCESSES
        stored = await store.get(a_key())
        assert stored is not None
        assert len(set(stored.text.split("\n"))) == len(stored.text.split("\n")) == PROCESSES * EDITS


class TestSharingPassages:
    """Several processes that store the same messages of one owner, and one that follows them."""

    @staticmethod
    def runs_on(kind: type[BlockStore]) -> bool:
        return Capability.SHARED in kind.capabilities and issubclass(kind, PassageStore)

    async def test_a_message_given_by_several_processes_is_stored_once(self, url: str, store: PassageStore) -> None:
        follower = Follower(store, an_owner(), model=a_vector().model, page=5)
        running = [await start(INGEST, url, f"of {name}", EDITS) for name in range(PROCESSES)]
        while not follower.known:
            await follower.catch_up()
            await asyncio.sleep(0.01)
        told = [tuple(map(int, output.split())) for output, _ in [await one.communicate() for one in running]]
        assert [process.returncode for process in running] == [0] * PROCESSES
        assert sum(once for once, _ in told) == 3 * EDITS
        assert sum(again for _, again in told) == 3 * EDITS * (PROCESSES - 1)
        await follower.catch_up()
        assert follower.known == await stored(store, an_owner(), model=a_vector().model)
        assert len(follower.known) == (3 + PROCESSES) * EDITS


class TestLasting:
    """A process that is killed while it writes."""

    @staticmethod
    def runs_on(kind: type[BlockStore]) -> bool:
        return Capability.DURABLE in kind.capabilities

    async def test_what_was_acknowledged_survives_a_kill(self, url: str, store: BlockStore) -> None:
        process = await start(WRITE_FOR_EVER, url)
        assert process.stdout is not None
        acknowledged = [int(await process.stdout.readline()) for _ in range(20)]
        process.kill()
        acknowledged += map(int, (await process.stdout.read()).split())
        await process.wait()
        stored = await store.get(a_key())
        assert stored is not None
        number, _, rest = stored.text.partition("\n")
        assert acknowledged[-1] <= int(number) <= acknowledged[-1] + 1
        assert rest == "x" * 50_000, "half of a text was left behind"
        assert (await store.edit(a_key(), lambda _: "usable", change=a_change())).changed
