"""Calls about whole turns and the sessions they make."""

from typing import Final

import msgspec

from wellkept.client.call import Call, Streamed, call, order
from wellkept.model.pages import DEFAULT_LIMIT
from wellkept.wire import turns as wire
from wellkept.wire.agents import PageQuery
from wellkept.wire.endpoints import running as table
from wellkept.wire.events import (
    DoneEvent,
    ErrorEvent,
    MemoryChangeEvent,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
    TurnEvent,
)
from wellkept.wire.problems import Problem

EVENTS: Final = frozenset({"text", "tool_call", "tool_result", "memory_change", "done", "error"})
"""The names of the events that this version reads."""

Told = TextEvent | ToolCallEvent | ToolResultEvent | MemoryChangeEvent | DoneEvent
"""What a stream gives; what goes wrong is raised."""

_EVENT: Final[msgspec.json.Decoder[TurnEvent]] = msgspec.json.Decoder(TurnEvent)


def run(
    agent_id: str,
    message: str,
    *,
    session_id: str | None = None,
    user_id: str | None = None,
    version: int | None = None,
) -> Call[wire.TurnAnswer]:
    """Run a turn, and wait for its end. With `session_id` it goes on with that session; else it begins one."""
    body = wire.RunBody(message=message, user_id=user_id, session_id=session_id, version=version)
    # In the body, not the path: a session's id may hold "/", which no path can carry.
    return call(table.START_SESSION, {"agentId": agent_id}, body=body, long=True)


def stream(
    agent_id: str,
    message: str,
    *,
    session_id: str | None = None,
    user_id: str | None = None,
    version: int | None = None,
    internal: bool = False,
) -> Streamed[Told]:
    """Run a turn, and tell of it as it goes; the last event holds the answer. `internal`: the tools' calls too."""
    body = wire.RunBody(message=message, user_id=user_id, session_id=session_id, version=version)
    query = wire.EventsQuery(internal="true" if internal else "false")
    made = call(table.START_SESSION, {"agentId": agent_id}, query=query, body=body, long=True)
    return Streamed(call=made, known=EVENTS, read=_told, last=DoneEvent)


def generate(
    agent_id: str, prompt: str, *, user_id: str | None = None, version: int | None = None
) -> Call[wire.TurnAnswer]:
    """Run a turn without a session: nothing of it is kept but what its tools saved."""
    body = wire.GenerationBody(prompt=prompt, user_id=user_id, version=version)
    return call(table.GENERATE, {"agentId": agent_id}, body=body, long=True)


def sessions(
    agent_id: str, *, user_id: str | None = None, cursor: str | None = None, limit: int = DEFAULT_LIMIT
) -> Call[wire.SessionsPage]:
    """Give a page of an agent's sessions, newest first; `user_id` names whose."""
    query = wire.SessionsQuery(user_id=user_id, cursor=cursor, limit=limit)
    return call(table.LIST_SESSIONS, {"agentId": agent_id}, query=query)


def session(agent_id: str, session_id: str) -> Call[wire.SessionAnswer]:
    """Read a session."""
    return call(table.GET_SESSION, _session(agent_id, session_id))


def messages(
    agent_id: str, session_id: str, *, cursor: str | None = None, limit: int = DEFAULT_LIMIT
) -> Call[wire.MessagesPage]:
    """Give a page of a session's messages, oldest first."""
    return call(table.LIST_MESSAGES, _session(agent_id, session_id), query=PageQuery(cursor=cursor, limit=limit))


def delete_session(agent_id: str, session_id: str) -> Call[None]:
    """Delete a session with its messages."""
    return order(table.DELETE_SESSION, _session(agent_id, session_id))


def _session(agent_id: str, session_id: str) -> dict[str, str]:
    return {"agentId": agent_id, "sessionId": session_id}


def _told(data: bytes) -> Told | Problem:
    event = _EVENT.decode(data)
    return event.error if isinstance(event, ErrorEvent) else event
