"""Named statements, from `.sql` files."""

import re
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Final

_NAME: Final = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


def statements(file: str) -> Mapping[str, str]:
    """Read the statements of `file` beside this module."""
    return named(files("wellkept.stores.postgresql").joinpath(file).read_text(encoding="utf-8"))


def named(text: str) -> Mapping[str, str]:
    """Find the statements of a text: each begins with a line `-- name: its_name`."""
    _, *parts = _NAME.split(text)
    return MappingProxyType({name: sql.strip() for name, sql in zip(parts[::2], parts[1::2], strict=True)})
