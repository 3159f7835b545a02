"""How an embedder is named."""

import subprocess
import sys
from pathlib import Path

import pytest

from wellkept.compose.embedder import open_embedder
from wellkept.embedders.onnx import OnnxEmbedder
from wellkept.embedders.openai import OpenAIEmbedder
from wellkept.embedders.static import StaticEmbedder
from wellkept.model.errors import InvalidSetting
from wellkept.testing.words_embedder import WordsEmbedder


def test_without_a_name_it_is_the_one_that_comes_with_the_package() -> None:
    assert isinstance(open_embedder(), StaticEmbedder)
    assert isinstance(open_embedder("static"), StaticEmbedder)


def test_the_environment_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLKEPT_EMBEDDER", "none")
    assert open_embedder() is None
    assert isinstance(open_embedder("static"), StaticEmbedder)


def test_one_that_is_there_is_taken_as_it_is() -> None:
    embedder = WordsEmbedder()
    assert open_embedder(embedder) is embedder


def test_a_remote_one_is_named_with_its_model_size_and_place() -> None:
    remote = open_embedder("openai:some/model/256@http://127.0.0.1:9/v1")
    assert isinstance(remote, OpenAIEmbedder)
    assert remote.size == 256
    assert "some/model" in remote.model
    assert isinstance(open_embedder("openai:text-embedding-3-small"), OpenAIEmbedder)


def test_a_small_transformer_is_named_with_its_file_or_without(tmp_path: Path) -> None:
    assert isinstance(open_embedder("onnx"), OnnxEmbedder)
    assert isinstance(open_embedder(f"onnx:{tmp_path / 'model.onnx'}"), OnnxEmbedder)


@pytest.mark.parametrize("named", ["nothing", "static:x", "none:x", "openai", "openai:", "openai:a b", ":", "STATIC"])
def test_what_names_none_is_refused(named: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        open_embedder(named)
    assert caught.value.facts["setting"] == "WELLKEPT_EMBEDDER"
    assert "openai:MODEL" in str(caught.value.facts["do"])


@pytest.mark.parametrize(
    ("named", "package", "told"),
    [("static", "numpy", "recall"), ("onnx", "onnxruntime", "onnx"), ("openai:text-embedding-3-small", "httpx2", "")],
)
def test_what_is_not_installed_is_named(named: str, package: str, told: str) -> None:
    code = f"""
import sys
sys.modules[{package!r}] = None
from wellkept.compose.embedder import open_embedder
from wellkept.model.errors import MissingExtra
try:
    open_embedder({named!r})
except MissingExtra as error:
    print(error)
"""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert f"wellkept[{told}" in answer


def test_naming_one_loads_nothing_and_without_numpy_there_is_none() -> None:
    code = """
import sys
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "numpy" else real(name, *rest)
sys.modules["numpy"] = None
from wellkept.compose.embedder import open_embedder
print(open_embedder())
"""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert answer.strip() == "None"
