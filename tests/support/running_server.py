"""A server that listens: in a thread of this process, or as a process of its own (`python running_server.py URL`)."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from house import House, open_house
from wellkept.model.errors import Closed
from wellkept.server import Options, listen, serve


@dataclass
class Running:
    """What one needs to talk to it."""

    url: str
    key: str
    their_key: str
    agent: str
    house: House


@contextmanager
def running(url: str = "inproc://", options: Options | None = None) -> Iterator[Running]:
    """Serve in a thread while the body runs."""
    options = options or Options()
    ready: list[Running] = []
    is_ready, stop = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def main() -> None:
        loops.append(asyncio.get_running_loop())
        async with open_house(url, options=options) as house:
            listening = listen("127.0.0.1", 0)
            ready.append(Running(listening.url, house.key, house.their_key, await house.agent(), house))
            serving = asyncio.create_task(serve(house.app, listening, options=options, started=is_ready.set))
            await stop.wait()
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    assert is_ready.wait(20), "the server did not start"
    try:
        yield ready[0]
    finally:
        loops[0].call_soon_threadsafe(stop.set)
        thread.join(20)


async def _child(url: str) -> None:
    options = Options(notice_seconds=2, drain_seconds=5)
    async with open_house(url, options=options) as house:
        listening = listen("127.0.0.1", 0)
        agent = await house.agent()
        house.turns.seconds = 1.5

        def tell() -> None:
            print(listening.url, house.key, agent, flush=True)

        await serve(house.app, listening, options=options, started=tell)
        try:
            await house.services.stores.directory.tenants()
            state = "open"
        except Closed:
            state = "closed"
        print("stopped", house.turns.cancelled, state, flush=True)


if __name__ == "__main__":
    asyncio.run(_child(sys.argv[1]))
