"""The combinations that the suites run on: one line each."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from urllib.parse import urlencode
from uuid import uuid4

import pytest

from wellkept.compose.stores import open_block_store
from wellkept.contract.block_store import BlockStore
from wellkept.contract.capability import Capability

PATIENT = "10"
"""Seconds for the cache: these suites try the promises, on machines that may be busy."""


def routed(**stores: str) -> str:
    return f"routed://?{urlencode(stores)}"


def tiered(cache: str, durable: str) -> str:
    return f"tiered://?{urlencode({'cache': cache, 'durable': durable, 'timeout': PATIENT})}"


FILES, SQLITE, INPROC = "files://{tmp}/blocks", "sqlite:///{tmp}/wellkept.db", "inproc://{name}"
COMBINATIONS = {
    "files and sqlite by scope": routed(user=FILES, agent=SQLITE, shared=SQLITE),
    "inproc beside sqlite": routed(agent=INPROC, default=SQLITE),
    "one sqlite for all": routed(user=SQLITE, agent=SQLITE, default=SQLITE),
    "inproc before sqlite": tiered(INPROC, SQLITE),
    "inproc before files": tiered(INPROC, FILES),
    "sqlite before files": tiered(SQLITE, FILES),
    "sqlite before sqlite": tiered("sqlite:///{tmp}/cache.db", SQLITE),
    "files before inproc": tiered(FILES, INPROC),
    "routed before routed": tiered(
        routed(user=INPROC, default="sqlite:///{tmp}/cache.db"), routed(user=FILES, default=SQLITE)
    ),
    "tiered beside files": routed(user=tiered(INPROC, SQLITE), default=FILES),
    "tiered before tiered": tiered("inproc://{name}.first", tiered("inproc://{name}.second", SQLITE)),
}
WITH_HISTORY = [
    *("inproc beside sqlite", "one sqlite for all", "inproc before sqlite", "sqlite before sqlite"),
    *("files before inproc", "tiered before tiered"),
]
SHARED = {"files and sqlite by scope", "one sqlite for all", "sqlite before sqlite", "sqlite before files"}
"""Those that several processes may use at once."""


@pytest.fixture(params=COMBINATIONS)
def combination(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def url(combination: str, tmp_path: Path) -> str:
    template = COMBINATIONS[combination]
    for _ in range(2):  # Inside inner URLs the braces are encoded, once or twice.
        template = template.replace("%257B", "%7B").replace("%257D", "%7D").replace("%7B", "{").replace("%7D", "}")
    return template.format(tmp=tmp_path, name=uuid4().hex)


@pytest.fixture
async def store(url: str) -> AsyncIterator[BlockStore]:
    store = await open_block_store(url)
    yield store
    await store.close()


@pytest.fixture
def open_again(url: str, store: BlockStore) -> Callable[[], Awaitable[BlockStore]]:
    return lambda: open_block_store(url)


@pytest.fixture
def capabilities(combination: str) -> set[Capability]:
    found = {Capability.HISTORY} if combination in WITH_HISTORY else set[Capability]()
    return found | ({Capability.SHARED} if combination in SHARED else set())
