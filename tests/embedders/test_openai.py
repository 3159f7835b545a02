"""The embedder over HTTP, against a real server that answers well, badly, late or never."""

import asyncio
import json
import math
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from wellkept.contract.embedder import Embedder
from wellkept.embedders.openai import BATCH, OpenAIEmbedder
from wellkept.model.errors import EmbedderFailed
from wellkept.testing.embedder import EmbedderContract

SIZE = 8

Json = dict[str, object]


def rows(texts: list[str]) -> list[Json]:
    """Embed by the letters of a text."""
    return [
        {"index": at, "embedding": [1.0 + sum(map(ord, text[place::SIZE])) % 97 for place in range(SIZE)]}
        for at, text in enumerate(texts)
    ]


@dataclass
class Endpoint:
    """What the server does: `answers` are used up in order, the last one again and again; None: it never answers."""

    answers: list[Callable[[list[str]], tuple[int, bytes]] | None]
    asked: list[Json] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
                headers = {name.lower(): value for name, value in lines.items()}
                body = json.loads(await reader.readexactly(int(headers[b"content-length"])))
                assert head.startswith(b"POST /v1/embeddings ")
                self.asked.append(body)
                self.keys.append(headers.get(b"authorization", b"").decode())
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if answer is None:
                    await asyncio.sleep(3600)
                    return
                status, told = answer(body["input"])
                writer.write(b"HTTP/1.1 %d X\r\ncontent-length: %d\r\n\r\n%s" % (status, len(told), told))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def good(texts: list[str]) -> tuple[int, bytes]:
    return 200, json.dumps({"data": rows(texts)[::-1], "model": "m"}).encode()


def status(code: int) -> Callable[[list[str]], tuple[int, bytes]]:
    return lambda texts: (code, b'{"error": {"message": "no"}}')


def changed(change: Callable[[list[Json]], object]) -> Callable[[list[str]], tuple[int, bytes]]:
    return lambda texts: (200, json.dumps({"data": change(rows(texts))}).encode())


@asynccontextmanager
async def serving(
    *answers: Callable[[list[str]], tuple[int, bytes]] | None,
) -> AsyncGenerator[tuple[Endpoint, OpenAIEmbedder]]:
    endpoint = Endpoint(list(answers))
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0)
    endpoint.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    embedder = OpenAIEmbedder("m", base_url=endpoint.url, api_key="k", size=SIZE, timeout=0.5, wait=0.01)
    try:
        yield endpoint, embedder
    finally:
        await embedder.close()
        server.close()


class TestOpenAI(EmbedderContract):
    @pytest.fixture
    async def embedder(self) -> AsyncGenerator[Embedder]:
        async with serving(good) as (_, embedder):
            yield embedder


async def test_many_texts_go_in_batches_with_the_key() -> None:
    async with serving(good) as (endpoint, embedder):
        vectors = await embedder.embed([f"text {at}" for at in range(2 * BATCH + 1)])
        assert len(vectors) == 2 * BATCH + 1
        assert [len(str(each["input"]) and list(each["input"])) for each in endpoint.asked] == [BATCH, BATCH, 1]  # type: ignore[call-overload]
        assert set(endpoint.keys) == {"Bearer k"}


@pytest.mark.parametrize("code", [429, 500, 503])
async def test_what_fails_in_passing_is_asked_again(code: int) -> None:
    async with serving(status(code), status(code), good) as (endpoint, embedder):
        assert len(await embedder.embed(["x"])) == 1
        assert len(endpoint.asked) == 3


@pytest.mark.parametrize(("code", "times"), [(400, 1), (401, 1), (404, 1), (500, 3)])
async def test_what_fails_for_good_is_said(code: int, times: int) -> None:
    async with serving(status(code)) as (endpoint, embedder):
        with pytest.raises(EmbedderFailed, match=str(code)):
            await embedder.embed(["x"])
        assert len(endpoint.asked) == times


async def test_an_endpoint_that_never_answers_is_given_up() -> None:
    async with serving(None) as (_, embedder):
        with pytest.raises(EmbedderFailed, match="cannot be reached"):
            await embedder.embed(["x"])


async def test_an_endpoint_that_is_not_there_is_said() -> None:
    async with OpenAIClosed() as embedder:
        with pytest.raises(EmbedderFailed, match="cannot be reached"):
            await embedder.embed(["x"])


class OpenAIClosed:
    """An embedder whose endpoint has just gone."""

    async def __aenter__(self) -> OpenAIEmbedder:
        server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()
        self.embedder = OpenAIEmbedder("m", base_url=f"http://127.0.0.1:{port}/v1", size=SIZE, wait=0.01)
        return self.embedder

    async def __aexit__(self, *_: object) -> None:
        await self.embedder.close()


def _with(embedding: object) -> Callable[[list[Json]], object]:
    return lambda told: [{**told[0], "embedding": embedding}, *told[1:]]


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told[:-1],
        lambda told: [*told, *told],
        lambda told: [{**each, "index": 0} for each in told],
        lambda told: [],
        lambda told: "vectors",
        _with([1.0] * (SIZE - 1)),
        _with([0.0] * SIZE),
        _with([math.nan] * SIZE),
        _with([math.inf] * SIZE),
        _with([None] * SIZE),
        _with("AAAA"),
    ],
    ids=["short", "twice", "one index", "none", "no list", "size", "zero", "nan", "inf", "null", "text"],
)
async def test_nonsense_is_refused(change: Callable[[list[Json]], object]) -> None:
    async with serving(changed(change)) as (_, embedder):
        with pytest.raises(EmbedderFailed, match="answered"):
            await embedder.embed(["one", "two"])


async def test_an_answer_that_is_no_json_is_refused() -> None:
    async with serving(lambda texts: (200, b"<html>\xff")) as (_, embedder):
        with pytest.raises(EmbedderFailed, match="something else"):
            await embedder.embed(["x"])


async def test_a_known_model_has_its_size_and_an_unknown_one_needs_it_named() -> None:
    known = OpenAIEmbedder("text-embedding-3-small")
    shorter = OpenAIEmbedder("text-embedding-3-small", size=256)
    assert (known.model, known.size) == ("text-embedding-3-small", 1536)
    assert (shorter.model, shorter.size) == ("text-embedding-3-small/256", 256)
    with pytest.raises(EmbedderFailed, match="not known"):
        OpenAIEmbedder("mine")
    await known.close()
    await shorter.close()
