"""Who asks: a tenant's credential, perhaps limited to one user."""

import msgspec

from wellkept.model.audit import Actor
from wellkept.model.errors import Forbidden, NotFound, UserMismatch
from wellkept.model.ids import GENERAL, TenantId, UserId
from wellkept.model.memories import Partitions, checked_partition


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """A credential that was found good. `user`: it acts for that user alone; None: for the whole tenant.

    `key`: its id.
    """

    tenant: TenantId
    user: UserId | None = None
    key: str | None = None

    @property
    def actor(self) -> Actor:
        """Say for the audit log who this is."""
        return Actor(role="admin_key" if self.user is None else "limited_key", key_id=self.key, user_id=self.user)

    def acting_for(self, said: str | None) -> str | None:
        """Give the user whom a request is about: the one it names, which must be the caller's if it has one.

        Raises:
            UserMismatch: The credential names a user, and the request another one.
        """
        if self.user is None:
            return said
        if said is not None and said != self.user:
            raise UserMismatch
        return self.user

    def partitions(self, said: str | None = None) -> Partitions:
        """Name the partitions of a pool that a request may see; None: all.

        Raises:
            UserMismatch: As `acting_for`.
            InvalidInput: What it names is no partition.
        """
        user = self.acting_for(said)
        return None if user is None else (checked_partition(user),)

    def must_own(self, owner: str) -> None:
        """Pass if the caller may change what belongs to `owner` (`""`: to the tenant).

        Raises:
            NotFound: It is not the caller's; what is somebody else's is not there.
        """
        if self.user is not None and owner != self.user:
            raise NotFound

    def may_use(self, owner: str) -> None:
        """Pass if the caller may use what belongs to `owner`: its own, and what is the tenant's.

        Raises:
            NotFound: It is another user's.
        """
        if owner != GENERAL:
            self.must_own(owner)

    def must_be_unlimited(self) -> None:
        """Pass if the credential acts for the whole tenant.

        Raises:
            Forbidden: It is limited to one user.
        """
        if self.user is not None:
            raise Forbidden
