"""How passages are spelled in Redis. Frozen: a changed spelling loses people's data (`tests/upgrade`).

    wm-passages:{<agent>:<user>}:stamp           an owner's passages, of the tenant `default`; beside it, in the same
                                                 slot of a cluster, `rows`, `order`, `places`, `times` and `vectors`
    wm-passages@<tenant>:{<agent>:<user>}:stamp  the same of any other tenant

A prefix of the store's URL stands before all of it. Injective as the keys of
blocks are: what an agent or user holds of `:`, `{`, `}` and wildcards is percent-encoded.

    stamp    hash: `revision`, `removals`, and for each model `vectors:<model>`, how many vectors there are
    rows     hash: a passage's row, by id
    order    ids, by the revision that last wrote them
    places   `<session> <kind> <message> <number> <id>`, parted by NUL: what a session has, and a message
    times    16 hexadecimal digits of the instant, and the id
    vectors  hash: float16, little-endian, by `<id>:<model>`
"""

from typing import Final
from urllib.parse import unquote

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import DEFAULT_TENANT, AgentId, TenantId, UserId
from wellkept.model.passages import PassageOwner
from wellkept.stores.redis.keys import Keys, spell

PARTS: Final = ("stamp", "rows", "order", "places", "times", "vectors")
"""The keys of an owner, in the order in which the scripts take them."""


class OwnersKeys(msgspec.Struct, frozen=True):
    """The keys of one owner's passages."""

    start: str

    @property
    def all(self) -> tuple[str, ...]:
        """Give them in the order in which the scripts take them."""
        return tuple(f"{self.start}:{part}" for part in PARTS)

    @property
    def stamp(self) -> str:
        """Give the key of the stamp."""
        return f"{self.start}:stamp"

    @property
    def rows(self) -> str:
        """Give the key of the rows."""
        return f"{self.start}:rows"

    @property
    def order(self) -> str:
        """Give the key of the ids by revision."""
        return f"{self.start}:order"

    @property
    def places(self) -> str:
        """Give the key of the ids by place."""
        return f"{self.start}:places"

    @property
    def times(self) -> str:
        """Give the key of the ids by time."""
        return f"{self.start}:times"


class PassageKeys(msgspec.Struct, frozen=True):
    """The spelling under one prefix."""

    keys: Keys

    def of(self, owner: PassageOwner) -> OwnersKeys:
        """Spell the keys of an owner's passages."""
        return OwnersKeys(f"{self._start(owner.tenant)}:{{{spell(owner.agent)}:{spell(owner.user)}}}")

    def pattern(self, tenant: TenantId, *, agent: AgentId | None = None, user: UserId | None = None) -> str:
        """Give the pattern that fits the keys of all owners of a tenant, an agent, a user."""
        whose = [part if part is None else spell(part) for part in (agent, user)]
        return f"{self._start(tenant)}:{{{whose[0] or '*'}:{whose[1] or '*'}}}:*"

    def everything(self) -> str:
        """Give the pattern that fits whatever this store may have spelled."""
        return f"{self.keys.before}wm-passages[:@]*"

    def read(self, spelled: str) -> PassageOwner | None:
        """Say whose key it is; None: nobody's."""
        try:
            owner = self._parse(spelled)
        except InvalidInput:
            return None
        return owner if owner and spelled in self.of(owner).all else None

    def _parse(self, spelled: str) -> PassageOwner | None:
        start, *segments = spelled.removeprefix(self.keys.before).split(":")
        kind, _, tenant = start.partition("@")
        if kind != "wm-passages" or len(segments) != 3:
            return None
        agent, user = segments[0].removeprefix("{"), segments[1].removesuffix("}")
        return PassageOwner(TenantId(tenant or DEFAULT_TENANT), AgentId(unquote(agent)), UserId(unquote(user)))

    def _start(self, tenant: TenantId) -> str:
        return self.keys.start("wm-passages", tenant)
