"""Which memories leave a full pool."""

from collections import Counter, deque
from collections.abc import Iterable
from datetime import datetime
from heapq import nsmallest
from typing import Generic, NamedTuple, TypeVar

from wellkept.model.ids import MemoryId
from wellkept.model.memories import PoolRules

Instant = TypeVar("Instant", datetime, int)


class Candidate(NamedTuple, Generic[Instant]):
    """A row that may have to leave. Its fields stand in the order of eviction: the least of two leaves first.

    Times are instants, or whatever whole numbers a store keeps in their place.
    """

    pinned: bool
    last_accessed_at: Instant
    created_at: Instant
    id: MemoryId
    user_id: str


def excess(count: int, rules: PoolRules) -> int:
    """Say how many of a pool's `count` rows must leave before one more is inserted."""
    return max(0, count + 1 - rules.cap)


def victims(rows: Iterable[Candidate[Instant]], *, rules: PoolRules, need: int, joining: str) -> tuple[MemoryId, ...]:
    """Choose `need` of a pool's rows (all of them if there are fewer), in the order in which they leave.

    `rows` is the whole pool without the new row, which is of the partition
    `joining` and never leaves itself. One after another, the first row leaves by
    `last_accessed_at`, then `created_at`, then `id`, ascending, pinned rows last.

    A partition (the general one is like any other) is *over its reserve* while
    it has more than `per_user_reserve` rows, the new one counted with those that
    have not left. While a partition over its reserve has rows to give, only such
    partitions give them, pinned rows too: a pin keeps a row from its neighbours
    in the queue, but takes nothing from what is reserved to others. When none
    has, the plain order applies to all. So while the reserves of all partitions
    together fit into the cap, nobody is pushed below their own by somebody else.
    """
    if not rules.per_user_reserve:
        # Whoever has rows is over a reserve of nothing: the plain order, without queues.
        return tuple(row.id for row in nsmallest(need, rows))
    queues: dict[str, deque[Candidate[Instant]]] = {}
    for row in sorted(rows):
        queues.setdefault(row.user_id, deque()).append(row)
    counts = Counter({user: len(queue) for user, queue in queues.items()})
    counts[joining] += 1
    gone: list[MemoryId] = []
    while queues and len(gone) < need:
        over = [queue for user, queue in queues.items() if counts[user] > rules.per_user_reserve]
        victim = min(over or queues.values(), key=lambda queue: queue[0]).popleft()
        gone.append(victim.id)
        counts[victim.user_id] -= 1
        if not queues[victim.user_id]:
            del queues[victim.user_id]
    return tuple(gone)
