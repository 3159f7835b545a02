"""Which agents were deleted: a write that was under way for one of them must not come after."""

import sqlite3
from typing import Final

from wellkept.model.errors import NotFound
from wellkept.model.ids import AgentId, TenantId
from wellkept.stores.sqlite.statements import statements

_SQL: Final = statements("deleted_agents.sql")


def refuse(db: sqlite3.Connection, tenant: TenantId, agent: AgentId) -> None:
    """Look, in the transaction of a write that belongs to an agent.

    Raises:
        NotFound: The agent was deleted.
    """
    if db.execute(_SQL["get"], (tenant, agent)).fetchone():
        raise NotFound(agent=agent)


def note(db: sqlite3.Connection, tenant: TenantId, agent: AgentId) -> None:
    """Remember that an agent was deleted."""
    db.execute(_SQL["add"], (tenant, agent))


def forget(db: sqlite3.Connection, tenant: TenantId, agent: AgentId) -> None:
    """Let an agent of this id be there again."""
    db.execute(_SQL["remove"], (tenant, agent))
