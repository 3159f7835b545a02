"""A sign of life while something takes its time."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

_PATIENCE: Final = 0.5


@asynccontextmanager
async def waiting(told: str) -> AsyncGenerator[None, None]:
    """Show on a terminal, when the body takes longer than half a second, that it runs."""
    if not sys.stderr.isatty():
        yield
        return
    showing = asyncio.create_task(_show(told))
    try:
        yield
    finally:
        showing.cancel()
        await asyncio.wait([showing])


async def _show(told: str) -> None:
    await asyncio.sleep(_PATIENCE)
    from rich.console import Console  # takes its time to import

    with Console(stderr=True).status(told):
        await asyncio.Event().wait()
