"""From a request to its handler: who asks, what for, and with which values."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from wellkept.model.audit import SYSTEM
from wellkept.model.errors import MethodNotAllowed, NotFound
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.server.answers import success
from wellkept.server.auth import authenticate
from wellkept.server.call import Answer, Backend, Call, Handler
from wellkept.server.caller import Caller
from wellkept.server.head import Head
from wellkept.server.once import refuse_what_is_not_minded
from wellkept.server.pages import Page
from wellkept.server.reading import decoded, query_of, read_body
from wellkept.server.routing import Found, Route, RouteTable
from wellkept.server.trace import Trace, trace_of
from wellkept.services.acting import acting_as
from wellkept.wire.endpoint import Endpoint

Target = tuple[Endpoint[object], Handler] | Page
"""What an address may lead to: an endpoint of the table with its handler, or a page for operators."""

_NOBODY = Caller(tenant=DEFAULT_TENANT)  # what an endpoint without a key is called by; it has nothing to ask of it


class Dispatch(BaseRoute):
    """One route for all addresses: only so does every one of them, known or not, ask for a key first."""

    def __init__(self, targets: Sequence[Target], backend: Backend) -> None:
        self._table = RouteTable([_route(target) for target in targets])
        self._backend = backend

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Take every request."""
        return (Match.FULL if scope["type"] == "http" else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or raise why not."""
        request, head, trace = Request(scope, receive), Head(scope), trace_of(scope)
        found = self._table.find(head.path)
        target = self._target(found, request, trace)
        caller = None
        if target is None or _asks_for_key(target, request, self._backend):
            caller = await authenticate(head, self._backend.services.keys)
            trace.tenant = caller.tenant
        if trace.bad_id is not None:
            raise trace.bad_id
        head.bounded(self._backend.options.max_head_bytes)
        if found is None:
            raise NotFound(what="route")
        if target is None:
            raise MethodNotAllowed(allowed=found.allowed)
        if isinstance(target, Page):
            response = target.answer(caller, self._backend)
        else:
            response = await self._call(*target, found, caller, head, request, trace)
        with acting_as(SYSTEM if caller is None else caller.actor):  # a streamed turn runs while it is answered
            await response(scope, receive, send)

    def _target(self, found: Found[Target] | None, request: Request, trace: Trace) -> Target | None:
        if found is None:
            return None
        trace.route = found.template
        target = found.methods.get("GET" if request.method == "HEAD" else request.method)
        if target is not None and not isinstance(target, Page):
            trace.endpoint = target[0]
        return target

    async def _call(
        self,
        endpoint: Endpoint[object],
        handler: Handler,
        found: Found[Target],
        caller: Caller | None,
        head: Head,
        request: Request,
        trace: Trace,
    ) -> Response:
        if caller is not None and not endpoint.for_user:
            caller.must_be_unlimited()
        refuse_what_is_not_minded(endpoint, head)
        with trace.reading("path"):
            path = found.parameters()
        with trace.reading("query"):
            query = query_of(endpoint.query, head.query_string)
        raw = await read_body(request, head, most=self._backend.options.max_body_bytes)
        with trace.reading("body"):
            body = await decoded(endpoint.body, raw, head)
        call = Call(
            endpoint=endpoint,
            caller=caller or _NOBODY,
            path=path,
            query=query,
            body=body,
            head=head,
            request=request,
            backend=self._backend,
        )
        with acting_as(SYSTEM if caller is None else caller.actor):
            answer = await handler(call)
        return success(endpoint, answer, path) if isinstance(answer, Answer) else answer


def _asks_for_key(target: Target, request: Request, backend: Backend) -> bool:
    return target.needs_key(request, backend) if isinstance(target, Page) else target[0].needs_key


def _route(target: Target) -> Route[Target]:
    if isinstance(target, Page):
        return Route("GET", target.path, target)
    return Route(target[0].method, target[0].path, target)
