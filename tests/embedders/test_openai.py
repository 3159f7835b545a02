"""An OpenAI-compatible endpoint: a real HTTP server, which answers well, late, short, wrong or never."""

import asyncio
import hashlib
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from wellkept.contract.embedder import Embedder
from wellkept.embedders.openai import BATCH, OpenAIEmbedder
from wellkept.model.errors import EmbedderFailed
from wellkept.testing.embedder import EmbedderContract

SIZE = 8
Answer = Callable[["Endpoint", dict[str, Any]], Awaitable[tuple[int, bytes]]]


def numbers(text: str) -> list[float]:
    digest = hashlib.sha256(text.encode()).digest()
    return [byte / 255 - 0.5 for byte in digest[:SIZE]]


def vectors(texts: list[str]) -> list[dict[str, Any]]:
    return [{"object": "embedding", "index": at, "embedding": numbers(text)} for at, text in enumerate(texts)]


async def well(endpoint: "Endpoint", body: dict[str, Any]) -> tuple[int, bytes]:
    return 200, json.dumps({"object": "list", "data": vectors(body["input"])[::-1]}).encode()


@dataclass
class Endpoint:
    """A server of one kind of answer."""

    answer: Answer = well
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                headers = dict(line.split(": ", 1) for line in head.decode().lower().split("\r\n")[1:-2])
                body = json.loads(await reader.readexactly(int(headers["content-length"])))
                self.bodies.append(body)
                self.keys.append(headers.get("authorization", ""))
                status, content = await self.answer(self, body)
                writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(answer: Answer = well) -> AsyncIterator[Endpoint]:
    endpoint = Endpoint(answer)
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0)
    endpoint.port = server.sockets[0].getsockname()[1]
    try:
        yield endpoint
    finally:
        server.close()


def asking(endpoint: Endpoint, *, timeout: float = 5.0) -> OpenAIEmbedder:
    return OpenAIEmbedder("m", base_url=endpoint.url, api_key="k", size=SIZE, timeout=timeout, wait=0.01)


class TestOpenAI(EmbedderContract):
    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        async with serving() as endpoint:
            yield asking(endpoint)


async def test_texts_go_in_batches_with_the_key() -> None:
    async with serving() as endpoint:
        texts = [f"text {number}" for number in range(2 * BATCH + 1)]
        found = await asking(endpoint).embed(texts)
    assert [len(body["input"]) for body in endpoint.bodies] == [BATCH, BATCH, 1]
    assert [text for body in endpoint.bodies for text in body["input"]] == texts
    assert len({vector.data for vector in found}) == len(texts)
    assert set(endpoint.keys) == {"bearer k"}


async def test_what_fails_in_passing_is_sent_again() -> None:
    async def at_last(endpoint: Endpoint, body: dict[str, Any]) -> tuple[int, bytes]:
        return (503, b"") if len(endpoint.bodies) < 3 else await well(endpoint, body)

    async with serving(at_last) as endpoint:
        assert len(await asking(endpoint).embed(["x"])) == 1
    assert len(endpoint.bodies) == 3


async def test_what_is_refused_is_not_sent_again() -> None:
    async def refused(endpoint: Endpoint, body: dict[str, Any]) -> tuple[int, bytes]:
        return 401, b'{"error": "no such key"}'

    async with serving(refused) as endpoint:
        with pytest.raises(EmbedderFailed, match="401"):
            await asking(endpoint).embed(["x"])
    assert len(endpoint.bodies) == 1


def one(embedding: object, index: object = 0) -> bytes:
    return json.dumps({"data": [{"index": index, "embedding": embedding}]}).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>",
        b"{}",
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": [NaN, 1, 1, 1, 1, 1, 1, 1]}]}',
        b'{"data": [{"index": 0, "embedding": [1e999, 1, 1, 1, 1, 1, 1, 1]}]}',
        one([0.5] * (SIZE - 1)),
        one([0.5] * (SIZE + 1)),
        one([0.0] * SIZE),
        one([math.sqrt(1 / SIZE)] * SIZE, index=1),
        one(["0.5"] * SIZE),
        json.dumps({"data": [{"index": 0, "embedding": [0.5] * SIZE}] * 2}).encode(),
    ],
)
async def test_an_answer_that_is_wrong_is_refused_whole(content: bytes) -> None:
    async def wrong(endpoint: Endpoint, body: dict[str, Any]) -> tuple[int, bytes]:
        return 200, content

    async with serving(wrong) as endpoint:
        with pytest.raises(EmbedderFailed):
            await asking(endpoint).embed(["x"])


async def test_an_answer_that_never_comes_is_given_up() -> None:
    async def never(endpoint: Endpoint, body: dict[str, Any]) -> tuple[int, bytes]:
        await asyncio.sleep(3600)
        raise AssertionError("the caller is gone")

    async with serving(never) as endpoint:
        with pytest.raises(EmbedderFailed, match="cannot be reached"):
            await asking(endpoint, timeout=0.05).embed(["x"])
    assert len(endpoint.bodies) == 3


async def test_nobody_at_the_address_is_a_failure_of_its_own_kind() -> None:
    async with serving() as endpoint:
        pass
    with pytest.raises(EmbedderFailed, match="cannot be reached"):
        await asking(endpoint).embed(["x"])


def test_a_size_that_nobody_knows_must_be_named() -> None:
    with pytest.raises(EmbedderFailed, match="MODEL/SIZE"):
        OpenAIEmbedder("mine")
    assert OpenAIEmbedder("mine", size=8).model == "mine/8"
    assert (OpenAIEmbedder("text-embedding-3-small").model, OpenAIEmbedder("text-embedding-3-small").size) == (
        "text-embedding-3-small",
        1536,
    )
