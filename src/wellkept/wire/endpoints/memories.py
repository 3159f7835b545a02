"""Memories, as an administrator sees them."""

from typing import Final

from wellkept.model import errors as e
from wellkept.wire import memories
from wellkept.wire.endpoint import Endpoint, NoAnswer

_AGENT: Final = "/v1/agents/{agentId}"
_MEMORY: Final = "/v1/agents/{agentId}/memories/{memoryId}"

CREATE_MEMORY: Final = Endpoint(
    name="memories.create",
    method="POST",
    path=_AGENT + "/memories",
    summary="Create a memory",
    body=memories.MemoryCreate,
    answer=memories.MemoryAnswer,
    status=201,
    once=True,
    for_user=True,
    location=_MEMORY,
    errors=(e.NotFound, e.IdempotencyMismatch, e.UserMismatch),
)
LIST_MEMORIES: Final = Endpoint(
    name="memories.list",
    method="GET",
    path=_AGENT + "/memories",
    summary="List or search memories",
    query=memories.MemoriesQuery,
    answer=memories.MemoriesPage,
    for_user=True,
    errors=(e.NotFound, e.InvalidCursor, e.UserMismatch),
)
GET_MEMORY: Final = Endpoint(
    name="memories.get",
    method="GET",
    path=_MEMORY,
    summary="Read a memory",
    answer=memories.MemoryAnswer,
    for_user=True,
    etags="tells",  # of the text alone: a 304 would hide a new pin, or a use
    errors=(e.NotFound,),
)
UPDATE_MEMORY: Final = Endpoint(
    name="memories.update",
    method="PATCH",
    path=_MEMORY,
    summary="Replace a memory's text, pin or unpin it",
    body=memories.MemoryUpdate,
    answer=memories.MemoryAnswer,
    for_user=True,
    etags="writes",
    errors=(e.NotFound, e.Conflict, e.PreconditionFailed),
)
DELETE_MEMORY: Final = Endpoint(
    name="memories.delete",
    method="DELETE",
    path=_MEMORY,
    summary="Delete a memory",
    answer=NoAnswer,
    status=204,
    for_user=True,
    etags="writes",
    errors=(e.NotFound, e.Conflict, e.PreconditionFailed),
)
