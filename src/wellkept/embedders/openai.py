"""Any endpoint that speaks OpenAI's `/v1/embeddings`, OpenAI's own or one at home."""

import asyncio
from collections.abc import Sequence
from typing import Final

import httpx2
import msgspec

from wellkept.contract.embedder import Embedder
from wellkept.model.errors import EmbedderFailed
from wellkept.model.passages import Vector
from wellkept.rules.recall.vectors import vector_of

BASE_URL: Final = "https://api.openai.com/v1"

BATCH: Final = 64
"""Texts in one request."""

_LONGEST: Final = 20_000
"""Characters of a text that are sent."""

_MOST_BYTES: Final = 64 * 1024 * 1024
"""Of an answer that are read."""

_TRIES: Final = 3
_AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})

_KNOWN_SIZES: Final = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}


class _One(msgspec.Struct):
    index: int
    embedding: list[float]


class _Answer(msgspec.Struct):
    data: list[_One]


class OpenAIEmbedder(Embedder):
    """Embeds over HTTP, `BATCH` texts at a time. A request that fails in passing is sent again, twice.

    `size` is asked of the endpoint and checked on every answer; None: the size
    that is known for the model. `timeout` is in seconds, for one try.

    Raises:
        EmbedderFailed: The size of the model is neither given nor known.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        size: int | None = None,
        timeout: float = 20.0,
        wait: float = 0.5,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        known = _KNOWN_SIZES.get(model)
        if size is None and known is None:
            raise EmbedderFailed(model=model, problem="has a size that is not known; name it, as in MODEL/SIZE")
        self._asked = model
        self._shortened = size if size != known else None
        self._size = size or known or 0
        self._wait = wait
        self._timeout = timeout
        self._client = httpx2.AsyncClient(
            base_url=(base_url or BASE_URL).rstrip("/") + "/",
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            timeout=timeout,
            transport=transport,
        )

    @property
    def model(self) -> str:
        return self._asked if self._shortened is None else f"{self._asked}/{self._size}"

    @property
    def size(self) -> int:
        return self._size

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        vectors: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            vectors += await self._batch([text[:_LONGEST] for text in texts[start : start + BATCH]])
        return vectors

    async def close(self) -> None:
        await self._client.aclose()

    async def _batch(self, texts: Sequence[str]) -> list[Vector]:
        answer = self._read(await self._sent(texts))
        found = {one.index: one.embedding for one in answer.data}
        if sorted(found) != list(range(len(texts))) or len(answer.data) != len(texts):
            raise self._failed(f"answered {len(texts)} texts with {len(answer.data)} vectors")
        return [vector_of(found[at], model=self.model, size=self._size) for at in range(len(texts))]

    async def _sent(self, texts: Sequence[str]) -> bytes:
        body: dict[str, object] = {"model": self._asked, "input": texts, "encoding_format": "float"}
        if self._shortened is not None and self._asked in _KNOWN_SIZES:
            body["dimensions"] = self._shortened
        problem = ""
        for tried in range(_TRIES):
            if tried:
                await asyncio.sleep(self._wait * 2 ** (tried - 1))
            try:
                async with asyncio.timeout(self._timeout):
                    async with self._client.stream("POST", "embeddings", json=body) as response:
                        if response.status_code == 200:
                            return await self._whole(response)
            except (httpx2.TransportError, TimeoutError) as error:
                problem = f"cannot be reached: {type(error).__name__}"
                continue
            problem = f"answered with status {response.status_code}"
            if response.status_code not in _AGAIN:
                break
        raise self._failed(problem)

    async def _whole(self, response: httpx2.Response) -> bytes:
        parts: list[bytes] = []
        length = 0
        async for part in response.aiter_bytes():
            parts.append(part)
            length += len(part)
            if length > _MOST_BYTES:
                raise self._failed("answered with more than can be right")
        return b"".join(parts)

    def _read(self, body: bytes) -> _Answer:
        try:
            return msgspec.json.decode(body, type=_Answer)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise self._failed("answered with something else than vectors") from error

    def _failed(self, problem: str) -> EmbedderFailed:
        return EmbedderFailed(model=self.model, problem=problem)
