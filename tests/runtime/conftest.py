from collections.abc import AsyncIterator

import pytest

from wellkept.compose.assemble import Services, assemble
from wellkept.compose.stores import Stores, open_stores
from wellkept.runtime.agent import Agent, Memories, WorkingMemory
from wellkept.runtime.runtime import Runtime


@pytest.fixture
def agent() -> Agent:
    return Agent(
        "support",
        model="offline",
        instructions="You are a helpful support agent.",
        working_memory=WorkingMemory(),
        memories=Memories(inject=True),
    )


@pytest.fixture
async def stores() -> AsyncIterator[Stores]:
    opened = await open_stores("inproc://")
    yield opened
    await opened.close()


@pytest.fixture
def services(stores: Stores) -> Services:
    """Another look at the stores that `runtime` uses."""
    return assemble(stores)


@pytest.fixture
async def runtime(agent: Agent, stores: Stores) -> AsyncIterator[Runtime]:
    async with Runtime([agent], store=stores) as opened:
        yield opened
