"""The stores that the suites run on: one line a store."""

import importlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import get_type_hints

import pytest

import pgbouncer_server
import postgres_server
import redis_server
from store_places import placed
from wellkept.contract.block_store import BlockStore
from wellkept.stores.files import FileStore
from wellkept.testing.samples import a_block, a_change

STORES = {
    "inproc": "inproc://",
    "files": "files://{tmp}/blocks",
    "sqlite": "sqlite:///{tmp}/wellkept.db",
    "postgresql": "{postgresql}",
    "redis": "{redis}",
    "upstash": "{upstash}",
}
"""How a test opens each store: see `store_places`."""

VARIANTS = {"postgresql-parted": "{postgresql_parted}", "redis-cluster": "{redis_cluster}"}
"""The same stores, on other servers or with other schemas: the scheme, a hyphen, and what is different."""

if postgres_server.HAS_OLDEST:
    VARIANTS["postgresql-15"] = "{postgresql_15}"
if pgbouncer_server.PROGRAM:
    VARIANTS["postgresql-pgbouncer"] = "{postgresql_pgbouncer}"

ASKED = os.environ.get("WELLKEPT_TEST_STORES", "").split()  # read here: tests see none of these variables
"""The stores that the suites run on; none: all."""

Open = Callable[[str], Awaitable[BlockStore]]


def opener(scheme: str) -> Open:
    """Find what opens a store: the module's name is the scheme."""
    found: Open = importlib.import_module(f"wellkept.stores.{scheme}").open
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for a `url` on each store whose class its own class `runs_on`."""
    if "opened_by" in metafunc.fixturenames:
        runs_on: Callable[[type[BlockStore]], bool] = getattr(metafunc.cls, "runs_on", lambda kind: True)
        asked = [name for name in [*STORES, *VARIANTS] if not ASKED or name.partition("-")[0] in ASKED]
        kinds = {name: get_type_hints(opener(name.partition("-")[0]))["return"] for name in asked}
        metafunc.parametrize("opened_by", [name for name, kind in kinds.items() if runs_on(kind)], indirect=True)


@pytest.fixture
def opened_by(request: pytest.FixtureRequest) -> str:
    """Say how this test opens its store."""
    return {**STORES, **VARIANTS}[request.param]


@pytest.fixture
def url(opened_by: str, tmp_path: Path) -> str:
    """Say where the store of this test is."""
    return placed(opened_by, tmp_path)


@pytest.fixture
async def store(url: str) -> AsyncIterator[BlockStore]:
    """Open an empty store."""
    store = await opener(url.partition(":")[0])(url)
    yield store
    await store.close()


@pytest.fixture
def open_again(url: str, store: BlockStore) -> Callable[[], Awaitable[BlockStore]]:
    """Open another store on the same data; in process there is no other."""

    async def again() -> BlockStore:
        return store if url == "inproc://" else await opener(url.partition(":")[0])(url)

    return again


@pytest.fixture(scope="session")
def stores() -> dict[str, str]:
    """Give the table itself."""
    return STORES


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "blocks"


@pytest.fixture
def files(root: Path) -> FileStore:
    return FileStore(root)


@pytest.fixture
async def user_file(files: FileStore, root: Path) -> Path:
    """Store the sample block and name its file."""
    await files.put(a_block(), expect=None, change=a_change())
    return root / "user" / "maya" / "USER.md"


@pytest.fixture
def own() -> Iterator[redis_server.Server]:
    """Run a server that the test may do anything to."""
    with redis_server.serving() as server:
        yield server
