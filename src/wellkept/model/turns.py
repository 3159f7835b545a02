"""A turn: one request to an agent, with its user and session."""

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import AgentId, SessionId, TenantId, UserId, agent_id, session_id, tenant_id, user_id
from wellkept.model.memories import Pool


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks which agent, in which session. A turn without a user is None, never "".

    Raises:
        InvalidInput: An id is not valid.
    """

    tenant: TenantId
    agent: AgentId
    user: UserId | None = None
    session: SessionId | None = None
    version: int | None = None

    def __post_init__(self) -> None:
        tenant_id(self.tenant)
        agent_id(self.agent)
        if self.user is not None:
            user_id(self.user)
        if self.session is not None:
            session_id(self.session)
        if self.version is not None and not 1 <= self.version <= 2**31 - 1:
            raise InvalidInput(param="version", problem="must be a positive 32-bit number")

    @property
    def pool(self) -> Pool:
        """Name the pool of the turn's agent."""
        return Pool(self.tenant, self.agent)
