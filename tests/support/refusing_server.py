"""A server of Redis' protocol that answers every command alike: with an error, an old version, or not at all."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

Answer = Callable[[str], bytes | None]
"""From a command's name to what is answered; None: nothing ever."""


@asynccontextmanager
async def answering(answer: Answer) -> AsyncIterator[str]:
    """Serve while the body runs; give the URL of a store there."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readline():
                parts = []
                for _ in range(int(head[1:])):
                    size = int((await reader.readline())[1:])
                    parts.append((await reader.readexactly(size + 2))[:-2])
                name = parts[0].decode().upper()
                said = b"+OK\r\n" if name in ("CLIENT", "SELECT", "HELLO") else answer(name)
                if said is not None:
                    writer.write(said)
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield f"redis://127.0.0.1:{port}?timeout=0.5"


def info(**told: str) -> bytes:
    """Spell the answer to INFO."""
    text = "".join(f"{name}:{value}\r\n" for name, value in told.items())
    return f"${len(text)}\r\n{text}\r\n".encode()
