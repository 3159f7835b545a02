"""Listening and serving."""

import asyncio
import errno
import math
import socket
from collections.abc import Callable
from types import FrameType
from typing import Final

import msgspec
import uvicorn
from starlette.applications import Starlette

from wellkept.model.errors import InvalidSetting
from wellkept.server.lifecycle import Lifecycle
from wellkept.server.options import Options
from wellkept.server.protocol import MAX_HEAD_BYTES, Protocol

_PORTS_TO_TRY: Final = 100
_KEEP_ALIVE_SECONDS: Final = 15


class Listening(msgspec.Struct, frozen=True, kw_only=True):
    """An open port. `asked` is the one that was wanted; another means that it was taken."""

    socket: socket.socket
    host: str
    port: int
    asked: int

    @property
    def url(self) -> str:
        """Give the address for people and clients."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104  compared, not bound
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}"


def listen(host: str = "127.0.0.1", port: int = 8787) -> Listening:
    """Open a port: `port`, or the next one that is free; 0: any.

    Raises:
        InvalidSetting: The host cannot be listened on, or no port is free.
    """
    last = port if port == 0 else min(port + _PORTS_TO_TRY - 1, 65_535)
    for wanted in range(port, last + 1):
        try:
            opened = socket.create_server((host, wanted), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                continue
            why = str(error.strerror).partition(" (")[0]  # what `socket` adds is the address again
            raise InvalidSetting(
                setting=f"the address {host}:{wanted}", problem=f"cannot be listened on: {why}"
            ) from error
        return Listening(socket=opened, host=host, port=opened.getsockname()[1], asked=port)
    raise InvalidSetting(setting=f"the address {host}:{port}", problem=f"is taken, and no port up to {last} is free")


async def serve(
    app: Starlette,
    listening: Listening,
    *,
    options: Options = Options(),  # noqa: B008  immutable
    limit_concurrency: int | None = None,
    started: Callable[[], None] | None = None,
) -> None:
    """Serve until the process is told to stop (SIGTERM, SIGINT), then drain: take no more, finish what runs, close.

    `started` is called when the first request can be taken. A second signal, and a caller who cancels, stop it without
    waiting.
    """
    config = uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=math.ceil(options.drain_seconds),
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        limit_concurrency=limit_concurrency,
    )
    lifecycle: Lifecycle = app.state.lifecycle
    await _Server(config, lifecycle=lifecycle, notice=options.notice_seconds, started=started).serve([listening.socket])


class _Server(uvicorn.Server):
    """uvicorn's server, which says at `/ready` that it stops before it does, and returns from a signal."""

    def __init__(
        self, config: uvicorn.Config, *, lifecycle: Lifecycle, notice: float, started: Callable[[], None] | None
    ) -> None:
        super().__init__(config)
        self._lifecycle = lifecycle
        self._notice = notice
        self._tell_started = started

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until told to stop. Cancelled, it stops at once, with all that runs, and closes the application."""
        try:
            await super().serve(sockets)
        except asyncio.CancelledError:
            if self.started:
                await self._stop_at_once()
            raise

    async def _stop_at_once(self) -> None:
        # uvicorn would leave the application open, until the loop cancels it and it complains.
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        for task in list(self.server_state.tasks):
            task.cancel()
        await self.lifespan.shutdown()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if self.started and self._tell_started is not None:
            self._tell_started()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop gracefully; at a second signal, at once. The signal is not raised again: the caller goes on."""
        self.force_exit = self.should_exit
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say that the server goes, then take no more requests and wait for the running ones."""
        self._lifecycle.drain()
        if not self.force_exit:
            await asyncio.sleep(self._notice)
        await super().shutdown(sockets)
