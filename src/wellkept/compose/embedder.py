"""From a setting to an embedder. What it needs is imported when it is named."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from wellkept.compose import settings
from wellkept.compose.extras import missing
from wellkept.contract.embedder import Embedder
from wellkept.model.errors import InvalidSetting

WAYS: Final = (
    "write none, static, onnx, onnx:/path/to/model or openai:MODEL[/SIZE][@BASE_URL], "
    "or leave it out: static where numpy is installed, and else none"
)
_REMOTE: Final = re.compile(r"(?P<model>[^@\s]+?)(?:/(?P<size>[1-9]\d{0,4}))?(?:@(?P<base>https?://\S+))?")


def open_embedder(named: Embedder | str | None = None) -> Embedder | None:
    """Give the embedder that `named`, else `WELLKEPT_EMBEDDER`, names; None: recall does with words alone.

    One that is there already is given back. Nothing is read or sent before something is embedded.

    Raises:
        InvalidSetting: No embedder is named so; `do` says how they are named.
        MissingExtra: A package that it needs is not installed.
    """
    if isinstance(named, Embedder):
        return named
    named = named or settings.embedder() or ("static" if find_spec("numpy") else "none")
    kind, _, rest = named.partition(":")
    try:
        match kind, rest:
            case "none", "":
                return None
            case "static", "":
                return _static()
            case "onnx", _:
                return _onnx(rest)
            case "openai", _ if found := _REMOTE.fullmatch(rest):
                return _openai(found["model"], size=found["size"], base_url=found["base"])
            case _:
                raise InvalidSetting(setting="WELLKEPT_EMBEDDER", problem="names no embedder", do=WAYS)
    except ModuleNotFoundError as error:
        raise missing(error, needed_by=f"the embedder {kind}") from error


def _static() -> Embedder:
    from wellkept.embedders.static import StaticEmbedder

    return StaticEmbedder()


def _onnx(path: str) -> Embedder:
    from wellkept.embedders.onnx import OnnxEmbedder

    return OnnxEmbedder(Path(path).expanduser() if path else None)


def _openai(model: str, *, size: str | None, base_url: str | None) -> Embedder:
    from wellkept.embedders.openai import OpenAIEmbedder

    return OpenAIEmbedder(
        model, base_url=base_url, api_key=settings.embedder_key(), size=None if size is None else int(size)
    )
