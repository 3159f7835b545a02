"""The state of the server."""

import asyncio
from importlib.metadata import version
from typing import Final

from wellkept.model.errors import ServerStopping, StoreUnavailable
from wellkept.server.call import Answer, Call, Handler
from wellkept.wire.admin import Alive, ReadyAnswer
from wellkept.wire.endpoint import NoBody, NoQuery

_READY_SECONDS: Final = 5.0


async def live(call: Call[NoQuery, NoBody]) -> Answer:
    """Say that the process runs. Asks no store: a slow one is no reason to be restarted."""
    return Answer(value=Alive(status="live"))


async def ready(call: Call[NoQuery, NoBody]) -> Answer:
    """Say whether the stores answer, and that the server is not about to stop."""
    if call.backend.lifecycle.draining:
        raise ServerStopping
    try:
        async with asyncio.timeout(_READY_SECONDS):
            await call.services.stores.directory.ready()
    except TimeoutError as error:
        raise StoreUnavailable(seconds=_READY_SECONDS) from error
    return Answer(value=ReadyAnswer(status="ready", version=version("wellkept")))


HANDLERS: Final[dict[str, Handler]] = {"system.live": live, "system.ready": ready}
