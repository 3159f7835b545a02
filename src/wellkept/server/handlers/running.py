"""Whole turns: answered when they are done, or told as server-sent events."""

from typing import Final

from starlette.responses import Response

from wellkept.model.turns import Turn
from wellkept.server.answers import filled
from wellkept.server.call import Answer, B, Call, Handler
from wellkept.server.handlers.reach import used_agent
from wellkept.server.handlers.turn_running import events, failing, run, said, turn_of, wants_events
from wellkept.server.sse import EventStream
from wellkept.services.new_ids import new_id
from wellkept.wire.turns import ContinueBody, EventsQuery, GenerationBody, RunBody


async def start(call: Call[EventsQuery, RunBody]) -> Answer | Response:
    """Run the first turn of a session, which gets an id if it has none."""
    body = call.body
    agent = await used_agent(call)
    session = body.session_id or new_id("ses_")
    turn = turn_of(call, agent.id, user_id=body.user_id, session_id=session, version=body.version)
    return await _answer(call, turn, said(body.message), made={"sessionId": session})


async def go_on(call: Call[EventsQuery, ContinueBody]) -> Answer | Response:
    """Run the next turn of a session."""
    body = call.body
    agent = await used_agent(call)
    session = call.path["sessionId"]
    turn = turn_of(call, agent.id, user_id=body.user_id, session_id=session, version=body.version)
    return await _answer(call, turn, said(body.message))


async def generate(call: Call[EventsQuery, GenerationBody]) -> Answer | Response:
    """Run a turn without a session."""
    body = call.body
    agent = await used_agent(call)
    turn = turn_of(call, agent.id, user_id=body.user_id, session_id=None, version=body.version)
    return await _answer(call, turn, said(body.prompt, param="prompt"))


async def _answer(
    call: Call[EventsQuery, B], turn: Turn, message: str, *, made: dict[str, str] | None = None
) -> Answer | Response:
    if not wants_events(call):
        return Answer(value=await run(call, turn, message), made=made)
    endpoint = call.endpoint
    headers = {"Location": filled(endpoint.location, {**call.path, **made})} if made else None
    return EventStream(events(call, turn, message), fail=failing(call), status=endpoint.status, headers=headers)


HANDLERS: Final[dict[str, Handler]] = {"turns.start": start, "turns.run": go_on, "turns.generate": generate}
