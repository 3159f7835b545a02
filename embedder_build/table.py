"""From what the models say of each token to the table that ships.

Four views of a token (both models; the whole of `[CLS] token [SEP]`, and the
token's own place in it) stand side by side, each centred and scaled to the same
spread; a principal component analysis keeps the directions that tell tokens
apart. A token weighs the logarithm of its rank: the vocabulary is ordered by how
frequent a token was in BERT's own corpus, and by Zipf's law the rank is its
inverse frequency. So no other text is needed.
"""

import json
import struct
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

MODEL: Final = "wellkept-static-minilm-1"
SIZE: Final = 208
MAGIC: Final = b"WKSTATIC"

_FIRST_WORD: Final = 999
"""The tokens before it are `[PAD]`, `[CLS]` and the like, and places that were never used."""

_UNKNOWN: Final = 100


def table_of(tokens: Sequence[str], views: Sequence[Numbers]) -> bytes:
    """Return the file: a header in JSON, the tokens, a scale for each, and their rows in int8."""
    kept = [_UNKNOWN, *range(_FIRST_WORD, len(tokens))]
    rows = _reduced(np.hstack([_spread(view[kept]) for view in views])) * _weights(len(kept))[:, None]
    scales = (np.abs(rows).max(axis=1) / 127.0).astype("<f2")
    small = np.rint(rows / scales.astype(np.float64)[:, None]).clip(-127, 127).astype(np.int8)
    words = "\n".join(tokens[at] for at in kept).encode()
    header = json.dumps({"model": MODEL, "size": SIZE, "tokens": len(kept), "words": len(words)}).encode()
    return b"".join([MAGIC, struct.pack("<I", len(header)), header, words, scales.tobytes(), small.tobytes()])


def _spread(view: Numbers) -> Numbers:
    centred = view - view.mean(axis=0)
    return centred / np.sqrt((centred**2).sum(axis=1).mean())


def _reduced(rows: Numbers) -> Numbers:
    """Keep the directions that differ most; each points to where its largest part is positive."""
    _, directions = np.linalg.eigh(rows.T @ rows / len(rows))
    kept = directions[:, ::-1][:, :SIZE]
    largest = kept[np.abs(kept).argmax(axis=0), np.arange(SIZE)]
    return rows @ (kept * np.sign(largest))


def _weights(tokens: int) -> Numbers:
    return np.log1p(np.maximum(np.arange(tokens), 1).astype(np.float64))
