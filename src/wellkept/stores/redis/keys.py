"""How addresses are spelled as keys. Frozen: a changed spelling loses people's data (`tests/upgrade`).

    wm:<scope>:<owner>:<key>            a block of the tenant `default`
    wm@<tenant>:<scope>:<owner>:<key>   a block of any other
    wm-index:<scope>:<owner>            the keys of one owner's blocks; `wm-index@<tenant>:…` of another tenant

A prefix of the store's URL stands before all of it: `<prefix>:wm:…`.

Injective: an owner is percent-encoded as in a URL, so that it holds neither
`:` (which parts segments), nor `{` and `}` (which would let a user's id say
in which slot of a cluster its blocks lie), nor what a pattern of SCAN takes for
a wildcard. Tenants and keys are of letters, digits, `_`, `.` and `-`, and stand as they are.
"""

import re
from typing import Final
from urllib.parse import quote, unquote

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import DEFAULT_TENANT, TenantId
from wellkept.model.keys import BlockKey, Scope, checked_scope

_READABLE: Final = "!$&'()+,/;=@|"
"""What stands in an owner as it is, beside letters, digits, `_`, `.`, `-` and `~`."""

_PREFIX: Final = re.compile(r"(?!wm)[A-Za-z0-9_.-]{1,64}")


class Owner(msgspec.Struct, frozen=True):
    """Whose blocks an index lists."""

    tenant: TenantId
    scope: Scope
    owner: str


class Keys(msgspec.Struct, frozen=True):
    """The spelling under one prefix.

    Raises:
        InvalidInput: The prefix is not 1 to 64 letters, digits, `_`, `.` or `-`, or begins with `wm`.
    """

    prefix: str = ""

    def __post_init__(self) -> None:
        if self.prefix and not _PREFIX.fullmatch(self.prefix):
            raise InvalidInput(
                param="prefix", problem="must be 1 to 64 letters, digits, `_`, `.` or `-`, and not begin with wm"
            )

    def block(self, key: BlockKey) -> str:
        """Spell the key of a block."""
        return f"{self.start('wm', key.tenant)}:{key.scope}:{spell(key.owner)}:{key.key}"

    def index(self, owner: Owner) -> str:
        """Spell the key of an owner's index."""
        return f"{self.start('wm-index', owner.tenant)}:{owner.scope}:{spell(owner.owner)}"

    def pattern(self, owner: Owner) -> str:
        """Give the pattern that fits the keys of one owner's blocks, and no others."""
        return f"{self.start('wm', owner.tenant)}:{owner.scope}:{spell(owner.owner)}:*"

    def patterns(self) -> tuple[str, ...]:
        """Give the patterns that fit whatever this store may have spelled."""
        start = self.before
        return f"{start}wm[:@]*", f"{start}wm-index[:@]*"

    def read(self, spelled: str) -> BlockKey | Owner | None:
        """Read back what `block` or `index` spelled; None: neither did."""
        try:
            found = self._parse(spelled)
        except InvalidInput:
            return None
        if isinstance(found, BlockKey):
            return found if self.block(found) == spelled else None
        return found if found and self.index(found) == spelled else None

    def _parse(self, spelled: str) -> BlockKey | Owner | None:
        start, *segments = spelled.removeprefix(self.before).split(":")
        kind, _, tenant = start.partition("@")
        whose = TenantId(tenant or DEFAULT_TENANT)
        match kind, segments:
            case "wm", [scope, owner, key]:
                return BlockKey(tenant=whose, scope=checked_scope(scope), owner=unquote(owner), key=key)
            case "wm-index", [scope, owner]:
                # Through a block's key, which checks the parts.
                sample = BlockKey(tenant=whose, scope=checked_scope(scope), owner=unquote(owner), key="_")
                return Owner(sample.tenant, sample.scope, sample.owner)
            case _:
                return None

    @property
    def before(self) -> str:
        """Give what stands before all keys."""
        return f"{self.prefix}:" if self.prefix else ""

    def start(self, kind: str, tenant: TenantId) -> str:
        """Spell how the keys of a kind begin, of a tenant."""
        return f"{self.before}{kind}" if tenant == DEFAULT_TENANT else f"{self.before}{kind}@{tenant}"


def owner_of(key: BlockKey) -> Owner:
    """Say in whose index a block is listed."""
    return Owner(key.tenant, key.scope, key.owner)


def spell(owner: str) -> str:
    """Spell who owns something: without `:`, braces, wildcards, and what cannot be seen."""
    return quote(owner, safe=_READABLE)
