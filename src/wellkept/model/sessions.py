"""Sessions: the transcript of one conversation."""

from datetime import datetime
from typing import Literal

import msgspec

from wellkept.model.ids import AgentId, SessionId, TenantId, UserId, agent_id, session_id, tenant_id

Role = Literal["user", "assistant", "tool"]


class SessionKey(msgspec.Struct, frozen=True, order=True):
    """Which session: an agent's session ids are its own."""

    tenant: TenantId
    agent: AgentId
    session: SessionId

    def __post_init__(self) -> None:
        tenant_id(self.tenant)
        agent_id(self.agent)
        session_id(self.session)


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation. It belongs to the user of its first turn, for ever; `version` None follows the agent's newest."""

    key: SessionKey
    user: UserId | None
    version: int | None
    created_at: datetime
    updated_at: datetime
    length: int = 0
    """Messages stored so far."""


class SessionMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a transcript. `text` is what a person reads; `payload` is the agent loop's own JSON."""

    number: int
    """From 1, without gaps."""
    role: Role
    text: str
    at: datetime
    payload: str = ""
