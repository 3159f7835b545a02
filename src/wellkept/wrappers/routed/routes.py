"""Which store a block goes to."""

from collections.abc import Callable, Mapping
from typing import Final

from wellkept.contract.block_store import BlockStore
from wellkept.model.errors import Misconfigured, NoRoute
from wellkept.model.ids import TenantId
from wellkept.model.keys import SCOPES, Scope
from wellkept.wrappers.given import a_store

Route = Callable[[Scope, str, TenantId], BlockStore | None]
"""From a scope, an owner and a tenant to a store; None leaves it to the scopes' stores and the default.

All blocks of one owner go to one store, so that they can be listed and purged there. It must always answer the same.
"""

DEFAULT: Final = "default"
ROUTES: Final = (*SCOPES, DEFAULT)
"""What can be routed: each scope, and what has no route of its own."""


class Routes:
    """The stores by their scope, and a function that goes before them."""

    def __init__(self, named: Mapping[str, BlockStore], route: Route | None) -> None:
        """Check what was put together.

        Raises:
            Misconfigured: There is no store at all, a name that is no scope, or a value that is no store.
        """
        for name, store in named.items():
            if name not in ROUTES:
                raise Misconfigured(wrapper="Routed", argument=name, problem=f"the routes are {', '.join(ROUTES)}")
            a_store(store, wrapper="Routed", argument=name)
        if not named and route is None:
            raise Misconfigured(wrapper="Routed", problem="it has no store", do="give Routed(default=…)")
        self.named = dict(named)
        self.route = route

    def store_of(self, tenant: TenantId, scope: Scope, owner: str) -> BlockStore:
        """Find the store of an owner's blocks.

        Raises:
            NoRoute: There is none; `do` says what to give.
            Misconfigured: The function answered with something else than a store.
        """
        if self.route is not None and (chosen := self.route(scope, owner, tenant)) is not None:
            return a_store(chosen, wrapper="Routed", argument="route")
        store = self.named.get(scope, self.named.get(DEFAULT))
        if store is None:
            raise NoRoute(scope=scope, do=f"give Routed({scope}=…) or Routed(default=…)")
        return store

    def each(self) -> Mapping[str, BlockStore]:
        """Give each named store once, with the names of its routes."""
        names: dict[int, list[str]] = {}
        for name, store in self.named.items():
            names.setdefault(id(store), []).append(name)
        return {"+".join(of): self.named[of[0]] for of in names.values()}
