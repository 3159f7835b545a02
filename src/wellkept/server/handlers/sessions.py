"""Sessions and their messages. A limited caller has those of its user."""

from collections.abc import Sequence
from typing import Final

from wellkept.model.errors import NotFound
from wellkept.model.ids import AgentId, SessionId
from wellkept.model.sessions import Session, SessionKey, SessionMessage
from wellkept.rules.cursor import fingerprint
from wellkept.server.call import Answer, B, Call, Handler, Q
from wellkept.server.handlers.reach import used_agent
from wellkept.server.numbered import cursor_after, number_of
from wellkept.wire.agents import PageQuery
from wellkept.wire.endpoint import NoBody, NoQuery
from wellkept.wire.turns import MessageAnswer, MessagesPage, SessionAnswer, SessionsPage, SessionsQuery


async def list_all(call: Call[SessionsQuery, NoBody]) -> Answer:
    """Give a page of an agent's sessions."""
    query = call.query
    user = call.caller.acting_for(query.user_id)
    agent = await used_agent(call)
    page = await call.services.sessions.list(
        call.caller.tenant, agent.id, cursor=query.cursor, limit=query.limit, user_id=user
    )
    return Answer(value=SessionsPage(data=tuple(map(session_answer, page.data)), next_cursor=page.next_cursor))


async def get(call: Call[NoQuery, NoBody]) -> Answer:
    """Read a session."""
    agent = await used_agent(call)
    return Answer(value=session_answer(await own_session(call, agent.id)))


async def messages(call: Call[PageQuery, NoBody]) -> Answer:
    """Give a page of a session's messages."""
    query = call.query
    agent = await used_agent(call)
    key = (await own_session(call, agent.id)).key
    name = fingerprint("messages", key.tenant, key.agent, key.session)
    after = number_of(query.cursor, list_name=name) or 0
    rows = await call.services.sessions.messages(key, after=after, limit=query.limit + 1)
    shown = rows[: query.limit]
    last = shown[-1] if len(rows) > len(shown) else None
    more = None if last is None else cursor_after(last.number, last.at, list_name=name)
    return Answer(value=MessagesPage(data=message_answers(call, shown), next_cursor=more))


async def delete(call: Call[NoQuery, NoBody]) -> Answer:
    """Forget a session."""
    agent = await used_agent(call)
    await call.services.sessions.delete((await own_session(call, agent.id)).key)
    return Answer()


async def own_session(call: Call[Q, B], agent: AgentId, *, user: str | None = None) -> Session:
    """Give the session in the path, if it is one of the caller's user, or of `user` when a request names one.

    Raises:
        NotFound: There is none, or it is another user's.
        UserMismatch: The credential names a user, and the request another one.
    """
    wanted = call.caller.acting_for(user)
    session = await call.services.sessions.get(SessionKey(call.caller.tenant, agent, SessionId(call.path["sessionId"])))
    if wanted is not None and session.user != wanted:
        raise NotFound(what="session")
    return session


def session_answer(session: Session) -> SessionAnswer:
    """Say a session on the wire."""
    return SessionAnswer(
        id=session.key.session,
        agent_id=session.key.agent,
        user_id=session.user,
        version=session.version,
        length=session.length,
        created_at=session.created_at,
        updated_at=session.updated_at,
    )


def message_answers(call: Call[Q, B], messages: Sequence[SessionMessage]) -> tuple[MessageAnswer, ...]:
    """Say messages on the wire. Those of tools are internal, as their events are: a limited caller has none of them."""
    return tuple(
        MessageAnswer(number=message.number, role=message.role, text=message.text, at=message.at)
        for message in messages
        if call.caller.user is None or message.role != "tool"
    )


HANDLERS: Final[dict[str, Handler]] = {
    "turns.sessions": list_all,
    "turns.session": get,
    "turns.messages": messages,
    "turns.delete_session": delete,
}
