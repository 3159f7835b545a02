"""Two servers on one store, each replaced by a newer one, under load through a round robin: no request fails.

The round robin does what a balancer does: it asks each server at `/ready`, twenty times a second, and sends requests in
turn to those that say yes. It never sends a request twice. A server that is told to stop says so at `/ready` for
`WELLKEPT_NOTICE_SECONDS`, and goes on answering meanwhile.
"""

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from trials.places import Place
from trials.report import Report
from wellkept.client.async_client import AsyncClient
from wellkept.client.retries import Retries
from wellkept.model.errors import WellkeptError
from wellkept.rules.entries import entries

PROGRAM = (sys.executable, "-c", "from wellkept.cli import main; main()")
CALLERS = 8
NOTICE = 1.0
LOOK_EVERY = 0.05
OWNER = "user-42"
KEY = "LOG"


def run(place: Place, *, count: int, seconds: float) -> Report:
    """Replace a server `count` times, with so many seconds between."""
    return asyncio.run(_roll(place, count, seconds))


class Serving:
    """A running `wellkept serve`."""

    def __init__(self, process: asyncio.subprocess.Process, url: str, key: str | None) -> None:
        self.process = process
        self.url = url
        self.key = key
        self.ready = False

    @classmethod
    async def start(cls, store: str) -> "Serving":
        """Start one, and wait until it says where it listens."""
        log = tempfile.TemporaryFile()  # noqa: SIM115  the server's, as long as it runs
        process = await asyncio.create_subprocess_exec(
            *(*PROGRAM, "serve", "--store", store, "--port", "0", "--json"),
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
                "WELLKEPT_NOTICE_SECONDS": str(NOTICE),
            },
        )
        assert process.stdout is not None
        async with asyncio.timeout(60):
            line = await process.stdout.readline()
        if not line:
            log.seek(0)
            raise RuntimeError(f"the server did not start: {log.read().decode()}")
        told = json.loads(line)
        return cls(process, told["url"], told.get("apiKey"))

    async def stop(self) -> int:
        """Ask it to stop, as whoever replaces it does; give its exit code."""
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(60):
            return await self.process.wait()


class RoundRobin:
    """Sends each request to the next server that says that it is ready."""

    def __init__(self, key: str) -> None:
        self.servers: list[Serving] = []
        self._key = key
        self._clients: dict[str, AsyncClient] = {}
        self._turn = 0

    def client(self, url: str) -> AsyncClient:
        """Give the connections to one server. Nothing is sent a second time."""
        if url not in self._clients:
            self._clients[url] = AsyncClient(api_key=self._key, base_url=url, retries=Retries(most=0))
        return self._clients[url]

    def next(self) -> AsyncClient:
        """Choose who gets the next request."""
        ready = [server for server in self.servers if server.ready]
        self._turn += 1
        return self.client(ready[self._turn % len(ready)].url)

    async def look(self) -> None:
        """Ask all of them whether they are ready."""
        for server in list(self.servers):
            try:
                server.ready = (await self.client(server.url).system.ready()).status == "ready"
            except WellkeptError:
                server.ready = False

    async def watch(self, stop: asyncio.Event) -> None:
        """Keep asking."""
        while not stop.is_set():
            await self.look()
            await asyncio.sleep(LOOK_EVERY)

    async def close(self) -> None:
        """Let go of all connections."""
        for client in self._clients.values():
            await client.close()


class _Callers:
    """Those who use the servers, and what they were told."""

    def __init__(self, robin: RoundRobin, agent: str) -> None:
        self._robin = robin
        self._agent = agent
        self.entries: set[str] = set()
        self.memories: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.longest = 0.0

    async def call(self, caller: int, stop: asyncio.Event) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            began = time.monotonic()
            try:
                await self._one(f"caller {caller}, call {number}", number % 4)
                self.counts["answered"] += 1
            except WellkeptError as error:
                self.wrong.append(f"{type(error).__name__}: {error.message}")
            self.longest = max(self.longest, time.monotonic() - began)

    async def _one(self, name: str, kind: int) -> None:
        client = self._robin.next()
        match kind:
            case 0:
                await client.blocks.add("user", KEY, owner=OWNER, content=name, limit=1_000_000)
                self.entries.add(name)
            case 1:
                created = await client.memories.create(self._agent, user_id=OWNER, text=name)
                self.memories.add(created.memory.id)
            case 2:
                await client.memories.list(self._agent, user_id=OWNER, search=name, limit=5)
            case _:
                await client.context.render(self._agent, user_id=OWNER)


async def _roll(place: Place, count: int, seconds: float) -> Report:
    first = await Serving.start(place.url)
    assert first.key is not None
    robin, stop = RoundRobin(first.key), asyncio.Event()
    robin.servers = [first, await Serving.start(place.url)]
    await robin.look()
    agent = (await robin.client(first.url).agents.create(name="Rolled", tools=["memory"])).id
    callers = _Callers(robin, agent)
    tasks = [asyncio.create_task(robin.watch(stop))]
    tasks += [asyncio.create_task(callers.call(number, stop)) for number in range(CALLERS)]
    began, codes = time.monotonic(), list[int]()
    for _ in range(count):
        await asyncio.sleep(seconds)
        newer = await Serving.start(place.url)
        robin.servers.append(newer)
        while not newer.ready:  # noqa: ASYNC110  whoever replaces a server looks, as the balancer does
            await asyncio.sleep(LOOK_EVERY)
        older = robin.servers[0]
        codes.append(await older.stop())
        robin.servers.remove(older)
    await asyncio.sleep(seconds)
    stop.set()
    await asyncio.gather(*tasks)
    took = time.monotonic() - began
    wrong = callers.wrong + [f"a server ended with {code}" for code in codes if code]
    wrong += await _differences(robin.next(), callers, agent)
    await robin.close()
    for server in robin.servers:
        await server.stop()
    return Report(
        trial="rolling",
        store=place.name,
        figures={
            "servers at once": 2,
            "servers replaced": count,
            "callers": CALLERS,
            "requests answered": callers.counts["answered"],
            "requests failed": len(callers.wrong),
            "requests a second": round(callers.counts["answered"] / took),
            "longest request, ms": round(1_000 * callers.longest),
        },
        wrong=wrong,
    )


async def _differences(client: AsyncClient, callers: _Callers, agent: str) -> list[str]:
    block = await client.blocks.get("user", KEY, owner=OWNER)
    there = Counter(entries(block.text))
    wrong = [f"an entry was lost: {entry}" for entry in callers.entries - there.keys()]
    wrong += [f"an entry is there {times} times: {entry}" for entry, times in there.items() if times > 1]
    rows = {memory.id async for memory in client.memories.iter(agent, user_id=OWNER)}
    # The pool has a cap: of more than that, those that were created last are there.
    missing = len(callers.memories) - len(rows)
    if missing and len(rows) != 500:
        wrong.append(f"{missing} memories lost")
    return wrong + [f"a memory nobody made: {memory}" for memory in rows - callers.memories]
