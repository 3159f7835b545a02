"""A server for each test."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from house import House, open_house


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with open_house() as made:
        yield made


@pytest.fixture
async def http(house: House) -> AsyncIterator[httpx2.AsyncClient]:
    """A client with a key of the whole tenant."""
    async with house.client() as client:
        yield client


@pytest.fixture
async def agent(house: House) -> str:
    """An agent of the tenant."""
    return await house.agent()
