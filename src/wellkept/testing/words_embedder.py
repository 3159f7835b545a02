"""An embedder that needs no model: texts that share words lie close to each other."""

import asyncio
import re
import zlib
from collections.abc import Sequence
from typing import Final

from wellkept.contract.embedder import Embedder
from wellkept.model.errors import EmbedderFailed
from wellkept.model.passages import Vector
from wellkept.rules.recall.vectors import vector_of

# Words that mean the same, so that a test can find by meaning what shares no word.
_SAME: Final = {"dog": "pet", "hound": "pet", "car": "vehicle", "automobile": "vehicle"}


class WordsEmbedder(Embedder):
    """Counts words into `size` buckets. `down` makes it fail, `slow` keeps it from ever answering.

    It knows that a hound is a dog, and an automobile a car. `given` are the texts that it was given.
    """

    local = True

    def __init__(self, model: str = "words-1", size: int = 64) -> None:
        """Embed as `model`, in `size` dimensions."""
        self._model = model
        self._size = size
        self.down = False
        self.slow = False
        self.closed = False
        self.given: list[str] = []

    @property
    def model(self) -> str:
        """Name what makes the vectors."""
        return self._model

    @property
    def size(self) -> int:
        """Give the number of dimensions."""
        return self._size

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        """Embed texts."""
        if self.slow:
            await asyncio.Event().wait()
        if self.down:
            raise EmbedderFailed(model=self._model, problem="is down")
        self.given += texts
        return [self._one(text) for text in texts]

    async def close(self) -> None:
        """Note it."""
        self.closed = True

    def _one(self, text: str) -> Vector:
        numbers = [0.001] * self._size
        words: list[str] = re.findall(r"\w+", text.lower())
        for word in words:
            numbers[zlib.crc32(_SAME.get(word, word).encode()) % self._size] += 1.0
        return vector_of(numbers, model=self._model, size=self._size)
