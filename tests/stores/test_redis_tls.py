"""Redis over TLS: its certificate is checked, by the authority that the URL names."""

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import redis_server
from wellkept.compose.stores import open_block_store
from wellkept.model.errors import StoreUnavailable
from wellkept.testing.samples import a_block, a_change, a_key


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate for this machine that vouches for itself, and its key."""
    made, key = folder / f"{name}.pem", folder / f"{name}.key"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", made, "-keyout", key]
    subprocess.run(command, check=True, capture_output=True)
    return made, key


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    """Speak TLS before a server of the tests, which cannot itself."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate(tmp_path, "server"))

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
        writer.close()

    with redis_server.serving() as behind:

        async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            there, back = await asyncio.open_unix_connection(behind.socket)
            await asyncio.gather(copy(reader, back), copy(there, writer), return_exceptions=True)

        server = await asyncio.start_server(pass_on, "127.0.0.1", 0, ssl=context)
        yield f"localhost:{server.sockets[0].getsockname()[1]}"
        server.close()


@pytest.mark.parametrize("url", ["rediss://{address}?ca={ca}", "redis://{address}?tls=true&ca={ca}"])
async def test_a_block_comes_back_over_tls(address: str, tmp_path: Path, url: str) -> None:
    store = await open_block_store(url.format(address=address, ca=tmp_path / "server.pem"))
    await store.put(a_block("over TLS"), expect=None, change=a_change())
    assert await store.get(a_key()) == a_block("over TLS")
    await store.close()


@pytest.mark.parametrize("who", ["another's", "the machine's"])
async def test_a_server_that_nobody_vouches_for_is_not_spoken_to(address: str, tmp_path: Path, who: str) -> None:
    ca = f"?ca={certificate(tmp_path, 'another')[0]}" if who == "another's" else ""
    with pytest.raises(StoreUnavailable):
        await open_block_store(f"rediss://{address}{ca}")


async def test_without_tls_a_server_that_wants_it_does_not_answer(address: str) -> None:
    with pytest.raises(StoreUnavailable):
        await open_block_store(f"redis://{address}?timeout=2")
