"""How a block's address is spelled as a path. Frozen: a changed spelling loses people's data (`tests/upgrade`).

    <root>/<scope>/<owner>/<KEY>.md                     the tenant `default`
    <root>/@tenants/<tenant>/<scope>/<owner>/<KEY>.md   any other

Injective, also on disks that fold case, strip trailing dots and spaces,
normalise Unicode, know device names, or stop at 255 bytes:

* `@tenants` is no scope, so nothing of the tenant `default` can lie in it.
* An *id* (owner or tenant) that is plain stands as it is: lower-case ASCII
  without `~`, no device's name. Any other id is a readable stem, `~`, and 160
  bits of its SHA-256. The first holds no `~`, the second always does; two plain
  ones differ before folding and after; two others differ in their digests.
* A *key* that is plain stands as it is: upper-case ASCII without `~`. Any other
  is preceded by `<mask>~`, whose bits say which of its characters are
  lower-case letters. So `USER` is `USER.md` and `user` is `f~user.md`: fold
  them, and the mask still tells them apart. From mask and name the key can be read back.
* Device names count up to the first dot, and a name of ours with `~` has one
  before any dot: no device, no dot-file, no trailing dot (`.md` ends a key).
"""

import hashlib
import re
from typing import Final

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import DEFAULT_TENANT, TenantId, block_name
from wellkept.model.keys import Scope

TENANTS: Final = "@tenants"
"""The folder of all tenants but the default one."""

_SUFFIX: Final = ".md"
_PLAIN_ID: Final = re.compile(r"[a-z0-9](?:[a-z0-9_.@+-]{0,62}[a-z0-9_@+-])?")
_DIGESTED_ID: Final = re.compile(r"[a-z0-9_-]{1,32}~[0-9a-f]{40}")
_PLAIN_KEY: Final = re.compile(r"[A-Z0-9_][A-Z0-9_.-]*")
_MASKED_KEY: Final = re.compile(r"([0-9a-f]{1,16})~([A-Za-z0-9_.-]{1,64})")
_DEVICES: Final = frozenset(
    {"CON", "PRN", "AUX", "NUL", *(f"{port}{number}" for port in ("COM", "LPT") for number in range(10))}
)


def scope_path(tenant: TenantId, scope: Scope) -> tuple[str, ...]:
    """Name the folders, from the root on, that hold a tenant's blocks of one scope."""
    return (scope,) if tenant == DEFAULT_TENANT else (TENANTS, spell_id(tenant), scope)


def spell_id(value: str) -> str:
    """Name a folder after an owner or a tenant."""
    if _PLAIN_ID.fullmatch(value) and not _is_device(value):
        return value
    stem = "".join(char if char in "abcdefghijklmnopqrstuvwxyz0123456789_" else "-" for char in value.lower())
    return f"{stem.strip('-')[:32] or 'id'}~{hashlib.sha256(value.encode()).hexdigest()[:40]}"


def is_id(name: str) -> bool:
    """Say whether a folder may have got its name from `spell_id`."""
    return _DIGESTED_ID.fullmatch(name) is not None or (
        _PLAIN_ID.fullmatch(name) is not None and spell_id(name) == name
    )


def spell_key(key: str) -> str:
    """Name a file after a block's key."""
    if _PLAIN_KEY.fullmatch(key) and not _is_device(key):
        return key + _SUFFIX
    mask = sum(1 << place for place, char in enumerate(key) if char.islower())
    return f"{mask:x}~{key}{_SUFFIX}"


def read_key(name: str) -> str | None:
    """Read the key back from a file's name; None when `spell_key` never gave that name."""
    stem = name.removesuffix(_SUFFIX)
    masked = _MASKED_KEY.fullmatch(stem)
    try:
        key = block_name(masked.group(2) if masked else stem)
    except InvalidInput:
        return None
    return key if spell_key(key) == name else None


def _is_device(name: str) -> bool:
    return name.partition(".")[0].upper() in _DEVICES
