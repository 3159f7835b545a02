"""Keys and held writes."""

from typing import Final

from wellkept.model import errors as e
from wellkept.wire import admin, agents
from wellkept.wire.endpoint import Endpoint, NoAnswer

CREATE_KEY: Final = Endpoint(
    name="keys.create",
    method="POST",
    path="/v1/keys",
    summary="Create an API key; its secret is shown this once",
    body=admin.KeyCreate,
    answer=admin.KeyCreated,
    status=201,
    errors=(e.Conflict, e.AlreadyExists),
)
LIST_KEYS: Final = Endpoint(
    name="keys.list", method="GET", path="/v1/keys", summary="List API keys", answer=admin.KeysAnswer
)
REVOKE_KEY: Final = Endpoint(
    name="keys.revoke",
    method="DELETE",
    path="/v1/keys/{keyId}",
    summary="Revoke an API key",
    answer=NoAnswer,
    status=204,
    errors=(e.NotFound,),
)
LIST_REVIEW: Final = Endpoint(
    name="review.list",
    method="GET",
    path="/v1/review",
    summary="List writes that wait for approval",
    query=agents.PageQuery,
    answer=admin.ReviewPage,
    errors=(e.InvalidCursor,),
)
GET_REVIEW: Final = Endpoint(
    name="review.get",
    method="GET",
    path="/v1/review/{holdId}",
    summary="Read a write that waits for approval",
    answer=admin.HeldWriteAnswer,
    errors=(e.NotFound,),
)
APPROVE: Final = Endpoint(
    name="review.approve",
    method="POST",
    path="/v1/review/{holdId}/approve",
    summary="Do a write that was held",
    answer=admin.HeldWriteAnswer,
    errors=(e.NotFound, e.Conflict, e.OverLimit, e.EntryNotFound, e.EntryAmbiguous),
)
REJECT: Final = Endpoint(
    name="review.reject",
    method="POST",
    path="/v1/review/{holdId}/reject",
    summary="Throw a held write away",
    answer=admin.HeldWriteAnswer,
    errors=(e.NotFound,),
)
