"""The forward pass of a small BERT, in double precision.

In double precision because the table must come out the same to the byte on
every machine: what different processors round differently is then far smaller
than what the table's own rounding leaves.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from embedder_build.models import Weights

Numbers = NDArray[np.float64]

_HEADS: Final = 12
_FIRST, _LAST = 101, 102
"""[CLS] and [SEP]."""
_BATCH: Final = 512


def views(weights: Weights, tokens: int) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield, batch by batch, each token embedded alone: the mean over `[CLS] token [SEP]`, and its own place."""
    for start in range(0, tokens, _BATCH):
        middle = np.arange(start, min(start + _BATCH, tokens))
        ids = np.stack([np.full_like(middle, _FIRST), middle, np.full_like(middle, _LAST)], axis=1)
        hidden = _forward(weights, ids)
        yield hidden.mean(axis=1), hidden[:, 1]


def _forward(weights: Weights, ids: NDArray[np.int64]) -> Numbers:
    part = "embeddings."
    hidden = weights[f"{part}word_embeddings.weight"][ids]
    hidden = hidden + weights[f"{part}position_embeddings.weight"][: ids.shape[1]]
    hidden = _normal(weights, f"{part}LayerNorm", hidden + weights[f"{part}token_type_embeddings.weight"][0])
    layers = sum(name.endswith(".intermediate.dense.bias") for name in weights)
    for layer in range(layers):
        part = f"encoder.layer.{layer}."
        mixed = _linear(weights, f"{part}attention.output.dense", _attention(weights, part, hidden))
        hidden = _normal(weights, f"{part}attention.output.LayerNorm", hidden + mixed)
        inner = _linear(weights, f"{part}intermediate.dense", hidden)
        inner = inner * 0.5 * (1.0 + erf(inner / np.sqrt(2.0)))
        hidden = _normal(weights, f"{part}output.LayerNorm", hidden + _linear(weights, f"{part}output.dense", inner))
    return hidden


def _attention(weights: Weights, part: str, hidden: Numbers) -> Numbers:
    rows, places, size = hidden.shape

    def heads(name: str) -> Numbers:
        told = _linear(weights, f"{part}attention.self.{name}", hidden)
        return told.reshape(rows, places, _HEADS, size // _HEADS).transpose(0, 2, 1, 3)

    scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / np.sqrt(size // _HEADS)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    told = scores / scores.sum(axis=-1, keepdims=True) @ heads("value")
    return told.transpose(0, 2, 1, 3).reshape(rows, places, size)


def _linear(weights: Weights, name: str, hidden: Numbers) -> Numbers:
    return hidden @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _normal(weights: Weights, name: str, hidden: Numbers) -> Numbers:
    centred = hidden - hidden.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    return centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]
