"""What a turn does with memory: the operations of `MemoryApi`."""

from typing import Final

from wellkept.model import errors as e
from wellkept.model.outcomes import BlockView, BlockWritten, Declared, MemoryWritten
from wellkept.model.recall import Recalled
from wellkept.model.receipts import Context
from wellkept.wire import memories, turns
from wellkept.wire.endpoint import Endpoint

_AGENT: Final = "/v1/agents/{agentId}"
_MEMORY: Final = "/v1/agents/{agentId}/memories/{memoryId}"
_BLOCK: Final = "/v1/blocks/{scope}/{key}"
_TURN: Final = "/v1/agents/{agentId}/turn"
_TURN_ERRORS: Final = (e.NotFound, e.AgentVersionNotFound, e.AgentDisabled, e.SessionUserMismatch, e.UserMismatch)

DECLARED: Final = Endpoint(
    name="turns.declared",
    method="POST",
    path=_TURN,
    summary="Say which blocks and tools a turn has",
    body=turns.TurnBody,
    answer=Declared,
    for_user=True,
    errors=_TURN_ERRORS,
)
CONTEXT: Final = Endpoint(
    name="context.render",
    method="POST",
    path=_AGENT + "/context",
    summary="Render the memory part of the prompt for a turn",
    body=turns.ContextBody,
    answer=Context,
    for_user=True,
    errors=_TURN_ERRORS,
)
VIEW_BLOCK: Final = Endpoint(
    name="turns.view_block",
    method="POST",
    path=_TURN + "/blocks/view",
    summary="Read a declared block as it is now",
    body=turns.ViewBlockBody,
    answer=BlockView,
    for_user=True,
    errors=(*_TURN_ERRORS, e.BlockUnavailable),
)
EDIT_BLOCK: Final = Endpoint(
    name="turns.edit_block",
    method="POST",
    path=_TURN + "/blocks/edit",
    summary="Edit a declared block as a turn does",
    body=turns.EditBlockBody,
    answer=BlockWritten,
    for_user=True,
    errors=(
        *_TURN_ERRORS,
        e.BlockUnavailable,
        e.WriteClosed,
        e.OverLimit,
        e.EntryNotFound,
        e.EntryAmbiguous,
        e.TextRejected,
        e.Conflict,
    ),
)
TURN_SAVE_MEMORY: Final = Endpoint(
    name="turns.save_memory",
    method="POST",
    path=_TURN + "/memories/save",
    summary="Save a memory as a turn does",
    body=turns.SaveMemoryBody,
    answer=MemoryWritten,
    for_user=True,
    errors=(*_TURN_ERRORS, e.TextRejected, e.Conflict),
)
TURN_GET_MEMORY: Final = Endpoint(
    name="turns.get_memory",
    method="POST",
    path=_TURN + "/memories/get",
    summary="Read a memory as a turn does",
    body=turns.MemoryIdBody,
    answer=memories.MemoryAnswer,
    for_user=True,
    errors=_TURN_ERRORS,
)
TURN_SEARCH_MEMORIES: Final = Endpoint(
    name="turns.search_memories",
    method="POST",
    path=_TURN + "/memories/search",
    summary="Search memories as a turn does",
    body=turns.SearchMemoriesBody,
    answer=memories.MemoriesFound,
    for_user=True,
    errors=_TURN_ERRORS,
)
TURN_UPDATE_MEMORY: Final = Endpoint(
    name="turns.update_memory",
    method="POST",
    path=_TURN + "/memories/update",
    summary="Replace a memory's text as a turn does",
    body=turns.UpdateMemoryBody,
    answer=MemoryWritten,
    for_user=True,
    errors=(*_TURN_ERRORS, e.WriteClosed, e.TextRejected, e.Conflict),
)
TURN_DELETE_MEMORY: Final = Endpoint(
    name="turns.delete_memory",
    method="POST",
    path=_TURN + "/memories/delete",
    summary="Delete a memory as a turn does",
    body=turns.MemoryIdBody,
    answer=MemoryWritten,
    for_user=True,
    errors=(*_TURN_ERRORS, e.WriteClosed, e.Conflict),
)
TURN_SEARCH_PAST: Final = Endpoint(
    name="turns.search_past",
    method="POST",
    path=_TURN + "/recall",
    summary="Search past conversations as a turn does",
    body=turns.SearchPastBody,
    answer=Recalled,
    for_user=True,
    errors=_TURN_ERRORS,
)
