"""The plain chat router: a message in, a reply out."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from starlette.responses import Response

from wellkept.model.turns import Turn
from wellkept.server.call import Answer, Call, Handler, Q
from wellkept.server.handlers.reach import used_agent
from wellkept.server.handlers.sessions import message_answers, own_session, session_answer
from wellkept.server.handlers.turn_running import events, failing, run, said, turn_of
from wellkept.server.sse import EventStream
from wellkept.services.new_ids import new_id
from wellkept.wire.endpoint import NoBody, NoQuery
from wellkept.wire.events import ChatDoneEvent, ChatEvent, DoneEvent
from wellkept.wire.turns import ChatAnswer, ChatBody, ChatQuery, ChatSessionAnswer, EventsQuery, TurnAnswer


async def send(call: Call[NoQuery, ChatBody]) -> Answer:
    """Answer a message."""
    turn = await _turn(call)
    return Answer(value=_reply(call, turn, await run(call, turn, said(call.body.message))))


async def stream(call: Call[EventsQuery, ChatBody]) -> Response:
    """Answer a message as it comes."""
    turn = await _turn(call)
    return EventStream(_events(call, turn, said(call.body.message)), fail=failing(call))


async def session(call: Call[ChatQuery, NoBody]) -> Answer:
    """Read a session with its messages."""
    agent = await used_agent(call, call.query.agent_id or call.backend.options.default_agent)
    found = await own_session(call, agent.id, user=call.query.user_id)
    messages = await call.services.sessions.messages(found.key, limit=None)
    return Answer(value=ChatSessionAnswer(session=session_answer(found), messages=message_answers(call, messages)))


async def delete(call: Call[ChatQuery, NoBody]) -> Answer:
    """Forget a session."""
    agent = await used_agent(call, call.query.agent_id or call.backend.options.default_agent)
    found = await own_session(call, agent.id, user=call.query.user_id)
    await call.services.sessions.delete(found.key)
    return Answer()


async def _turn(call: Call[Q, ChatBody]) -> Turn:
    body = call.body
    agent = await used_agent(call, body.agent_id or call.backend.options.default_agent)
    return turn_of(call, agent.id, user_id=body.user_id, session_id=body.session_id or new_id("ses_"))


def _reply(call: Call[Q, ChatBody], turn: Turn, answer: TurnAnswer) -> ChatAnswer:
    return ChatAnswer(session_id=str(turn.session), response=answer.text, timestamp=call.services.clock.now())


async def _events(call: Call[EventsQuery, ChatBody], turn: Turn, message: str) -> AsyncGenerator[ChatEvent, None]:
    async with aclosing(events(call, turn, message)) as told:
        async for event in told:
            yield ChatDoneEvent(answer=_reply(call, turn, event.answer)) if isinstance(event, DoneEvent) else event


HANDLERS: Final[dict[str, Handler]] = {
    "chat.send": send,
    "chat.stream": stream,
    "chat.session": session,
    "chat.delete_session": delete,
}
