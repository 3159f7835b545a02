"""The embedders that need no network: the table in the package, and a small transformer."""

import hashlib
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from wellkept.contract.embedder import Embedder
from wellkept.embedders.onnx import OnnxEmbedder
from wellkept.embedders.static import SHA256, StaticEmbedder
from wellkept.model.errors import EmbedderFailed
from wellkept.rules.recall.vectors import numbers_of
from wellkept.testing.embedder import EmbedderContract

MOST_BYTES = 7 * 1024 * 1024

FIRST = [-0.24, 0.05, -0.13, 0.03, -0.01, 0.12]
"""How the vector of one text begins."""


async def nearness(embedder: Embedder, one: str, other: str) -> float:
    first, second = await embedder.embed([one, other])
    return sum(a * b for a, b in zip(numbers_of(first), numbers_of(second), strict=True))


class TestStatic(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return StaticEmbedder()


class TestOnnx(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return OnnxEmbedder()


@pytest.mark.parametrize("embedder", [StaticEmbedder(), OnnxEmbedder()], ids=["static", "onnx"])
@pytest.mark.parametrize(
    ("near", "far"),
    [
        (("my dog was sick", "the puppy is ill"), ("my dog was sick", "the invoice is overdue")),
        (("she bought a car", "an automobile was purchased"), ("she bought a car", "the cake needs more sugar")),
        (("where does he live?", "his home is in Oslo"), ("where does he live?", "the printer jammed again")),
    ],
)
async def test_what_means_the_same_lies_nearer(embedder: Embedder, near: tuple[str, str], far: tuple[str, str]) -> None:
    assert await nearness(embedder, *near) > await nearness(embedder, *far)


def test_the_table_is_the_one_that_is_named_and_is_small() -> None:
    table = files("wellkept.embedders.static").joinpath("table.bin").read_bytes()
    assert hashlib.sha256(table).hexdigest() == SHA256
    assert len(table) <= MOST_BYTES


async def test_the_static_vectors_stay_what_they_are() -> None:
    """Stored vectors are compared with those of later releases: another vector needs another model's name."""
    (vector,) = await StaticEmbedder().embed(["My sister keeps bees behind the old mill."])
    told = numbers_of(vector)
    assert [round(number, 2) for number in told[:6]] == FIRST
    assert StaticEmbedder().model == "wellkept-static-minilm-1"


async def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(EmbedderFailed, match="not a model"):
        await OnnxEmbedder(path).embed(["x"])
    with pytest.raises(EmbedderFailed, match="cannot be read"):
        await OnnxEmbedder(tmp_path / "missing.onnx").embed(["x"])


def test_nothing_is_fetched() -> None:
    """Recall with its default embedder, and the transformer, in a process that may open no socket."""
    code = """
import asyncio, socket, sys
def refuse(*_, **__):
    raise AssertionError("a socket was opened")
# The event loop wakes itself by a pair of sockets, which leads nowhere.
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
from datetime import datetime, UTC
from wellkept import InProcessRecall, Said
from wellkept.embedders.onnx import OnnxEmbedder
async def main(embedder):
    async with InProcessRecall(embedder=embedder) as recall:
        said = [Said(text="My sister keeps bees.", speaker="Ann", at=datetime(2026, 5, 8, tzinfo=UTC))]
        await recall.ingest(said, agent="a", user_id="u", session_id="s")
        found = await recall.search("who has bees?", agent="a", user_id="u")
        assert found.degraded == () and found.data[0].passage.text == "My sister keeps bees.", found
asyncio.run(main("static"))
asyncio.run(main(OnnxEmbedder()))
print("recalled")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "recalled\n"), done.stderr
