"""The embedder that comes with the package: a table of tokens, and no model that runs.

A text is where the weighted mean of its tokens is. How the table came about
stands in docs/why/recall.md; `SHA256` says which one it is.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from wellkept.contract.embedder import Embedder
from wellkept.embedders.rows import vectors_of
from wellkept.embedders.wordpiece import WordPiece
from wellkept.model.errors import EmbedderFailed
from wellkept.model.passages import Vector

MODEL: Final = "wellkept-static-minilm-1"
SIZE: Final = 208

SHA256: Final = "6bf325628c620a3c57804ab19e5c3db9d0771c9adced31c7fa4f17fca0871e8b"
"""Of `table.bin`: another table is another model, and needs another name."""

_MAGIC: Final = b"WKSTATIC"
_FIRST_WORD: Final = 999
"""Where in BERT's vocabulary the table's second token is; the first is `[UNK]`."""

_LONGEST: Final = 20_000
"""Characters of a text that are read."""


class _Table:
    """The tokens of a file, and where each of them is."""

    def __init__(self, raw: bytes) -> None:
        start = 12 + int.from_bytes(raw[8:12], "little")
        told = json.loads(raw[12:start])
        many, size, words = told["tokens"], told["size"], start + told["words"]
        self.words = raw[start:words].decode().split("\n")
        self.tokens = WordPiece({token: at for at, token in enumerate(self.words)}, unknown=0)
        self.scales: NDArray[np.float32] = np.frombuffer(raw, "<f2", many, words).astype(np.float32)
        self.rows = np.frombuffer(raw, np.int8, many * size, words + 2 * many).reshape(many, size)

    def row(self, text: str) -> NDArray[np.float32]:
        """Add up the tokens of a text; those that are not in the table count only where nothing else is."""
        found = self.tokens.tokens(text[:_LONGEST])
        known = [token for token in found if token] or [0]
        told: NDArray[np.float32] = self.scales[known] @ self.rows[known].astype(np.float32)
        return told


@cache
def _table() -> _Table:
    raw = files("wellkept.embedders.static").joinpath("table.bin").read_bytes()
    if not raw.startswith(_MAGIC) or hashlib.sha256(raw).hexdigest() != SHA256:
        raise EmbedderFailed(model=MODEL, problem="the table in the package is not the one that was built")
    return _Table(raw)


def uncased_vocabulary() -> list[str]:
    """Return the tokens of BERT's uncased vocabulary; those that no text has are empty."""
    unknown, *rest = _table().words
    front = [""] * _FIRST_WORD
    front[100:103] = [unknown, "[CLS]", "[SEP]"]
    return [*front, *rest]


class StaticEmbedder(Embedder):
    """Embeds offline, in a twentieth of a millisecond. The table is read when it is first needed."""

    local: ClassVar[bool] = True

    @property
    def model(self) -> str:
        return MODEL

    @property
    def size(self) -> int:
        return SIZE

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        if not texts:
            return []
        table = _table()
        return vectors_of(np.stack([table.row(text) for text in texts]), model=MODEL)
