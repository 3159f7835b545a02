"""From a URL to a store. Its module is named after the scheme; there is no table to keep in step."""

import importlib
import pkgutil
from contextlib import AsyncExitStack
from typing import Final, TypeVar
from urllib.parse import urlsplit

import msgspec

import wellkept.stores
import wellkept.wrappers
from wellkept.compose.extras import missing
from wellkept.contract.audit_log import AuditLog
from wellkept.contract.block_store import BlockStore
from wellkept.contract.directory import Directory
from wellkept.contract.memory_store import MemoryStore
from wellkept.contract.passage_store import PassageStore
from wellkept.contract.review_store import ReviewStore
from wellkept.contract.session_store import SessionStore
from wellkept.model.errors import NotSupported, UnknownStore

C = TypeVar("C")

_ALSO_CALLED: Final = {"postgres": "postgresql", "rediss": "redis"}
"""Schemes with two names: platforms hand out addresses with either."""

_WAYS: Final = (
    "write sqlite:///path/to/file.db, postgresql://user@host/database, inproc:// (never on a disk), or, for blocks "
    "or passages, redis://host, or, for blocks alone, files:///path/to/folder, upstash://host, or routed:// and "
    "tiered:// over others"
)

AnyStore = BlockStore | MemoryStore | Directory | SessionStore | ReviewStore | PassageStore | AuditLog


class Stores(msgspec.Struct, frozen=True, kw_only=True):
    """The keepers of one system. Several fields may hold the same store."""

    blocks: BlockStore
    memories: MemoryStore
    directory: Directory
    sessions: SessionStore
    review: ReviewStore
    passages: PassageStore
    audit: AuditLog

    async def close(self) -> None:
        """Close each store once."""
        whole = (self.memories, self.directory, self.sessions, self.review, self.audit)
        for store in {id(store): store for store in (self.blocks, self.passages, *whole)}.values():
            await store.close()


def schemes() -> list[str]:
    """Name the stores there are, and the wrappers of stores."""
    return sorted([*_stores(), *_wrappers()])


def _stores() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(wellkept.stores.__path__)]


def _wrappers() -> list[str]:
    """Name the packages: the modules beside them are what they share."""
    return [module.name for module in pkgutil.iter_modules(wellkept.wrappers.__path__) if module.ispkg]


async def open_store(url: str) -> AnyStore:
    """Open the store that `url` names; the URL of a wrapper holds those of its stores.

    Raises:
        UnknownStore: No store has its scheme.
        MissingExtra: The store needs a package that is not installed.
        Misconfigured: The URL is not one of its kind.
        StoreFailed: The store cannot be opened; the class says why.
    """
    scheme = urlsplit(url).scheme
    scheme = _ALSO_CALLED.get(scheme, scheme)
    if scheme in _wrappers():
        wrapper = importlib.import_module(f"wellkept.wrappers.{scheme}")
        wrapped: BlockStore = await wrapper.open(url, open_block_store)
        return wrapped
    if scheme not in _stores():
        known = ", ".join(f"{name}://" for name in schemes())
        raise UnknownStore(scheme=scheme, known=known, do=_WAYS)
    try:
        module = importlib.import_module(f"wellkept.stores.{scheme}")
        store: AnyStore = await module.open(url)  # which may import its driver only now
    except ModuleNotFoundError as error:
        raise missing(error, needed_by=f"{scheme}://") from error
    return store


async def open_block_store(url: str) -> BlockStore:
    """Open a store of blocks.

    Raises:
        NotSupported: The store keeps no blocks.
        WellkeptError: As `open_store`.
    """
    store = await open_store(url)
    try:
        return keeps(store, BlockStore, url=url)
    except NotSupported:
        await store.close()
        raise


async def open_stores(url: str, *, blocks_url: str | None = None, passages_url: str | None = None) -> Stores:
    """Open the store of everything, and other ones for blocks or passages if their URLs are given.

    What has the same URL is one store.

    Raises:
        NotSupported: A store does not keep what it is needed for.
        WellkeptError: As `open_store`.
    """
    blocks_url, passages_url = blocks_url or url, passages_url or url
    async with AsyncExitStack() as opened:
        at: dict[str, AnyStore] = {}
        for place in (url, blocks_url, passages_url):
            if place not in at:
                at[place] = await open_store(place)
                opened.push_async_callback(at[place].close)
        stores = Stores(
            blocks=keeps(at[blocks_url], BlockStore, url=blocks_url),
            memories=keeps(at[url], MemoryStore, url=url),
            directory=keeps(at[url], Directory, url=url),
            sessions=keeps(at[url], SessionStore, url=url),
            review=keeps(at[url], ReviewStore, url=url),
            passages=keeps(at[passages_url], PassageStore, url=passages_url),
            audit=keeps(at[url], AuditLog, url=url),
        )
        opened.pop_all()
        return stores


def keeps(store: AnyStore, contract: type[C], *, url: str) -> C:
    """Return `store` as what it is needed for.

    Raises:
        NotSupported: It does not keep that.
    """
    if not isinstance(store, contract):
        raise NotSupported(
            store=urlsplit(url).scheme,
            needed=contract.__name__,
            do="sqlite://, postgresql:// and inproc:// keep everything, redis:// blocks and passages, others blocks",
        )
    return store
