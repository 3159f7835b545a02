"""From a URL to a routed store."""

from contextlib import AsyncExitStack
from typing import Final

from wellkept.contract.block_store import BlockStore
from wellkept.model.errors import Misconfigured
from wellkept.wrappers.address import OpenStore, options
from wellkept.wrappers.routed.routes import ROUTES
from wellkept.wrappers.routed.store import Routed

_EXAMPLE: Final = "routed://?user=files%3A%2F%2F%2Fmemories&default=sqlite%3A%2F%2F%2Fmemory.db"


async def open(url: str, open_store: OpenStore) -> Routed:
    """Open `routed://?user=URL&agent=URL&shared=URL&default=URL`, each URL percent-encoded, each different one once.

    Raises:
        Misconfigured: It is no such URL.
        WellkeptError: An inner store cannot be opened; those that were are closed again.
    """
    urls = options(url, known=ROUTES, example=_EXAMPLE)
    if not urls:
        raise Misconfigured(store="routed", problem="the URL names no store", do=f"write {_EXAMPLE}")
    async with AsyncExitStack() as opened:
        stores: dict[str, BlockStore] = {}
        for inner in urls.values():
            if inner not in stores:
                stores[inner] = await open_store(inner)
                opened.push_async_callback(stores[inner].close)
        routed = Routed({name: stores[inner] for name, inner in urls.items()})
        opened.pop_all()
        return routed
