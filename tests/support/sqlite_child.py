"""What another process does with a SQLite store: `python sqlite_child.py WORK URL [NAME [COUNT]]`.

Tests start it with `start` and read what it prints.
"""

import asyncio
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import wellkept
from wellkept.contract.block_store import ANY
from wellkept.model.errors import StoreFailed
from wellkept.model.memories import PoolRules
from wellkept.stores import sqlite
from wellkept.testing.samples import a_block, a_change, a_key, a_memory


def start(work: str, url: str, *more: object) -> subprocess.Popen[str]:
    """Run this file as another process."""
    return subprocess.Popen(
        [sys.executable, __file__, work, url, *map(str, more)],
        env={**os.environ, "PYTHONPATH": str(Path(wellkept.__file__).parents[1])},
        stdout=subprocess.PIPE,
        text=True,
    )


def said(child: subprocess.Popen[str]) -> list[str]:
    """Wait for the end of a process that must end well; give the lines that it printed."""
    output, _ = child.communicate(timeout=120)
    assert child.returncode == 0
    return output.splitlines()


def appending(line: str) -> Callable[[object], str]:
    return lambda block: f"{getattr(block, 'text', '')}{line}\n"


async def edit(store: sqlite.SqliteStore, name: str, count: int) -> None:
    """Append lines to one block, one after the other, and say each once it is stored."""
    for number in range(count):
        await store.edit(a_key(), appending(f"{name}-{number}"), change=a_change())
        print(number, flush=True)


async def create(store: sqlite.SqliteStore, name: str, count: int) -> None:
    """Put memories into one pool of ten, ten callers at once; say the largest number of rows that was seen."""
    first, most = int(name) * 1_000, 0
    todo = iter(range(first, first + count))

    async def caller() -> None:
        nonlocal most
        for number in todo:
            await store.create(a_memory(number), rules=PoolRules(cap=10))
            most = max(most, await store.count(a_memory(0).pool))

    await asyncio.gather(*(caller() for _ in range(10)))
    print(most)


async def fill(store: sqlite.SqliteStore, name: str, count: int) -> None:
    """Grow a block under a limit of `count` bytes a file until the disk takes no more, then say what happened."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, count))
    stored = ""
    try:
        for number in range(10_000):
            text = f"{number:8}" * 1_000
            await store.put(a_block(text), expect=ANY, change=a_change())
            stored = text
    except StoreFailed as error:
        block = await store.get(a_key())
        print(type(error).__name__, block is not None and block.text == stored)


WORKS = {"edit": edit, "create": create, "fill": fill}


async def main(work: str, url: str, name: str = "", count: str = "0") -> None:
    store = await sqlite.open(url)
    if work in WORKS:
        await WORKS[work](store, name, int(count))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
