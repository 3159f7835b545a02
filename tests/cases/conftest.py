"""A server for each case, on each store and wrapper."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from combinations import Places
from homes import HOMES, Home
from stage import Stage, open_stage


@pytest.fixture(params=HOMES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """The addresses of the stores of this test."""
    return HOMES[request.param](Places(tmp_path))


@pytest.fixture
async def stage(place: Home) -> AsyncIterator[Stage]:
    async with open_stage(*place) as opened:
        yield opened
