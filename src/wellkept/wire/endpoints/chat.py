"""The plain chat router."""

from typing import Final

from wellkept.model import errors as e
from wellkept.wire import turns
from wellkept.wire.endpoint import Endpoint, NoAnswer
from wellkept.wire.endpoints.running import RUN_ERRORS

CHAT: Final = Endpoint(
    name="chat.send",
    method="POST",
    path="/api/chat",
    summary="Send a message to the default agent",
    body=turns.ChatBody,
    answer=turns.ChatAnswer,
    for_user=True,
    errors=RUN_ERRORS,
)
CHAT_EVENTS: Final = Endpoint(
    name="chat.stream",
    method="POST",
    path="/api/chat/sse",
    summary="Send a message to the default agent; answer as server-sent events",
    query=turns.EventsQuery,
    body=turns.ChatBody,
    answer=turns.ChatAnswer,
    for_user=True,
    events="always",
    errors=RUN_ERRORS,
)
CHAT_SESSION: Final = Endpoint(
    name="chat.session",
    method="GET",
    path="/api/session/{sessionId}",
    summary="Read a session of the default agent with its messages",
    query=turns.ChatQuery,
    answer=turns.ChatSessionAnswer,
    for_user=True,
    errors=(e.NotFound, e.UserMismatch),
)
DELETE_CHAT_SESSION: Final = Endpoint(
    name="chat.delete_session",
    method="DELETE",
    path="/api/session/{sessionId}",
    summary="Delete a session of the default agent",
    query=turns.ChatQuery,
    answer=NoAnswer,
    status=204,
    for_user=True,
    errors=(e.NotFound, e.UserMismatch),
)
