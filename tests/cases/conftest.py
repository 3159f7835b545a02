"""A server for each case, on each store: one line a store."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stage import Stage, open_stage

STORES: dict[str, tuple[str, str | None]] = {
    "inproc": ("inproc://", None),
    "sqlite": ("sqlite:///{tmp}/wellkept.db", None),
    "files": ("sqlite:///{tmp}/wellkept.db", "files://{tmp}/blocks"),
}
"""Where everything lies, and where the blocks lie if they lie elsewhere. {tmp} is a fresh folder."""


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str | None]:
    """The addresses of the stores of this test."""
    url, blocks = STORES[request.param]
    return url.format(tmp=tmp_path), blocks and blocks.format(tmp=tmp_path)


@pytest.fixture
async def stage(place: tuple[str, str | None]) -> AsyncIterator[Stage]:
    async with open_stage(*place) as opened:
        yield opened
