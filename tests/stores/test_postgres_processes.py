"""Several processes on one PostgreSQL database, and a server on it."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

import postgres_server
import wellkept
from command_line import serving
from wellkept import Client
from wellkept.stores import postgresql
from wellkept.testing.samples import a_key, a_pool

CHILD = """
import asyncio, sys
from wellkept.model.memories import PoolRules
from wellkept.stores import postgresql
from wellkept.testing.samples import a_change, a_key, a_memory, a_pool

async def main(url, name, count):
    store = await postgresql.open(url)
    most = 0

    async def work(number):
        nonlocal most
        await store.edit(a_key(), lambda b: f"{b.text if b else ''}{name}-{number};", change=a_change())
        await store.create(a_memory(int(name) * 1000 + number), rules=PoolRules(cap=10))
        rows = await store.rows(a_pool(), partitions=None, limit=99)
        most = max(most, await store.count(a_pool()), len(rows))
        await store.touch(a_pool(), {row.id: row.created_at for row in rows})

    for start in range(0, count, 8):
        await asyncio.gather(*(work(number) for number in range(start, min(count, start + 8))))
    print(most)
    await store.close()

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


async def run(url: str, name: int, count: int) -> str:
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", CHILD, url, str(name), str(count)),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(wellkept.__file__).parents[1])},
    )
    out, _ = await child.communicate()
    assert child.returncode == 0
    return out.decode().strip()


@pytest.mark.parametrize("partitions", [0, 4])
async def test_processes_that_meet_a_new_database_lose_nothing_and_keep_the_cap(partitions: int) -> None:
    server = postgres_server.newest()
    url = f"{server.url_of(server.empty())}&partitions={partitions}"
    assert await asyncio.gather(*(run(url, name, 24) for name in range(4))) == ["10"] * 4
    store = await postgresql.open(url)
    block = await store.get(a_key())
    assert block is not None
    assert sorted(block.text.split(";")[:-1]) == sorted(f"{name}-{n}" for name in range(4) for n in range(24))
    assert [one.number for one in await store.revisions(a_key(), limit=999)] == list(range(96, 0, -1))
    assert await store.count(a_pool()) == 10
    assert await store.check() == []
    await store.close()


def test_a_server_keeps_everything_in_it() -> None:
    url = postgres_server.newest().fresh_url()
    with serving("--store", url) as served:
        client = Client(api_key=served.key, base_url=served.url)
        agent = client.agents.create(name="Support", tools=["memory"])
        created = client.memories.create(agent.id, user_id="用户1", text="Prefers heliotrope accents.")
        assert served.stop() == 0
    with serving("--store", url) as again:
        client = Client(api_key=served.key, base_url=again.url)
        page = client.memories.list(agent.id, user_id="用户1", search="heliotrope")
        assert [one.id for one in page.data] == [created.memory.id]
        assert again.stop() == 0
