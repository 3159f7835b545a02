"""Past conversations, for those who run their own loop, and for administrators."""

from contextlib import aclosing
from typing import Final

from msgspec.structs import replace

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import UserId, passage_id, session_id, user_id
from wellkept.model.passages import PassageOwner, Selection
from wellkept.model.recall import RecallFilter, RecallQuery
from wellkept.server.call import Answer, B, Call, Handler, Q
from wellkept.server.handlers.reach import used_agent
from wellkept.wire.endpoint import NoBody, NoQuery
from wellkept.wire.passages import (
    PassagesBody,
    PassagesChosen,
    PassagesDeleted,
    PassagesPage,
    PassagesQuery,
    RecallBody,
    ReindexAnswer,
    ReindexBody,
)


async def ingest(call: Call[NoQuery, PassagesBody]) -> Answer:
    """Keep messages of a session."""
    owner = await _owner(call, call.body.user_id)
    session = session_id(call.body.session_id)
    return Answer(value=await call.services.recall.ingest(owner, session, call.body.messages))


async def recall(call: Call[NoQuery, RecallBody]) -> Answer:
    """Search a user's past conversations."""
    body = call.body
    query = RecallQuery(text=body.query, limit=body.limit, filter=body.filter or RecallFilter())
    owner = await _owner(call, body.user_id)
    return Answer(value=await call.services.recall.search(owner, query))


async def list_all(call: Call[PassagesQuery, NoBody]) -> Answer:
    """Give a page of passages."""
    query = call.query
    chosen = await _chosen(call, query.user_id, query.session_id)
    page = await call.services.recall.listed(chosen, cursor=query.cursor, limit=query.limit)
    return Answer(value=PassagesPage(data=page.data, next_cursor=page.next_cursor))


async def delete(call: Call[PassagesChosen, NoBody]) -> Answer:
    """Forget passages."""
    query = call.query
    if (query.user_id, query.session_id, query.passage_id) == (None, None, None):
        raise InvalidInput(
            param="userId", problem="is missing; name a userId, a sessionId or a passageId: all would go otherwise"
        )
    ids = None if query.passage_id is None else (passage_id(query.passage_id),)
    chosen = await _chosen(call, query.user_id, query.session_id)
    deleted = await call.services.recall.delete(replace(chosen, ids=ids))
    return Answer(value=PassagesDeleted(deleted=deleted))


async def stats(call: Call[NoQuery, NoBody]) -> Answer:
    """Count an agent's passages."""
    agent = await used_agent(call)
    return Answer(value=await call.services.recall.stats(call.caller.tenant, agent.id))


async def reindex(call: Call[NoQuery, ReindexBody]) -> Answer:
    """Embed some of what has no vector yet; the caller asks again until nothing is left."""
    async with aclosing(call.services.recall.reindex(call.caller.tenant)) as steps:
        step = await anext(steps)  # the first says how much there is to do
        async for step in steps:
            if step.done >= call.body.passages:
                break
    return Answer(value=ReindexAnswer(model=step.model, done=step.done, left=step.total - step.done))


async def _owner(call: Call[Q, B], said: str) -> PassageOwner:
    user = call.caller.acting_for(said) or said
    agent = await used_agent(call)
    return PassageOwner(call.caller.tenant, agent.id, UserId(user))


async def _chosen(call: Call[Q, B], user: str | None, session: str | None) -> Selection:
    whose = call.caller.acting_for(user)
    agent = await used_agent(call)
    return Selection(
        tenant=call.caller.tenant,
        agent=agent.id,
        user=None if whose is None else user_id(whose),
        session=None if session is None else session_id(session),
    )


HANDLERS: Final[dict[str, Handler]] = {
    "passages.ingest": ingest,
    "passages.list": list_all,
    "passages.delete": delete,
    "passages.stats": stats,
    "passages.recall": recall,
    "passages.reindex": reindex,
}
