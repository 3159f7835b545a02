"""The baseline: the SQLite store's own statements, on its own schema and pragmas, and nothing else.

No decision, no value of ours, no thread, no event loop: what is slower than
this is what we add. `tests/bench` holds the statements to those of the store.
"""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from bench.data import (
    FOUND,
    FULL,
    PAGE,
    PLACED,
    READ,
    USER,
    VISIBLE,
    WEB_QUERY,
    block_key,
    entry,
    growing_user,
    id_of,
    instant,
    text_of,
)
from bench.world import filled
from wellkept.model.errors import StoreReadOnly
from wellkept.model.keys import BlockKey
from wellkept.rules.instants import behind, to_number
from wellkept.rules.lexical import to_tsvector
from wellkept.rules.rank import rank_tokens
from wellkept.stores.sqlite.address import parse
from wellkept.stores.sqlite.connection import snapshot
from wellkept.stores.sqlite.opening import connections
from wellkept.stores.sqlite.statements import statements

BLOCKS: Final = statements("blocks.sql")
MEMORIES: Final = statements("memories.sql")
DELETED: Final = statements("deleted_agents.sql")

_READ: Final = (READ.tenant, READ.agent)
_FULL: Final = (FULL.tenant, FULL.agent)
_NEWEST: Final = behind(None)
_ETAG: Final = "0" * 64
_WORDS: Final = (to_tsvector(text_of(0)).encode(), rank_tokens(text_of(0)).encode())


class Raw:
    """One connection that writes and one that reads, as the store opens them."""

    def __init__(self, writer: sqlite3.Connection, reader: sqlite3.Connection, rows: int) -> None:
        self._writer = writer
        self._reader = reader
        self._rows = rows

    def view(self) -> None:
        self._reader.execute(BLOCKS["get"], _place(PLACED[0])).fetchone()

    def add(self, number: int) -> None:
        db, place, at = self._writer, _place(block_key(growing_user(number))), to_number(instant(number))
        db.execute("BEGIN IMMEDIATE")
        stored = db.execute(BLOCKS["get"], place).fetchone()
        text = f"{stored[0]}\n§\n{entry(number)}" if stored else entry(number)
        db.execute(BLOCKS["put"], (*place, at, text))
        (last,) = db.execute(BLOCKS["last_revision"], place).fetchone()
        db.execute(BLOCKS["add_revision"], (*place, last + 1, "user_turn", at, None, _ETAG, _ETAG, text))
        db.execute("COMMIT")

    def create(self, number: int) -> None:
        db, at, text = self._writer, to_number(instant(number)), text_of(number)
        db.execute("BEGIN IMMEDIATE")
        db.execute(DELETED["get"], _FULL).fetchone()
        for user in VISIBLE:
            db.execute(MEMORIES["twin"], (*_FULL, user, text)).fetchone()
        db.execute(MEMORIES["count_pool"], _FULL).fetchone()
        gone = db.execute(MEMORIES["least_used"], (*_FULL, 1)).fetchall()
        db.executemany(MEMORIES["delete"], [(*_FULL, *row) for row in gone])
        db.execute(MEMORIES["insert"], (*_FULL, id_of(number), USER, 0, "tool", "active", at, at, at, text, *_WORDS))
        db.execute("COMMIT")

    def get(self, number: int) -> None:
        self._reader.execute(MEMORIES["get"], (*_READ, id_of(number % self._rows))).fetchone()

    def list(self) -> None:
        db = self._reader
        with snapshot(db):
            db.execute(MEMORIES["pool_newest_first"], (*_READ, *_NEWEST, PAGE + 1)).fetchall()

    def web(self) -> None:
        db = self._reader
        with snapshot(db):
            db.execute(MEMORIES["pool_matching"], (*_READ, *_NEWEST, f" {WEB_QUERY} ")).fetchall()

    def ranked(self) -> None:
        db = self._reader
        with snapshot(db):
            for user in VISIBLE:
                db.execute(MEMORIES["partition_tokens"], (*_READ, user)).fetchall()
            for number in range(FOUND):
                db.execute(MEMORIES["get"], (*_READ, id_of(number))).fetchone()

    def context(self) -> None:
        db = self._reader
        with snapshot(db):
            for key in PLACED:
                db.execute(BLOCKS["get"], _place(key)).fetchone()
        with snapshot(db):
            for user in VISIBLE:
                db.execute(MEMORIES["partition_newest_first"], (*_READ, user, *_NEWEST, self._rows)).fetchall()


def _place(key: BlockKey) -> tuple[str, str, str, str]:
    return key.tenant, key.scope, key.owner, key.key


@asynccontextmanager
async def raw(url: str, rows: int) -> AsyncIterator[Raw]:
    """Fill a SQLite store of its own at `url`, and open the bare file."""
    async with filled(url, rows):
        pass
    writer, (reader,) = connections(parse(url), 1)
    if writer is None:
        raise StoreReadOnly(store="sqlite")
    try:
        yield Raw(writer, reader, rows)
    finally:
        reader.close()
        writer.close()
