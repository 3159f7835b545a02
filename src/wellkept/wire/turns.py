"""Turns on the wire: what a turn does with memory, and whole turns."""

from datetime import datetime
from typing import Literal

import msgspec

from wellkept.model.edits import Add, Remove, Replace
from wellkept.model.ids import AgentId, SessionId, TenantId, UserId
from wellkept.model.receipts import Receipt
from wellkept.model.sessions import Role
from wellkept.model.turns import Turn
from wellkept.wire.fields import Cursor, FoundLimit, Id, IdOrGeneral, MemoryText, Number, PageLimit


class TurnBody(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """For whom, in which session, by which version: what every operation of a turn takes."""

    user_id: Id | None = None
    session_id: Id | None = None
    version: Number | None = None

    def turn(self, tenant: TenantId, agent: AgentId) -> Turn:
        """Give the turn.

        Raises:
            InvalidInput: An id is not valid.
        """
        return Turn(
            tenant=tenant,
            agent=agent,
            user=None if self.user_id is None else UserId(self.user_id),
            session=None if self.session_id is None else SessionId(self.session_id),
            version=self.version,
        )


class ContextBody(TurnBody, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """`query` is what recall looks for: the user's latest message."""

    query: str | None = None


class ViewBlockBody(
    TurnBody, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which declared block, by its key."""

    block: str


class EditBlockBody(
    TurnBody, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which declared block, and the edit."""

    block: str
    edit: Add | Replace | Remove


class SaveMemoryBody(
    TurnBody, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """The text to remember."""

    text: MemoryText


class MemoryIdBody(TurnBody, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """Which memory."""

    memory_id: str


class SearchMemoriesBody(
    TurnBody, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """What to look for; at most 20 answers."""

    query: str
    limit: FoundLimit = 10


class SearchPastBody(
    TurnBody, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """What to look for in past conversations; at most 20 answers."""

    query: str
    limit: FoundLimit = 10


class UpdateMemoryBody(
    TurnBody, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which memory, and its new text."""

    memory_id: str
    text: MemoryText


class RunBody(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """The user's message, and for whom. Without `sessionId` the server makes one."""

    message: str
    user_id: Id | None = None
    session_id: Id | None = None
    version: Number | None = None


class ContinueBody(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """The user's next message in a session."""

    message: str
    user_id: Id | None = None
    version: Number | None = None


class GenerationBody(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A turn without a session: nothing of it is kept but what its tools saved."""

    prompt: str
    user_id: Id | None = None
    version: Number | None = None


class EventsQuery(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which events a streamed turn sends: with `internal` also the tools' calls and results."""

    internal: Literal["true", "false"] = "false"


ChangeKind = Literal["block", "memory"]


class MemoryChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One thing that a turn changed: a block (`id` is `scope/KEY`) or a memory. `state` held: it waits for approval."""

    kind: ChangeKind
    action: str
    id: str
    state: Literal["done", "held"]


class Usage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the model was asked for, as its provider counts."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class TurnAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a turn came to. `degraded` names what it had to do without."""

    text: str
    session_id: str | None
    agent_id: str
    version: int
    memory_changes: tuple[MemoryChange, ...]
    receipt: Receipt
    usage: Usage
    degraded: tuple[str, ...] = ()


class SessionsQuery(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which sessions: all of the agent's, or those of one user."""

    user_id: IdOrGeneral | None = None
    cursor: Cursor | None = None
    limit: PageLimit = 50


class SessionAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A conversation; `version` null: it follows the agent's newest."""

    id: str
    agent_id: str
    user_id: str | None
    version: int | None
    length: int
    created_at: datetime
    updated_at: datetime


class SessionsPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Sessions, newest first."""

    data: tuple[SessionAnswer, ...]
    next_cursor: str | None = None


class MessageAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One message of a transcript."""

    number: int
    role: Role
    text: str
    at: datetime


class MessagesPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Messages, oldest first."""

    data: tuple[MessageAnswer, ...]
    next_cursor: str | None = None


class ChatBody(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A message to the default agent, or to the one that `agentId` names."""

    message: str
    session_id: Id | None = None
    user_id: Id | None = None
    agent_id: Id | None = None


class ChatAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The reply."""

    session_id: str
    response: str
    timestamp: datetime


class ChatQuery(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which agent's session, and for whom; the default agent's without `agentId`."""

    agent_id: Id | None = None
    user_id: Id | None = None


class ChatSessionAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A session with its messages, oldest first."""

    session: SessionAnswer
    messages: tuple[MessageAnswer, ...]
