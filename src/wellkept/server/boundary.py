"""The outermost handler: an id for every request, one answer for every error, one log line, one count."""

from time import perf_counter
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wellkept.model.errors import InvalidInput, WellkeptError
from wellkept.server.answers import failure, internal_failure
from wellkept.server.call import Backend
from wellkept.server.disconnects import ClientGone
from wellkept.server.head import Head, client_request_id
from wellkept.server.metrics import known_method
from wellkept.server.trace import Trace
from wellkept.services.new_ids import new_id

_CLIENT_LEFT: Final = 499  # what logs and metrics call a request whose caller left; nobody is answered that


class Boundary:
    """Wraps the application. Nothing that is raised inside gets past it."""

    def __init__(self, app: ASGIApp, *, backend: Backend) -> None:
        self._app = app
        self._backend = backend

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            with self._backend.lifecycle.request():
                await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        trace = Trace(new_id("req_"))
        trace.put_on(scope)
        out = _Sender(send, trace.request_id, bodiless=scope["method"] == "HEAD")
        metrics, logger = self._backend.metrics, self._backend.logger
        begun = perf_counter()
        metrics.begun()
        try:
            try:
                trace.client_request_id = client_request_id(Head(scope))
            except InvalidInput as error:
                trace.bad_id = error
            await self._app(scope, receive, out)
        except ClientGone:
            out.status = _CLIENT_LEFT
        except Exception as error:  # the outermost handler
            trace.note(error, logger)
            known = failure(error, trace) if isinstance(error, WellkeptError) else internal_failure()
            await out.instead(known, scope, receive)
        finally:
            seconds = perf_counter() - begun
            status = out.status or _CLIENT_LEFT
            method = known_method(scope["method"])
            metrics.ended(route=trace.route, method=method, status=status, seconds=seconds)
            logger.info(
                "request",
                request_id=trace.request_id,
                client_request_id=trace.client_request_id,
                tenant=trace.tenant,
                method=method,
                route=trace.route,
                status=status,
                ms=round(seconds * 1_000, 3),
            )


class _Sender:
    """Sends an answer with its request's id, and remembers how far it came."""

    def __init__(self, send: Send, request_id: str, *, bodiless: bool) -> None:
        self._send = send
        self._request_id = request_id.encode("ascii")
        self._bodiless = bodiless
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), (b"x-request-id", self._request_id)]
        elif self._bodiless and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self._send(message)

    async def instead(self, response: ASGIApp, scope: Scope, receive: Receive) -> None:
        """Send `response`, unless another has begun: that one is cut off by its server."""
        if not self.status:
            await response(scope, receive, self)
