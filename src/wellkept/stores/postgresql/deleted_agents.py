"""Which agents were deleted: a write that was under way for one of them must not come after."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import psycopg

from wellkept.model.errors import NotFound
from wellkept.model.keys import BlockKey
from wellkept.stores.postgresql.statements import statements

_SQL: Final = statements("deleted_agents.sql")
_DELETED: Final = "WK002"
"""The state that `wellkept.write_for_agent` raises."""

REFUSE: Final = _SQL["refuse"]
"""Stands first in the transaction of each write that belongs to an agent (`agent`), inside `refused`."""

LOCK: Final = _SQL["lock"]
"""Stands first where an agent (`agent`) is added or deleted."""

NOTE: Final = _SQL["note"]
"""Remembers that an agent (`agent`) is deleted, just before it is."""

FORGET: Final = _SQL["forget"]
"""Lets an agent (`agent`) be there again."""


@contextmanager
def refused(agent: str) -> Generator[None]:
    """Say what `REFUSE` found.

    Raises:
        NotFound: The agent was deleted.
    """
    try:
        yield
    except psycopg.Error as error:
        if error.sqlstate == _DELETED:
            raise NotFound(agent=agent) from error
        raise


def refuse_for(key: BlockKey) -> tuple[str, ...]:
    """Give `REFUSE` where a block is an agent's own."""
    return (REFUSE,) if key.scope == "agent" else ()
