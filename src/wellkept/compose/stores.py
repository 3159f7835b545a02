"""From a URL to a store. A store's module is named after its scheme; there is no table to keep in step."""

import importlib
import pkgutil
from typing import Final, TypeVar
from urllib.parse import urlsplit

import msgspec

import wellkept.stores
from wellkept.compose.extras import missing
from wellkept.contract.block_store import BlockStore
from wellkept.contract.directory import Directory
from wellkept.contract.memory_store import MemoryStore
from wellkept.contract.review_store import ReviewStore
from wellkept.contract.session_store import SessionStore
from wellkept.model.errors import NotSupported, UnknownStore

C = TypeVar("C")

_WAYS: Final = "write sqlite:///path/to/file.db, files:///path/to/folder (blocks alone) or inproc:// (never on a disk)"

AnyStore = BlockStore | MemoryStore | Directory | SessionStore | ReviewStore


class Stores(msgspec.Struct, frozen=True, kw_only=True):
    """The keepers of one system. Several fields may hold the same store."""

    blocks: BlockStore
    memories: MemoryStore
    directory: Directory
    sessions: SessionStore
    review: ReviewStore

    async def close(self) -> None:
        """Close each store once."""
        kept = {id(store): store for store in (self.blocks, self.memories, self.directory, self.sessions, self.review)}
        for store in kept.values():
            await store.close()


def schemes() -> list[str]:
    """Name the stores there are."""
    return sorted(module.name for module in pkgutil.iter_modules(wellkept.stores.__path__))


async def open_store(url: str) -> AnyStore:
    """Open the store that `url` names.

    Raises:
        UnknownStore: No store has its scheme.
        MissingExtra: The store needs a package that is not installed.
        StoreFailed: The store cannot be opened; the class says why.
    """
    scheme = urlsplit(url).scheme
    if scheme not in schemes():
        known = ", ".join(f"{name}://" for name in schemes())
        raise UnknownStore(scheme=scheme, known=known, do=_WAYS)
    try:
        module = importlib.import_module(f"wellkept.stores.{scheme}")
    except ModuleNotFoundError as error:
        raise missing(error, needed_by=f"{scheme}://") from error
    store: AnyStore = await module.open(url)
    return store


async def open_block_store(url: str) -> BlockStore:
    """Open a store of blocks.

    Raises:
        NotSupported: The store keeps no blocks.
        WellkeptError: As `open_store`.
    """
    return keeps(await open_store(url), BlockStore, url=url)


async def open_stores(url: str, *, blocks_url: str | None = None) -> Stores:
    """Open the store of everything, and another one for blocks if `blocks_url` is given.

    Raises:
        NotSupported: The store does not keep all that is needed.
        WellkeptError: As `open_store`.
    """
    store = await open_store(url)
    try:
        other = await open_store(blocks_url) if blocks_url else store
        return Stores(
            blocks=keeps(other, BlockStore, url=blocks_url or url),
            memories=keeps(store, MemoryStore, url=url),
            directory=keeps(store, Directory, url=url),
            sessions=keeps(store, SessionStore, url=url),
            review=keeps(store, ReviewStore, url=url),
        )
    except BaseException:
        await store.close()
        raise


def keeps(store: AnyStore, contract: type[C], *, url: str) -> C:
    """Return `store` as what it is needed for.

    Raises:
        NotSupported: It does not keep that.
    """
    if not isinstance(store, contract):
        raise NotSupported(
            store=urlsplit(url).scheme,
            needed=contract.__name__,
            do="use sqlite:// or inproc:// for everything but blocks",
        )
    return store
