"""Rows of memories, as the statements of `memories.sql` give them."""

from wellkept.model.ids import MemoryId
from wellkept.model.memories import Memory, MemoryStatus, Origin, Pool
from wellkept.stores.sqlite.instants import to_instant

MemoryRow = tuple[MemoryId, str, str, int, int, int, int, Origin, MemoryStatus]
"""id, user_id, text, created_at, updated_at, last_accessed_at, pinned, origin, status."""

SearchRow = tuple[MemoryId, str, str, int, int, int, int, Origin, MemoryStatus, str, str]
"""A `MemoryRow`, then web_vector, rank_tokens."""


def to_memory(pool: Pool, row: MemoryRow | SearchRow) -> Memory:
    """Make a memory of a row."""
    return Memory(
        id=row[0],
        tenant_id=pool.tenant,
        agent_id=pool.agent,
        user_id=row[1],
        text=row[2],
        created_at=to_instant(row[3]),
        updated_at=to_instant(row[4]),
        last_accessed_at=to_instant(row[5]),
        pinned=bool(row[6]),
        origin=row[7],
        status=row[8],
    )
