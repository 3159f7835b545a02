"""Calls of the plain chat router: the default agent, or one that is named."""

from typing import Final

import msgspec

from wellkept.client.call import Call, Streamed, call, order
from wellkept.client.calls.turns import EVENTS
from wellkept.wire import turns as wire
from wellkept.wire.endpoints import chat as table
from wellkept.wire.events import (
    ChatDoneEvent,
    ChatEvent,
    ErrorEvent,
    MemoryChangeEvent,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
)
from wellkept.wire.problems import Problem

ChatTold = TextEvent | ToolCallEvent | ToolResultEvent | MemoryChangeEvent | ChatDoneEvent
"""What a stream gives; what goes wrong is raised."""

_EVENT: Final[msgspec.json.Decoder[ChatEvent]] = msgspec.json.Decoder(ChatEvent)


def send(
    message: str, *, session_id: str | None = None, user_id: str | None = None, agent_id: str | None = None
) -> Call[wire.ChatAnswer]:
    """Send a message, and wait for the reply."""
    body = wire.ChatBody(message=message, session_id=session_id, user_id=user_id, agent_id=agent_id)
    return call(table.CHAT, body=body, long=True)


def stream(
    message: str,
    *,
    session_id: str | None = None,
    user_id: str | None = None,
    agent_id: str | None = None,
    internal: bool = False,
) -> Streamed[ChatTold]:
    """Send a message, and tell of the reply as it comes. `internal`: the tools' calls too."""
    body = wire.ChatBody(message=message, session_id=session_id, user_id=user_id, agent_id=agent_id)
    query = wire.EventsQuery(internal="true" if internal else "false")
    made = call(table.CHAT_EVENTS, query=query, body=body, long=True)
    return Streamed(call=made, known=EVENTS, read=_told, last=ChatDoneEvent)


def session(
    session_id: str, *, agent_id: str | None = None, user_id: str | None = None
) -> Call[wire.ChatSessionAnswer]:
    """Read a session with its messages, oldest first."""
    query = wire.ChatQuery(agent_id=agent_id, user_id=user_id)
    return call(table.CHAT_SESSION, {"sessionId": session_id}, query=query)


def delete_session(session_id: str, *, agent_id: str | None = None, user_id: str | None = None) -> Call[None]:
    """Delete a session with its messages."""
    query = wire.ChatQuery(agent_id=agent_id, user_id=user_id)
    return order(table.DELETE_CHAT_SESSION, {"sessionId": session_id}, query=query)


def _told(data: bytes) -> ChatTold | Problem:
    event = _EVENT.decode(data)
    return event.error if isinstance(event, ErrorEvent) else event
