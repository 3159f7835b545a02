"""Server-sent events: a turn, told while it runs."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Final

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from wellkept.server.disconnects import while_connected
from wellkept.wire.events import ChatEvent, ErrorEvent, TurnEvent
from wellkept.wire.problems import Problem

EVENT_STREAM: Final = "text/event-stream"
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # no proxy may hold events back

Fail = Callable[[Exception], Problem]
"""Notes an error in the log, and says it on the wire."""


class EventStream(Response):
    """An answer of events. What fails before the first one is an ordinary error; later it is the last event."""

    def __init__(
        self,
        events: AsyncGenerator[TurnEvent | ChatEvent, None],
        *,
        fail: Fail,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status_code=status, headers=_HEADERS | dict(headers or {}), media_type=EVENT_STREAM)
        del self.headers["content-length"]
        self._events = events
        self._fail = fail

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events; when the caller leaves, the turn ends."""
        await while_connected(receive, self._tell(send))

    async def _tell(self, send: Send) -> None:
        async with aclosing(self._events):  # who leaves while an event is sent ends the turn too
            await self._tell_all(send)

    async def _tell_all(self, send: Send) -> None:
        first = await anext(self._events, None)
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            if first is not None:
                await _send_event(send, first)
            async for event in self._events:
                await _send_event(send, event)
        except Exception as error:  # the outermost handler of what has begun to be answered
            await _send_event(send, ErrorEvent(error=self._fail(error)))
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_event(send: Send, event: TurnEvent | ChatEvent) -> None:
    # JSON has no line break outside its strings, and escapes those inside: one line of data is always enough.
    name = str(event.__struct_config__.tag)
    body = b"event: " + name.encode() + b"\ndata: " + msgspec.json.encode(event) + b"\n\n"
    await send({"type": "http.response.body", "body": body, "more_body": True})
