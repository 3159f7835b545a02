"""Whole turns, and the sessions they make."""

from typing import Final

from wellkept.model import errors as e
from wellkept.wire import agents, turns
from wellkept.wire.endpoint import Endpoint, NoAnswer

_AGENT: Final = "/v1/agents/{agentId}"
_SESSION: Final = "/v1/agents/{agentId}/sessions/{sessionId}"
RUN_ERRORS: Final = (
    e.NotFound,
    e.AgentVersionNotFound,
    e.AgentDisabled,
    e.SessionBusy,
    e.SessionUserMismatch,
    e.SessionVersionMismatch,
    e.ProviderRequired,
    e.ModelFailed,
    e.UserMismatch,
    e.RateLimited,
)

START_SESSION: Final = Endpoint(
    name="turns.start",
    method="POST",
    path=_AGENT + "/sessions",
    summary="Run the first turn of a session",
    query=turns.EventsQuery,
    body=turns.RunBody,
    answer=turns.TurnAnswer,
    status=201,
    for_user=True,
    events="asked",
    location=_SESSION,
    errors=RUN_ERRORS,
)
CONTINUE_SESSION: Final = Endpoint(
    name="turns.run",
    method="POST",
    path=_SESSION,
    summary="Run the next turn of a session",
    query=turns.EventsQuery,
    body=turns.ContinueBody,
    answer=turns.TurnAnswer,
    for_user=True,
    events="asked",
    errors=RUN_ERRORS,
)
GENERATE: Final = Endpoint(
    name="turns.generate",
    method="POST",
    path=_AGENT + "/generation",
    summary="Run a turn without a session",
    query=turns.EventsQuery,
    body=turns.GenerationBody,
    answer=turns.TurnAnswer,
    for_user=True,
    events="asked",
    errors=RUN_ERRORS,
)
LIST_SESSIONS: Final = Endpoint(
    name="turns.sessions",
    method="GET",
    path=_AGENT + "/sessions",
    summary="List an agent's sessions",
    query=turns.SessionsQuery,
    answer=turns.SessionsPage,
    for_user=True,
    errors=(e.NotFound, e.InvalidCursor, e.UserMismatch),
)
GET_SESSION: Final = Endpoint(
    name="turns.session",
    method="GET",
    path=_SESSION,
    summary="Read a session",
    answer=turns.SessionAnswer,
    for_user=True,
    errors=(e.NotFound,),
)
LIST_MESSAGES: Final = Endpoint(
    name="turns.messages",
    method="GET",
    path=_SESSION + "/messages",
    summary="List a session's messages",
    query=agents.PageQuery,
    answer=turns.MessagesPage,
    for_user=True,
    errors=(e.NotFound, e.InvalidCursor),
)
DELETE_SESSION: Final = Endpoint(
    name="turns.delete_session",
    method="DELETE",
    path=_SESSION,
    summary="Delete a session and its messages",
    answer=NoAnswer,
    status=204,
    for_user=True,
    errors=(e.NotFound,),
)
