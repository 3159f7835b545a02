"""The proxy, before a server that answers with what it was asked."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from trials.tcp_proxy import Proxy, proxying


@pytest.fixture(params=["a port", "a socket"])
async def proxy(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Proxy]:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(1_000):
            writer.write(piece)
        writer.close()

    if request.param == "a port":
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()[:2]
        with proxying((host, port), delay=0.2) as proxy:
            yield proxy
    else:
        server = await asyncio.start_unix_server(echo, tmp_path / "server")
        with proxying(tmp_path / "server", tmp_path / "proxy", delay=0.2) as proxy:
            yield proxy
    server.close()


class Caller:
    """A connection through the proxy."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def of(cls, proxy: Proxy) -> "Caller":
        if isinstance(proxy.at, Path):
            return cls(*await asyncio.open_unix_connection(proxy.at))
        return cls(*await asyncio.open_connection(*proxy.at))

    async def ask(self, what: bytes, *, within: float = 5.0) -> bytes | None:
        """Give the answer; `b""`: the connection is cut; None: no answer in time."""
        try:
            async with asyncio.timeout(within):
                self.writer.write(what)
                return await self.reader.read(1_000)
        except ConnectionError:
            return b""
        except TimeoutError:
            return None


async def test_what_is_sent_goes_through(proxy: Proxy) -> None:
    caller = await Caller.of(proxy)
    assert [await caller.ask(b"one"), await caller.ask(b"two")] == [b"one", b"two"]
    assert proxy.connections == 1


async def test_connections_are_cut_and_may_come_back(proxy: Proxy) -> None:
    caller = await Caller.of(proxy)
    await caller.ask(b"one")
    assert await asyncio.to_thread(proxy.cut) == 1
    assert await caller.ask(b"two") == b""
    assert await (await Caller.of(proxy)).ask(b"three") == b"three"


async def test_new_connections_are_refused(proxy: Proxy) -> None:
    proxy.fault = "refuse"
    assert await (await Caller.of(proxy)).ask(b"one") == b""


async def test_everything_takes_its_time(proxy: Proxy) -> None:
    proxy.fault = "delay"
    caller = await Caller.of(proxy)
    assert await caller.ask(b"one", within=0.1) is None
    assert await caller.ask(b"") == b"one"


@pytest.mark.parametrize("fault", ["swallow", "swallow answers"])
async def test_what_is_swallowed_is_gone_and_so_is_its_connection(proxy: Proxy, fault: str) -> None:
    caller = await Caller.of(proxy)
    proxy.fault = fault
    assert await caller.ask(b"one", within=0.2) is None
    proxy.fault = "none"
    assert await caller.ask(b"two", within=0.2) is None
    assert await (await Caller.of(proxy)).ask(b"three") == b"three"
    assert proxy.met == {fault: 1}


async def test_an_answer_is_cut_off(proxy: Proxy) -> None:
    caller = await Caller.of(proxy)
    proxy.fault = "cut answers"
    assert await caller.ask(b"one") == b""
    assert proxy.met == {"cut answers": 1}
