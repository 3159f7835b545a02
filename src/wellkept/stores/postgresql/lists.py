"""Lists of memories, and the searches in both modes: reading a pool, or some of its partitions, newest first."""

import asyncio
from typing import Final

from wellkept.model.memories import Memory, MemoryFound, Partitions, Pool
from wellkept.model.pages import Position
from wellkept.rules.instants import behind
from wellkept.rules.lexical import WebQuery, to_tsvector, web_query
from wellkept.rules.rank import RankTokens, rank
from wellkept.stores.postgresql.hops import Hops, Transaction, Value
from wellkept.stores.postgresql.rows import to_memory
from wellkept.stores.postgresql.statements import statements
from wellkept.stores.postgresql.web import query_of

_SQL: Final = statements("memories.sql")
_EVERYTHING: Final = 2**31 - 1

ONE_MOMENT: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
"""How a transaction begins whose statements all see the same."""


class Lists(Hops):
    """What reads many memories at once."""

    async def _newest(
        self, pool: Pool, partitions: Partitions, *, limit: int, after: Position | None, query: str | None = None
    ) -> list[Memory]:
        """Give up to `limit` memories, newest first, from after a position; with `query`, those that it matches."""
        at, id = behind(after)
        values: dict[str, Value] = {"agent": pool.agent, "at": at, "after": id, "limit": limit, "query": query}
        what = "newest_first" if query is None else "matching"
        rows = await self._ask(pool.tenant, _SQL[_named(what, partitions)], **values, **_named_in(partitions))
        return [to_memory(pool, row) for row in rows]

    async def _matching(
        self, pool: Pool, partitions: Partitions, web: str, *, limit: int, after: Position | None
    ) -> list[Memory]:
        """Give those that match in mode `web`."""
        query = web_query(web)
        if query.empty:
            return []
        spelt = query_of(query)
        if spelt is not None:
            return await self._newest(pool, partitions, limit=limit, after=after, query=spelt)
        rows = await self._newest(pool, partitions, limit=_EVERYTHING, after=after)
        return await asyncio.to_thread(_matched, query, rows, limit)

    async def _ranked(self, pool: Pool, partitions: Partitions, query: str, *, limit: int) -> list[MemoryFound]:
        """Give those that match in mode `ranked`, best first."""

        async def work(transaction: Transaction) -> list[MemoryFound]:
            place: dict[str, Value] = {"agent": pool.agent, **_named_in(partitions)}
            rows = await transaction.run(_SQL[_named("tokens", partitions)], **place)
            ranking = rank(query, [RankTokens.decode(tokens) for _, tokens in rows], limit=limit)
            ids: list[str] = [rows[item.index][0] for item in ranking]
            found = {
                row[1]: to_memory(pool, row)
                for row in await transaction.finish(_SQL["get_many"], agent=pool.agent, ids=ids)
            }
            return [
                MemoryFound(memory=found[id], score=item.score, parts=item.parts)
                for id, item in zip(ids, ranking, strict=True)
            ]

        return await self._transact(pool.tenant, work, begin=ONE_MOMENT)


def _named(what: str, partitions: Partitions) -> str:
    return f"{'pool' if partitions is None else 'partitions'}_{what}"


def _named_in(partitions: Partitions) -> dict[str, Value]:
    return {} if partitions is None else {"partitions": list(dict.fromkeys(partitions))}


def _matched(query: WebQuery, rows: list[Memory], limit: int) -> list[Memory]:
    """Match as PostgreSQL would, if it took queries of any length."""
    found = (row for row in rows if query.matches(to_tsvector(row.text)))
    return [row for row, _ in zip(found, range(limit), strict=False)]
