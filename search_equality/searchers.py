"""Who is asked: stores, and what PostgreSQL itself makes of a text and a query."""

import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Protocol

import psycopg

from search_equality.releases import Differs, differs
from wellkept.compose.stores import open_store
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.memories import Memory, PoolRules
from wellkept.testing.samples import a_pool, memory_id_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
import postgres_server  # the servers are those of the tests

Found = Sequence[Sequence[int]]
"""For each query the numbers of the memories that it finds, newest first."""


class Searcher(Protocol):
    """Finds memories."""

    name: str
    differs: Differs
    """What it is known to read in another way."""

    async def find(self, memories: Sequence[Memory], queries: Sequence[str]) -> Found:
        """Find what each query finds in mode `web`. The memories are numbered from 0, in the order of their age."""
        ...


class Store:
    """A store finds."""

    differs = Differs()

    def __init__(self, name: str, store: MemoryStore) -> None:
        self.name = name
        self._store = store

    async def find(self, memories: Sequence[Memory], queries: Sequence[str]) -> Found:
        await self._store.purge_pool(a_pool())
        for memory in memories:
            await self._store.create(memory, rules=PoolRules())
        numbers = {memory_id_of(number): number for number in range(len(memories))}
        return [
            [numbers[row.id] for row in await self._store.rows(a_pool(), partitions=None, limit=1_000, web=query)]
            for query in queries
        ]


class OwnReading:
    """PostgreSQL reads texts and queries itself, by the functions that mode `web` promises to agree with."""

    def __init__(self, name: str, db: psycopg.AsyncConnection, differs: Differs) -> None:
        self.name = name
        self.differs = differs
        self._db = db

    async def find(self, memories: Sequence[Memory], queries: Sequence[str]) -> Found:
        cursor = await self._db.execute(
            """
            SELECT query.number, text.number
            FROM unnest(%s::text[]) WITH ORDINALITY AS query (query, number),
                unnest(%s::text[]) WITH ORDINALITY AS text (text, number)
            WHERE to_tsvector('simple', text) @@ websearch_to_tsquery('simple', query)
            ORDER BY text.number DESC
            """,
            [list(queries), [memory.text for memory in memories]],
        )
        found: list[list[int]] = [[] for _ in queries]
        for query, text in await cursor.fetchall():
            found[query - 1].append(text - 1)
        return found


def servers() -> dict[str, postgres_server.Server]:
    """Start the servers there are: name each after its release, the oldest first."""
    found = [postgres_server.oldest()] if postgres_server.HAS_OLDEST else []
    found.append(postgres_server.newest())
    return {f"PostgreSQL {release(server)}": server for server in found}


def release(server: postgres_server.Server) -> int:
    """Ask a server for its major release."""
    ((version,),) = server.run("SHOW server_version_num")
    return int(str(version)) // 10_000


@cache
def differs_of(server: postgres_server.Server) -> Differs:
    """Find what a server reads in another way, once."""
    return differs(server.url_of(server.fresh()))


@asynccontextmanager
async def searchers() -> AsyncIterator[Sequence[Searcher]]:
    """Open all, each of them empty: the in-process store first, with which the others are compared."""
    async with AsyncExitStack() as until:
        folder = until.enter_context(tempfile.TemporaryDirectory(prefix="wellkept-search-"))
        found: list[Searcher] = [
            await _store(until, "in process", "inproc://"),
            await _store(until, "SQLite", f"sqlite:///{folder}/wellkept.db"),
        ]
        for name, server in servers().items():
            found.append(await _store(until, f"{name}, the store", server.fresh_url()))
            connection = await psycopg.AsyncConnection.connect(server.url_of(server.fresh()), autocommit=True)
            db = await until.enter_async_context(connection)
            found.append(OwnReading(f"{name}, its own reading", db, differs_of(server)))
        yield found


async def _store(until: AsyncExitStack, name: str, url: str) -> Store:
    store = await open_store(url)
    until.push_async_callback(store.close)
    assert isinstance(store, MemoryStore)
    return Store(name, store)
