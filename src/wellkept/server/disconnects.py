"""A caller who leaves: what was done for it alone stops."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

from starlette.types import Receive

T = TypeVar("T")


class ClientGone(Exception):
    """The caller left before the answer was whole."""


async def while_connected(receive: Receive, work: Coroutine[object, object, T]) -> T:
    """Do `work`, and cancel it when the caller leaves. The request's body must have been read.

    Raises:
        ClientGone: The caller left.
    """
    task = asyncio.create_task(work)
    gone = asyncio.create_task(_gone(receive))
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGone
        return task.result()
    finally:
        task.cancel()
        gone.cancel()
        # Waited for, so that nothing of the turn runs on when the answer is over.
        await asyncio.gather(task, gone, return_exceptions=True)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
