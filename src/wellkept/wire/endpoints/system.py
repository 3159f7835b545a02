"""The state of the server."""

from typing import Final

from wellkept.model import errors as e
from wellkept.wire import admin
from wellkept.wire.endpoint import Endpoint

LIVE: Final = Endpoint(
    name="system.live",
    method="GET",
    path="/live",
    summary="Say that the process runs",
    answer=admin.Alive,
    needs_key=False,
)
READY: Final = Endpoint(
    name="system.ready",
    method="GET",
    path="/ready",
    summary="Say whether the stores answer",
    answer=admin.ReadyAnswer,
    needs_key=False,
    errors=(e.StoreUnavailable, e.ServerStopping),
)
