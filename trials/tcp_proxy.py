"""A proxy between a client and a server, that cuts, delays and swallows what goes through."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

Address = Path | tuple[str, int]
"""A Unix socket, or a host and a port."""

Fault = Literal["none", "refuse", "delay", "swallow", "swallow answers", "cut answers"]
"""`refuse`: new connections are closed at once. `delay`: everything takes its time. `swallow`: connections stay open,
and what is sent comes to nothing; those stay dead when the fault is over. `swallow answers`: only what the server
says. `cut answers`: the request gets through, and the connection is cut before its answer."""


class Proxy:
    """A proxy that runs in a thread of its own. `at` is where it listens."""

    def __init__(self, server: Address, *, delay: float = 0.3) -> None:
        self.at: Address = ("127.0.0.1", 0)
        self.fault: Fault = "none"
        self.connections = 0
        self.met: dict[Fault, int] = {}
        """How many connections met each fault."""
        self._server = server
        self._delay = delay
        self._loop = asyncio.new_event_loop()
        self._open: set[asyncio.StreamWriter] = set()

    def cut(self) -> int:
        """Cut all connections at once; say how many there were."""
        return asyncio.run_coroutine_threadsafe(self._cut(), self._loop).result(10)

    async def _cut(self) -> int:
        writers = list(self._open)
        for writer in writers:
            writer.transport.abort()
        return len(writers) // 2

    async def _listen(self, at: Address) -> asyncio.Server:
        if isinstance(at, Path):
            listening = await asyncio.start_unix_server(self._meet, at)
            self.at = at
        else:
            listening = await asyncio.start_server(self._meet, *at)
            self.at = listening.sockets[0].getsockname()[:2]
        return listening

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        if self.fault == "refuse":
            self._note("refuse")
            writer.transport.abort()
            return
        try:
            if isinstance(self._server, Path):
                their_reader, their_writer = await asyncio.open_unix_connection(self._server)
            else:
                their_reader, their_writer = await asyncio.open_connection(*self._server)
        except OSError:
            writer.transport.abort()
            return
        pair = (writer, their_writer)
        self._open.update(pair)
        dead = asyncio.Event()
        try:
            await asyncio.gather(
                self._carry(reader, their_writer, pair, dead, answers=False),
                self._carry(their_reader, writer, pair, dead, answers=True),
            )
        finally:
            self._open.difference_update(pair)
            for one in pair:
                one.transport.abort()

    async def _carry(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        pair: tuple[asyncio.StreamWriter, asyncio.StreamWriter],
        dead: asyncio.Event,
        *,
        answers: bool,
    ) -> None:
        try:
            while piece := await reader.read(1 << 16):
                match self.fault:
                    case "delay":
                        self._note("delay")
                        await asyncio.sleep(self._delay)
                    case "swallow":
                        self._bury(dead, "swallow")
                    case "swallow answers" if answers:
                        self._bury(dead, "swallow answers")
                    case "cut answers" if answers:
                        self._note("cut answers")
                        break
                    case _:
                        pass
                # Once something is missing, what follows would be taken for it.
                if not dead.is_set():
                    writer.write(piece)
                    await writer.drain()
        except OSError:
            pass  # one side is gone, so the other one goes
        for one in pair:
            one.transport.abort()

    def _bury(self, dead: asyncio.Event, fault: Fault) -> None:
        if not dead.is_set():
            self._note(fault)
            dead.set()

    def _note(self, fault: Fault) -> None:
        self.met[fault] = self.met.get(fault, 0) + 1


@contextmanager
def proxying(server: Address, at: Address = ("127.0.0.1", 0), *, delay: float = 0.3) -> Iterator[Proxy]:
    """Stand before a server while the body runs."""
    proxy = Proxy(server, delay=delay)
    loop = proxy._loop
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    listening = asyncio.run_coroutine_threadsafe(proxy._listen(at), loop).result(10)
    try:
        yield proxy
    finally:
        proxy.fault = "refuse"
        loop.call_soon_threadsafe(listening.close)
        proxy.cut()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
