"""Where trials happen: an empty store of each kind, a line each, and the server behind it where there is one."""

import importlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, get_type_hints
from urllib.parse import quote

import msgspec

from trials.forks import Fork
from wellkept.compose.stores import open_block_store, open_store
from wellkept.contract.block_store import BlockStore
from wellkept.contract.capability import Capability
from wellkept.contract.memory_store import MemoryStore

# The servers are those of the tests.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """A server that a trial may ill-treat."""

    stop: Callable[[], object]
    """Let it finish what it does."""
    kill: Callable[[], object]
    """Without a last word."""
    start: Callable[[], object]
    socket: Path
    """Where it listens."""
    through: Callable[[Path], str]
    """Give the store's URL by another socket, of the same name in another folder."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """An empty store, as a trial finds it."""

    name: str
    url: str
    server: Server | None = None

    async def open(self) -> BlockStore:
        """Open the store, once more."""
        return await open_block_store(self.url)

    async def open_memories(self) -> MemoryStore:
        """Open the store, for its memories."""
        store = await open_store(self.url)
        assert isinstance(store, MemoryStore)
        return store


Made = tuple[str, Server | None]


def _tiered(folder: Path, until: ExitStack) -> Made:
    cache, durable = (quote(url, safe="") for url in (f"inproc://{folder.name}", f"sqlite:///{folder}/wellkept.db"))
    return f"tiered://?cache={cache}&durable={durable}", None


def _routed(folder: Path, until: ExitStack) -> Made:
    user, default = (quote(url, safe="") for url in (f"files://{folder}/blocks", f"sqlite:///{folder}/wellkept.db"))
    return f"routed://?user={user}&default={default}", None


def _postgresql(folder: Path, until: ExitStack) -> Made:
    """Use a database of its own, on the server that comes with the tests."""
    import postgres_server

    server = postgres_server.newest()
    control = server.control
    assert control is not None, "a trial stops the server; WELLKEPT_TEST_POSTGRES names one that is not ours"
    url = server.fresh_url()
    (where,) = server.run("SHOW unix_socket_directories")[0]
    listens = f"-c listen_addresses='' -k {where}"
    return url, Server(
        stop=lambda: control("-w", "-m", "fast", "stop"),
        kill=lambda: control("-w", "-m", "immediate", "stop"),
        start=lambda: control("-w", "-o", listens, "start"),
        socket=Path(str(where)) / ".s.PGSQL.5432",
        through=lambda socket: f"{url.replace(str(where), str(socket.parent))}&connect_timeout=2",
    )


def _redis(folder: Path, until: ExitStack) -> Made:
    """Use a server of its own, which keeps what it was told: appendonly."""
    import redis_server

    server = until.enter_context(redis_server.serving())
    socket = Path(server.socket)
    return server.url, Server(
        stop=server.stop,
        kill=lambda: server.stop(signal.SIGKILL),
        start=server.start,
        socket=socket,
        through=lambda other: server.url.replace(quote(str(socket)), quote(str(other))),
    )


def _upstash(folder: Path, until: ExitStack) -> Made:
    """Put a REST front before a server of its own, in another process: who forks may have no threads."""
    import redis_server
    import upstash_front

    behind = until.enter_context(redis_server.serving())

    def serve(pipe: int) -> None:
        setattr(upstash_front.Front, "handle_error", lambda *_: None)  # noqa: B010  about callers who were killed
        with upstash_front.serving_front(behind.url) as front:
            os.write(pipe, front.url.encode())
            signal.pause()

    front: Fork[None] = Fork(serve)
    until.callback(front.read)
    until.callback(front.kill)
    return os.read(front.pipe, 4_096).decode(), None


STORES: Final[Mapping[str, Callable[[Path, ExitStack], Made]]] = {
    "inproc": lambda folder, _: (f"inproc://{folder.name}", None),
    "files": lambda folder, _: (f"files://{folder}/blocks", None),
    "sqlite": lambda folder, _: (f"sqlite:///{folder}/wellkept.db", None),
    "postgresql": _postgresql,
    "redis": _redis,
    "upstash": _upstash,
    "tiered": _tiered,
    "routed": _routed,
}
"""How an empty store of each kind is made, in a fresh folder. (Wrappers: over SQLite, and over files and SQLite.)"""

SERVERS: Final = frozenset({"postgresql", "redis"})
"""Those with a server that a trial may ill-treat."""

WRAPPERS: Final = frozenset({"tiered", "routed"})


def kind_of(name: str) -> type[BlockStore]:
    """Give the class of a store, without opening one."""
    room = "wrappers" if name in WRAPPERS else "stores"
    kind: type[BlockStore] = get_type_hints(importlib.import_module(f"wellkept.{room}.{name}").open)["return"]
    return kind


def can(name: str, *needed: Capability) -> bool:
    """Say whether every store of this kind can do that. (A wrapper can what its stores can: it is not asked.)"""
    return set(needed) <= kind_of(name).capabilities


def keeps_memories(name: str) -> bool:
    """Say whether a kind of store keeps memories."""
    return issubclass(kind_of(name), MemoryStore)


@contextmanager
def place(name: str) -> Iterator[Place]:
    """Make an empty store, for one trial."""
    with tempfile.TemporaryDirectory(prefix="wk-trial-") as folder, ExitStack() as until:
        url, server = STORES[name](Path(folder), until)
        yield Place(name=name, url=url, server=server)
