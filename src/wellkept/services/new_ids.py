"""New ids and secrets, which nobody can guess."""

import hashlib
import secrets
import string
from typing import Final

_BASE62: Final = string.digits + string.ascii_letters
_RANDOM: Final = secrets.SystemRandom()
"""Draws from the system's source of randomness, a whole id at once."""


def new_id(prefix: str) -> str:
    """Make an id: `prefix` and 16 letters or digits."""
    return prefix + _random(16)


def new_secret() -> str:
    """Make an API key: `wk_` and 40 letters or digits."""
    return "wk_" + _random(40)


def hash_of(secret: str) -> str:
    """Give what is kept of a secret: its SHA-256 in hexadecimal. Any string has one."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _random(length: int) -> str:
    return "".join(_RANDOM.choices(_BASE62, k=length))
