"""Running a turn for a request: counted, bounded in number and time, over when the caller leaves."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import Final

from starlette.types import Scope

from wellkept.model.errors import InvalidInput, ModelFailed, WellkeptError
from wellkept.model.ids import AgentId, SessionId, UserId
from wellkept.model.text import checked_text, has_visible
from wellkept.model.turns import Turn
from wellkept.server.answers import internal_problem, problem
from wellkept.server.call import B, Call, Q
from wellkept.server.disconnects import while_connected
from wellkept.server.sse import EVENT_STREAM, Fail
from wellkept.server.trace import trace_of
from wellkept.server.turns import Told
from wellkept.wire.events import INTERNAL
from wellkept.wire.problems import Problem
from wellkept.wire.turns import EventsQuery, TurnAnswer

_ALL: Final = "true"


def turn_of(
    call: Call[Q, B], agent: AgentId, *, user_id: str | None, session_id: str | None, version: int | None = None
) -> Turn:
    """Make the turn that a request asks for.

    Raises:
        UserMismatch: The credential names a user, and the request another one.
        InvalidInput: An id is not valid.
    """
    user = call.caller.acting_for(user_id)
    return Turn(
        tenant=call.caller.tenant,
        agent=agent,
        user=None if user is None else UserId(user),
        session=None if session_id is None else SessionId(session_id),
        version=version,
    )


def said(message: str, *, param: str = "message") -> str:
    """Return what a user said, if that can be said.

    Raises:
        InvalidInput: It holds nothing visible, NUL or a lone surrogate.
    """
    if not has_visible(checked_text(message, param=param)):
        raise InvalidInput(param=param, problem="must hold something visible")
    return message


def wants_events(call: Call[Q, B]) -> bool:
    """Say whether the caller names `text/event-stream` among what it accepts; `*/*` takes JSON."""
    for choice in call.head.listed("Accept").split(","):
        kind, *parameters = (part.strip().lower() for part in choice.split(";"))
        if kind == EVENT_STREAM:
            return not any(parameter in ("q=0", "q=0.0", "q=0.00", "q=0.000") for parameter in parameters)
    return False


async def run(call: Call[Q, B], turn: Turn, message: str) -> TurnAnswer:
    """Run a turn to its end.

    Raises:
        RateLimited: The tenant runs as many turns as it may.
        ModelFailed: It took too long, or its model failed.
        ClientGone: The caller left; the turn is cancelled.
    """
    backend = call.backend
    with backend.turn_limit.one(turn.tenant), backend.metrics.turn():
        async with _until(asyncio.get_running_loop().time() + backend.options.turn_seconds):
            return await while_connected(call.request.receive, backend.turns.run(turn, message))


async def events(call: Call[EventsQuery, B], turn: Turn, message: str) -> AsyncGenerator[Told, None]:
    """Run a turn, and give what the caller may see of it on the way.

    Raises:
        Forbidden: It asks for internal events, with a credential that is limited to a user.
        WellkeptError: As `run`.
    """
    backend = call.backend
    internal = call.query.internal == _ALL
    if internal:
        call.caller.must_be_unlimited()
    with backend.turn_limit.one(turn.tenant), backend.metrics.turn():
        deadline = asyncio.get_running_loop().time() + backend.options.turn_seconds
        async with aclosing(backend.turns.stream(turn, message)) as stream:
            while True:
                async with _until(deadline):
                    event = await anext(stream, None)
                if event is None:
                    return
                if internal or not isinstance(event, INTERNAL):
                    yield event


def failing(call: Call[Q, B]) -> Fail:
    """Give what notes an error of a turn that has begun to be answered, and says it on the wire."""
    scope: Scope = call.request.scope

    def fail(error: Exception) -> Problem:
        trace = trace_of(scope)
        trace.note(error, call.backend.logger)
        return problem(error, trace) if isinstance(error, WellkeptError) else internal_problem()

    return fail


@asynccontextmanager
async def _until(deadline: float) -> AsyncGenerator[None, None]:
    timeout = asyncio.timeout_at(deadline)
    try:
        async with timeout:
            yield
    except TimeoutError as error:
        if not timeout.expired():
            raise
        raise ModelFailed(problem="the turn took longer than it may") from error
