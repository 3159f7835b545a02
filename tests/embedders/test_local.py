"""The embedders that run on this machine."""

import socket
from pathlib import Path

import pytest

from wellkept.contract.embedder import Embedder
from wellkept.embedders.onnx import OnnxEmbedder
from wellkept.embedders.static import SHA256, StaticEmbedder
from wellkept.embedders.wordpiece import WordPiece
from wellkept.model.errors import EmbedderFailed
from wellkept.testing.embedder import MeaningContract


class TestStatic(MeaningContract):
    @pytest.fixture
    async def embedder(self) -> Embedder:
        return StaticEmbedder()

    async def test_nothing_is_fetched(self, embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused(*_: object, **__: object) -> None:
            raise AssertionError("a socket was opened")

        monkeypatch.setattr(socket.socket, "connect", refused)
        assert len(await embedder.embed(["hello"])) == 1

    def test_the_table_is_at_most_7_megabytes(self) -> None:
        import wellkept.embedders.static as package

        assert 3_000_000 < Path(package.__file__).with_name("table.bin").stat().st_size <= 7_000_000
        assert len(SHA256) == 64


class TestOnnx(MeaningContract):
    @pytest.fixture
    async def embedder(self) -> Embedder:
        return OnnxEmbedder()


class TestOnnxAtAPath(MeaningContract):
    @pytest.fixture
    async def embedder(self, tmp_path: Path) -> Embedder:
        from wellkept.embedders import onnx

        copy = tmp_path / "my model.onnx"
        copy.write_bytes(onnx.packaged().read_bytes())
        embedder = OnnxEmbedder(copy)
        assert embedder.model.startswith("my-model-")
        return embedder


async def test_a_model_that_is_not_there_or_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderFailed, match="cannot be read"):
        await OnnxEmbedder(tmp_path / "missing.onnx").embed(["x"])
    nonsense = tmp_path / "nonsense.onnx"
    nonsense.write_bytes(b"\x00\x01\x02 no model")
    with pytest.raises(EmbedderFailed, match="not a model"):
        await OnnxEmbedder(nonsense).embed(["x"])


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("unaffable", ["un", "##aff", "##able"]),
        ("UNaffable!", ["un", "##aff", "##able", "!"]),
        ("Unäffable", ["un", "##aff", "##able"]),
        ("xyz un", ["[UNK]", "un"]),
        ("un-able", ["un", "-", "able"]),
        ("un能able", ["un", "能", "able"]),
        ("un" + "x" * 100, ["[UNK]"]),
        ("", []),
    ],
)
def test_words_become_the_longest_tokens_there_are(text: str, tokens: list[str]) -> None:
    vocabulary = ["[UNK]", "un", "##aff", "##able", "able", "-", "!", "能", "##x"]
    wordpiece = WordPiece({token: at for at, token in enumerate(vocabulary)}, unknown=0)
    assert [vocabulary[at] for at in wordpiece.tokens(text)] == tokens
