"""Text of others on a terminal: shown, never obeyed."""

import unicodedata
from typing import Final

_REORDERING: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_KEPT: Final = frozenset("\n\t")


def shown(text: str) -> str:
    """Escape what moves a terminal's cursor, colours it or turns its text around; lines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spelt(char) if _acts(char) else char for char in text)


def in_one_line(text: str) -> str:
    """Escape line ends and tabs as well, and the backslash that would be taken for an escape."""
    doubled = text.replace("\\", "\\\\")
    return shown(doubled).replace("\n", "\\n").replace("\t", "\\t")


def _acts(char: str) -> bool:
    return char not in _KEPT and (char in _REORDERING or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp"))


def _spelt(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
