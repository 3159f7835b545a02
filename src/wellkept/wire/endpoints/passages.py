"""Past conversations: kept by those who run their own loop, found, listed and forgotten."""

from typing import Final

from wellkept.model import errors as e
from wellkept.model.passages import PassageCounts, PassagesPut
from wellkept.model.recall import Recalled
from wellkept.wire import passages
from wellkept.wire.endpoint import Endpoint

_AGENT: Final = "/v1/agents/{agentId}"
_PASSAGES: Final = "/v1/agents/{agentId}/passages"

INGEST: Final = Endpoint(
    name="passages.ingest",
    method="POST",
    path=_PASSAGES,
    summary="Keep what was said in a session; each message once, however often it comes",
    body=passages.PassagesBody,
    answer=PassagesPut,
    for_user=True,
    repeatable=True,
    errors=(e.NotFound, e.UserMismatch),
)
LIST_PASSAGES: Final = Endpoint(
    name="passages.list",
    method="GET",
    path=_PASSAGES,
    summary="List passages of past conversations",
    query=passages.PassagesQuery,
    answer=passages.PassagesPage,
    for_user=True,
    errors=(e.NotFound, e.InvalidCursor, e.UserMismatch),
)
DELETE_PASSAGES: Final = Endpoint(
    name="passages.delete",
    method="DELETE",
    path=_PASSAGES,
    summary="Forget passages: a user's, a session's, or one",
    query=passages.PassagesChosen,
    answer=passages.PassagesDeleted,
    for_user=True,
    errors=(e.NotFound, e.UserMismatch),
)
COUNT_PASSAGES: Final = Endpoint(
    name="passages.stats",
    method="GET",
    path=_PASSAGES + "/stats",
    summary="Count an agent's passages, and the vectors of each model",
    answer=PassageCounts,
    errors=(e.NotFound,),
)
RECALL: Final = Endpoint(
    name="passages.recall",
    method="POST",
    path=_AGENT + "/recall",
    summary="Find what was said in a user's past conversations",
    body=passages.RecallBody,
    answer=Recalled,
    for_user=True,
    repeatable=True,
    errors=(e.NotFound, e.UserMismatch),
)
REINDEX: Final = Endpoint(
    name="passages.reindex",
    method="POST",
    path="/v1/passages/reindex",
    summary="Embed passages that have no vector of the server's embedder yet",
    body=passages.ReindexBody,
    answer=passages.ReindexAnswer,
    repeatable=True,
    errors=(e.NoEmbedder, e.EmbedderFailed),
)
