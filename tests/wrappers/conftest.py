"""The suites run on each combination."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from combinations import COMBINATIONS, SHARED, WITH_HISTORY, Places
from tiered_house import House
from wellkept.compose.stores import open_block_store
from wellkept.contract.block_store import BlockStore
from wellkept.contract.capability import Capability


@pytest.fixture(params=COMBINATIONS)
def combination(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def url(combination: str, tmp_path: Path) -> str:
    return COMBINATIONS[combination](Places(tmp_path))


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


@pytest.fixture
def house() -> House:
    """A cache before a durable store, without trouble yet."""
    return House()
