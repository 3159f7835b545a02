"""The embedder at work: in bounded batches, in bounded time, and never the failure of what it serves."""

import asyncio
from collections.abc import Sequence
from typing import Final

from wellkept.contract.embedder import Embedder
from wellkept.contract.events import Event, Listener
from wellkept.model.errors import EmbedderFailed
from wellkept.model.ids import TenantId
from wellkept.model.passages import Passage, Vector
from wellkept.rules.recall.entry import spoken

BATCH: Final = 128
"""Texts that are embedded at once."""

MAX_QUERY_CHARS: Final = 2_000
"""What of a query is embedded: its beginning. Its words are all looked for."""

_QUERY_SECONDS: Final = 2.0
_BATCH_SECONDS: Final = 60.0


class Embedding:
    """Embeds passages and queries. `embedder` None: there are only words."""

    def __init__(
        self,
        embedder: Embedder | None,
        *,
        listener: Listener,
        query_seconds: float = _QUERY_SECONDS,
        batch_seconds: float = _BATCH_SECONDS,
    ) -> None:
        self._embedder = embedder
        self._listener = listener
        self._query_seconds = query_seconds
        self._batch_seconds = batch_seconds

    @property
    def model(self) -> str | None:
        """Name what makes the vectors."""
        return None if self._embedder is None else self._embedder.model

    async def of_query(self, tenant: TenantId, text: str) -> Vector | None:
        """Embed a query; None: that is not possible, or not in time."""
        if self._embedder is None:
            return None
        try:
            (vector,) = await _embed(self._embedder, [text[:MAX_QUERY_CHARS]], query=True, within=self._query_seconds)
        except EmbedderFailed as error:
            self._failed(tenant, 1, error)
            return None
        return vector

    async def of_new(self, tenant: TenantId, passages: Sequence[Passage]) -> list[Vector | None]:
        """Embed passages; those that cannot be embedded now have None."""
        vectors: list[Vector | None] = []
        for start in range(0, len(passages), BATCH):
            batch = passages[start : start + BATCH]
            try:
                vectors += await self.of_passages(batch)
            except EmbedderFailed as error:
                missing = len(passages) - len(vectors)
                self._failed(tenant, missing, error)
                return vectors + [None] * missing  # what failed now would fail for the rest as well
        return vectors

    async def of_passages(self, passages: Sequence[Passage]) -> list[Vector | None]:
        """Embed a batch of passages; without an embedder each has None.

        Raises:
            EmbedderFailed: None of them could be embedded.
        """
        if self._embedder is None:
            return [None] * len(passages)
        texts = [spoken(passage.speaker, passage.at, passage.text) for passage in passages]
        return [*await _embed(self._embedder, texts, query=False, within=self._batch_seconds)]

    async def close(self) -> None:
        """Let the embedder go."""
        if self._embedder is not None:
            await self._embedder.close()

    def _failed(self, tenant: TenantId, count: int, error: EmbedderFailed) -> None:
        self._listener(Event(kind="embed_failed", tenant=tenant, count=count, error=error.code))


async def _embed(embedder: Embedder, texts: Sequence[str], *, query: bool, within: float) -> list[Vector]:
    """Ask an embedder, who may be anybody's: whatever it raises, and an answer that is none, is its failure.

    Raises:
        EmbedderFailed: The answer is late, or not one.
    """
    model = embedder.model
    running = asyncio.ensure_future(embedder.embed(texts, query=query))
    try:
        await asyncio.wait([running], timeout=within)
    finally:
        running.cancel()
    if not running.done():
        raise EmbedderFailed(model=model, problem=f"did not answer within {within:g} seconds")
    error = running.exception()
    if error is not None:
        raise error if isinstance(error, EmbedderFailed) else EmbedderFailed(model=model, problem="raised") from error
    vectors = running.result()
    if len(vectors) != len(texts):
        raise EmbedderFailed(model=model, problem=f"answered {len(texts)} texts with {len(vectors)} vectors")
    if any((vector.model, vector.size) != (model, embedder.size) for vector in vectors):
        raise EmbedderFailed(model=model, problem="answered with a vector of another model or size")
    return vectors
