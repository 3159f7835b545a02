"""Calls about past conversations."""

from collections.abc import Sequence

from wellkept.client.call import Call, call
from wellkept.model.pages import DEFAULT_LIMIT
from wellkept.model.passages import PassageCounts, PassagesPut, Said
from wellkept.model.recall import Recalled, RecallFilter
from wellkept.wire import passages as wire
from wellkept.wire.endpoints import passages as table

_EVERYTHING = RecallFilter()


def ingest(agent_id: str, *, user_id: str, session_id: str, messages: Sequence[Said]) -> Call[PassagesPut]:
    """Keep what was said in a session of a user; each message once, however often it is sent."""
    body = wire.PassagesBody(user_id=user_id, session_id=session_id, messages=tuple(messages))
    return call(table.INGEST, {"agentId": agent_id}, body=body)


def recall(
    agent_id: str, query: str, *, user_id: str, limit: int = 10, filter: RecallFilter = _EVERYTHING
) -> Call[Recalled]:
    """Find what was said in a user's past conversations, best first, with the parts of each score."""
    body = wire.RecallBody(query=query, user_id=user_id, limit=limit, filter=None if filter == _EVERYTHING else filter)
    return call(table.RECALL, {"agentId": agent_id}, body=body)


def list_(
    agent_id: str,
    *,
    user_id: str | None = None,
    session_id: str | None = None,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Call[wire.PassagesPage]:
    """Give a page of passages, those said last first: of all users, or of one, or of a session."""
    query = wire.PassagesQuery(user_id=user_id, session_id=session_id, cursor=cursor, limit=limit)
    return call(table.LIST_PASSAGES, {"agentId": agent_id}, query=query)


def delete(
    agent_id: str, *, user_id: str | None = None, session_id: str | None = None, passage_id: str | None = None
) -> Call[wire.PassagesDeleted]:
    """Forget passages for good: a user's, a session's, or one; name at least one of the three."""
    query = wire.PassagesChosen(user_id=user_id, session_id=session_id, passage_id=passage_id)
    return call(table.DELETE_PASSAGES, {"agentId": agent_id}, query=query)


def stats(agent_id: str) -> Call[PassageCounts]:
    """Count an agent's passages, and the vectors of each model."""
    return call(table.COUNT_PASSAGES, {"agentId": agent_id})


def reindex(*, passages: int = 1_000) -> Call[wire.ReindexAnswer]:
    """Embed some of the passages that have no vector of the server's embedder; ask again until `left` is 0."""
    return call(table.REINDEX, {}, body=wire.ReindexBody(passages=passages))
