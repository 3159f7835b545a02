"""Tenants and their keys."""

from datetime import datetime

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import TenantId
from wellkept.model.text import checked_text, has_control, has_visible


class Tenant(msgspec.Struct, frozen=True, kw_only=True):
    """One customer of a server."""

    id: TenantId
    name: str
    created_at: datetime


class Holdings(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a tenant's a store keeps."""

    agents: int = 0
    blocks: int = 0
    memories: int = 0
    sessions: int = 0
    held: int = 0
    passages: int = 0


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """An API key as it is kept: by the hash of its secret (SHA-256, hexadecimal). `hint` is its readable beginning.

    A key with a `user_id` acts for that user alone.

    Raises:
        InvalidInput: The name is not 1–80 visible characters.
    """

    id: str
    tenant: TenantId
    name: str
    hash: str
    hint: str
    created_at: datetime
    user_id: str = ""
    revoked_at: datetime | None = None

    def __post_init__(self) -> None:
        name = checked_text(self.name, param="name")
        if not has_visible(name) or has_control(name) or len(name) > 80:
            raise InvalidInput(param="name", problem="must have 1 to 80 visible characters, no control characters")


class Once(msgspec.Struct, frozen=True, kw_only=True):
    """An idempotency key and the fingerprint of the request it came with: the same again is done once.

    `operation` keeps the keys of different operations apart.

    Raises:
        InvalidInput: The key is not 1–200 printable ASCII characters.
    """

    operation: str
    key: str
    fingerprint: str

    def __post_init__(self) -> None:
        if not 1 <= len(self.key) <= 200 or not all("!" <= char <= "~" for char in self.key):
            raise InvalidInput(
                param="Idempotency-Key", problem="must be 1 to 200 printable ASCII characters without spaces"
            )
