"""Blocks and their history, as an administrator sees them."""

from typing import Final

from wellkept.model import errors as e
from wellkept.wire import blocks
from wellkept.wire.endpoint import Endpoint, NoAnswer

_BLOCK: Final = "/v1/blocks/{scope}/{key}"

LIST_BLOCKS: Final = Endpoint(
    name="blocks.list",
    method="GET",
    path="/v1/blocks",
    summary="List the blocks of an owner",
    query=blocks.BlocksQuery,
    answer=blocks.BlocksAnswer,
    for_user=True,
    errors=(e.UserMismatch,),
)
GET_BLOCK: Final = Endpoint(
    name="blocks.get",
    method="GET",
    path=_BLOCK,
    summary="Read a block",
    query=blocks.BlockQuery,
    answer=blocks.BlockAnswer,
    for_user=True,
    etags="reads",
    errors=(e.NotFound, e.UserMismatch),
)
PUT_BLOCK: Final = Endpoint(
    name="blocks.put",
    method="PUT",
    path=_BLOCK,
    summary="Write a block's whole text",
    query=blocks.BlockQuery,
    body=blocks.BlockPut,
    answer=blocks.BlockEditedAnswer,
    for_user=True,
    etags="writes",
    errors=(e.Conflict, e.PreconditionFailed, e.OverLimit, e.UserMismatch),
)
PATCH_BLOCK: Final = Endpoint(
    name="blocks.edit",
    method="PATCH",
    path=_BLOCK,
    summary="Edit a block",
    query=blocks.BlockQuery,
    body=blocks.BlockPatch,
    answer=blocks.BlockEditedAnswer,
    for_user=True,
    etags="writes",
    errors=(e.Conflict, e.PreconditionFailed, e.OverLimit, e.EntryNotFound, e.EntryAmbiguous, e.UserMismatch),
)
DELETE_BLOCK: Final = Endpoint(
    name="blocks.delete",
    method="DELETE",
    path=_BLOCK,
    summary="Delete a block",
    query=blocks.BlockQuery,
    answer=NoAnswer,
    status=204,
    for_user=True,
    etags="writes",
    errors=(e.NotFound, e.Conflict, e.PreconditionFailed, e.UserMismatch),
)
LIST_REVISIONS: Final = Endpoint(
    name="blocks.history",
    method="GET",
    path=_BLOCK + "/revisions",
    summary="List the changes of a block",
    query=blocks.RevisionsQuery,
    answer=blocks.RevisionsPage,
    for_user=True,
    errors=(e.NotSupported, e.InvalidCursor, e.UserMismatch),
)
DIFF_REVISIONS: Final = Endpoint(
    name="blocks.diff",
    method="GET",
    path=_BLOCK + "/revisions/diff",
    summary="Compare two revisions of a block",
    query=blocks.DiffQuery,
    answer=blocks.DiffAnswer,
    for_user=True,
    errors=(e.NotFound, e.NotSupported, e.UserMismatch),
)
RESTORE_BLOCK: Final = Endpoint(
    name="blocks.restore",
    method="POST",
    path=_BLOCK + "/revisions/restore",
    summary="Make a revision's text the block's again",
    query=blocks.BlockQuery,
    body=blocks.RestoreBody,
    answer=blocks.BlockEditedAnswer,
    for_user=True,
    etags="writes",
    errors=(e.NotFound, e.NotSupported, e.Conflict, e.PreconditionFailed, e.UserMismatch),
)
