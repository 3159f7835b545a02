"""Rows of memories, as the statements of `memories.sql` give them."""

from wellkept.model.ids import MemoryId
from wellkept.model.memories import Memory, MemoryStatus, Origin, Pool
from wellkept.rules.instants import to_instant

MemoryRow = tuple[int, MemoryId, str, str, int, int, bool, Origin, MemoryStatus]
"""created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status."""


def to_memory(pool: Pool, row: MemoryRow) -> Memory:
    """Make a memory of a row."""
    created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status = row
    return Memory(
        id=id,
        tenant_id=pool.tenant,
        agent_id=pool.agent,
        user_id=user_id,
        text=text,
        created_at=to_instant(created_at),
        updated_at=to_instant(updated_at),
        last_accessed_at=to_instant(last_accessed_at),
        pinned=pinned,
        origin=origin,
        status=status,
    )
