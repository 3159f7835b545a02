"""API keys: made, shown once, kept by their hash, revoked."""

from typing import Final

from wellkept.contract.clock import Clock
from wellkept.contract.directory import Directory
from wellkept.model.directory import ApiKey
from wellkept.model.errors import NotFound, Unauthorized
from wellkept.model.ids import TenantId
from wellkept.model.memories import checked_partition
from wellkept.services.audit import Note, entry, unnoted
from wellkept.services.new_ids import hash_of, new_id, new_secret

MAX_KEYS: Final = 100
"""Keys that a tenant may have at once, revoked ones not counted."""

_HINT_CHARS: Final = 8

# Named out here: inside the class, `list` is the method.
_Keys = list[ApiKey]


class Keys:
    """The API keys of all tenants."""

    def __init__(self, directory: Directory, *, clock: Clock, note: Note = unnoted) -> None:
        self._note = note
        self._directory = directory
        self._clock = clock

    async def create(self, tenant: TenantId, name: str, *, user_id: str = "") -> tuple[ApiKey, str]:
        """Make a key, and give the secret, which nobody sees again. With `user_id` it acts for that user alone.

        Raises:
            InvalidInput: The name or the user's id is not valid.
            AlreadyExists: A key of this name is in use.
            Conflict: The tenant has `MAX_KEYS` keys.
        """
        secret = new_secret()
        key = ApiKey(
            id=new_id("key_"),
            tenant=tenant,
            name=name,
            hash=hash_of(secret),
            hint=secret[:_HINT_CHARS],
            created_at=self._clock.now(),
            user_id=checked_partition(user_id),
        )
        await self._directory.add_key(key, most=MAX_KEYS)
        await self._note(entry(tenant, "key.created", at=key.created_at, whose=key.user_id, target=key.id))
        return key, secret

    async def list(self, tenant: TenantId) -> _Keys:
        """Give a tenant's keys, revoked ones too, newest first."""
        return await self._directory.keys(tenant)

    async def revoke(self, tenant: TenantId, key_id: str) -> None:
        """Make a key useless, for ever.

        Raises:
            NotFound: The tenant has no such key that still works.
        """
        at = self._clock.now()
        if not await self._directory.revoke_key(tenant, key_id, at=at):
            raise NotFound(what="key")
        await self._note(entry(tenant, "key.revoked", at=at, target=key_id))

    async def authenticate(self, secret: str) -> ApiKey:
        """Say whose key this is.

        Raises:
            Unauthorized: It is not known, or revoked.
        """
        key = await self._directory.find_key(hash_of(secret))
        if key is None:
            raise Unauthorized
        return key
