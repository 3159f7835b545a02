"""What text may hold: checked at the boundary, kept exactly as it came."""

import hashlib
import re
import unicodedata
from typing import Final

from wellkept.model.errors import InvalidInput

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_BLANK_SYMBOLS: Final = frozenset("\u2800\u3164\u115f\u1160\uffa0")  # drawn as nothing, though letters or symbols


def checked_text(value: object, *, param: str) -> str:
    """Return `value` if it is text that every store can keep unchanged.

    Raises:
        InvalidInput: It is not a string, or holds NUL or a lone surrogate.
    """
    if not isinstance(value, str):
        raise InvalidInput(param=param, problem=f"must be text, not {type(value).__name__}")
    if value.isascii() and "\0" not in value:
        return value  # what most texts are; rows are checked as they are read, by the hundred
    found = _UNSTORABLE.search(value)
    if found:
        raise InvalidInput(
            param=param,
            problem=f"holds U+{ord(found.group()):04X} at position {found.start()}; "
            "NUL and lone surrogates cannot be stored",
        )
    return value


def has_visible(value: str) -> bool:
    """Say whether a person could see anything of `value`: a letter, digit, mark on one, punctuation or symbol.

    A character without a Unicode category of its own (Cn, Co) counts as visible: a font may draw it.
    """
    return "!" <= value[:1] <= "~" or any(_visible(char) for char in value)


def _visible(char: str) -> bool:
    return unicodedata.category(char)[0] not in "ZM" and (
        unicodedata.category(char) not in ("Cc", "Cf", "Cs") and char not in _BLANK_SYMBOLS
    )


def has_control(value: str) -> bool:
    """Say whether `value` holds a control character, a line or paragraph separator."""
    return not value.isprintable() and any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in value)


def etag_of(text: str) -> str:
    """Name a text: equal texts, equal etags. SHA-256 of its UTF-8 bytes, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
