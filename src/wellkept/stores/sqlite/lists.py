"""Lists of memories, and the searches in both modes: reading a pool, or some of its partitions, newest first."""

import heapq
import sqlite3
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, TypeVar

from wellkept.model.memories import Memory, MemoryFound, Partitions, Pool
from wellkept.model.pages import Position
from wellkept.rules.lexical import TsVector, web_query
from wellkept.rules.rank import RankTokens, rank
from wellkept.stores.sqlite.connection import snapshot
from wellkept.stores.sqlite.instants import behind
from wellkept.stores.sqlite.rows import MemoryRow, SearchRow, to_memory
from wellkept.stores.sqlite.statements import statements

R = TypeVar("R", MemoryRow, SearchRow)

_SQL: Final = statements("memories.sql")
_NO_LIMIT: Final = -1

_KEPT: Final = 4_096
"""Vectors and token lists that a process keeps decoded; reading one anew takes longer than matching it."""

_vector = lru_cache(maxsize=_KEPT)(TsVector.decode)
_tokens = lru_cache(maxsize=_KEPT)(RankTokens.decode)


def newest(
    db: sqlite3.Connection, pool: Pool, partitions: Partitions, *, limit: int, after: Position | None
) -> list[Memory]:
    """Give up to `limit` memories, newest first, from after a position."""
    with snapshot(db):
        rows: Iterator[MemoryRow] = _read(db, "newest_first", pool, partitions, limit=limit, after=after)
        return [to_memory(pool, row) for row in islice(rows, limit)]


def matching(
    db: sqlite3.Connection, pool: Pool, partitions: Partitions, web: str, *, limit: int, after: Position | None
) -> list[Memory]:
    """Give those that match in mode `web`: read and match until there are enough."""
    query = web_query(web)
    if query.empty:
        return []
    with snapshot(db):
        rows: Iterator[SearchRow] = _read(db, "to_search", pool, partitions, limit=_NO_LIMIT, after=after)
        found = (row for row in rows if query.matches(_vector(row[9])))
        return [to_memory(pool, row) for row in islice(found, limit)]


def ranked(db: sqlite3.Connection, pool: Pool, partitions: Partitions, query: str, *, limit: int) -> list[MemoryFound]:
    """Give those that match in mode `ranked`, best first."""
    with snapshot(db):
        rows: list[SearchRow] = list(_read(db, "to_search", pool, partitions, limit=_NO_LIMIT, after=None))
    ranking = rank(query, [_tokens(row[10]) for row in rows], limit=limit)
    return [
        MemoryFound(memory=to_memory(pool, rows[item.index]), score=item.score, parts=item.parts) for item in ranking
    ]


def _read(
    db: sqlite3.Connection, what: str, pool: Pool, partitions: Partitions, *, limit: int, after: Position | None
) -> Iterator[R]:
    start: tuple[int, str, int] = (*behind(after), limit)
    if partitions is None:
        return db.execute(_SQL[f"pool_{what}"], (pool.tenant, pool.agent, *start))
    # Each partition has its own order in an index; together they are merged as they are read.
    streams: list[Iterable[R]] = [
        db.execute(_SQL[f"partition_{what}"], (pool.tenant, pool.agent, user, *start)) for user in set(partitions)
    ]
    return iter(streams[0]) if len(streams) == 1 else heapq.merge(*streams, key=_age, reverse=True)


def _age(row: MemoryRow | SearchRow) -> tuple[int, str]:
    return row[3], row[0]
