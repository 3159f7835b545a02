"""Stores whose data several processes share: nothing is lost between them, nor when one is killed."""

import asyncio
import os
import sys

from wellkept.contract.block_store import BlockStore
from wellkept.contract.capability import Capability
from wellkept.testing.samples import a_change, a_key

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
