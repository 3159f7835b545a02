"""Lists of memories, and the searches in both modes: reading a pool, or some of its partitions, newest first."""

import heapq
import sqlite3
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, TypeVar

from wellkept.model.ids import MemoryId
from wellkept.model.memories import Memory, MemoryFound, Partitions, Pool
from wellkept.model.pages import Position
from wellkept.rules.instants import behind
from wellkept.rules.lexical import TsVector, WebQuery, web_query
from wellkept.rules.rank import RankTokens, rank
from wellkept.stores.sqlite.connection import snapshot
from wellkept.stores.sqlite.rows import MemoryRow, to_memory
from wellkept.stores.sqlite.statements import statements

_MatchRow = tuple[*MemoryRow, str]
"""A `MemoryRow`, then web_vector."""

_TokensRow = tuple[int, MemoryId, str]
"""created_at, id, rank_tokens."""

R = TypeVar("R", MemoryRow, _MatchRow, _TokensRow)

_SQL: Final = statements("memories.sql")

_vector = lru_cache(maxsize=4_096)(TsVector.decode)  # reading a vector takes longer than matching it


def newest(
    db: sqlite3.Connection, pool: Pool, partitions: Partitions, *, limit: int, after: Position | None
) -> list[Memory]:
    """Give up to `limit` memories, newest first, from after a position."""
    with snapshot(db):
        rows: Iterator[MemoryRow] = _read(db, "newest_first", pool, partitions, *behind(after), limit)
        return [to_memory(pool, row) for row in islice(rows, limit)]


def matching(
    db: sqlite3.Connection, pool: Pool, partitions: Partitions, web: str, *, limit: int, after: Position | None
) -> list[Memory]:
    """Give those that match in mode `web`: read and match until there are enough."""
    query = web_query(web)
    if query.empty:
        return []
    with snapshot(db):
        rows: Iterator[_MatchRow] = _read(db, "matching", pool, partitions, *behind(after), _needle(query))
        found = (row for row in rows if query.matches(_vector(row[9])))
        return [to_memory(pool, row[:9]) for row in islice(found, limit)]


def ranked(db: sqlite3.Connection, pool: Pool, partitions: Partitions, query: str, *, limit: int) -> list[MemoryFound]:
    """Give those that match in mode `ranked`, best first."""
    with snapshot(db):
        rows: list[_TokensRow] = list(_read(db, "tokens", pool, partitions))
        ranking = rank(query, [RankTokens.decode(tokens) for _, _, tokens in rows], limit=limit)
        return [
            MemoryFound(memory=_get(db, pool, rows[item.index][1]), score=item.score, parts=item.parts)
            for item in ranking
        ]


def _needle(query: WebQuery) -> str:
    """Give what the column of every matching row holds, so that SQLite leaves out most others.

    The longest word that the query cannot do without; with alternatives there
    may be none, and a space is in every column.
    """
    words = [word for part in query.alternatives[0] if not part.negated for word in part.phrase]
    if len(query.alternatives) > 1 or not words:
        return " "
    return f" {max(words, key=len)} "


def _read(db: sqlite3.Connection, what: str, pool: Pool, partitions: Partitions, *more: int | str) -> Iterator[R]:
    """Read rows that begin with created_at and id."""
    if partitions is None:
        return db.execute(_SQL[f"pool_{what}"], (pool.tenant, pool.agent, *more))
    # Each partition has its own order in an index; together they are merged as they are read.
    streams: list[Iterable[R]] = [
        db.execute(_SQL[f"partition_{what}"], (pool.tenant, pool.agent, user, *more)) for user in set(partitions)
    ]
    return iter(streams[0]) if len(streams) == 1 else heapq.merge(*streams, reverse=True)


def _get(db: sqlite3.Connection, pool: Pool, memory: MemoryId) -> Memory:
    row: MemoryRow = db.execute(_SQL["get"], (pool.tenant, pool.agent, memory)).fetchone()
    return to_memory(pool, row)
