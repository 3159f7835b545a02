"""Which extra brings a package that is not installed."""

from collections.abc import Mapping
from typing import Final

from wellkept.model.errors import MissingExtra

_EXTRA_OF: Final[Mapping[str, str]] = {
    "filelock": "files",
    "httpx2": "client",
    "numpy": "recall",
    "onnxruntime": "onnx",
    "platformdirs": "files",
    "psycopg": "postgres",
    "pydantic_ai": "runtime",
    "pydantic_core": "runtime",
    "pydantic_settings": "cli",
    "redis": "redis",
}


def missing(error: ModuleNotFoundError, *, needed_by: str) -> MissingExtra:
    """Say what to install so that `needed_by` finds the package that `error` is about."""
    package = (error.name or "").partition(".")[0]
    extra = _EXTRA_OF.get(package, "all")
    return MissingExtra(needed_by=needed_by, package=package, do=f"pip install 'wellkept[{extra}]'")
