"""The SQLite store: everything in one file, for several processes at once."""

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar, Final, Self

from wellkept.contract.capability import Capability
from wellkept.model.errors import StoreFailed
from wellkept.stores.sqlite import health, opening
from wellkept.stores.sqlite.address import Address
from wellkept.stores.sqlite.audit import SqliteAudit
from wellkept.stores.sqlite.blocks import SqliteBlocks
from wellkept.stores.sqlite.commits import commit
from wellkept.stores.sqlite.crew import Crew
from wellkept.stores.sqlite.directory import SqliteDirectory
from wellkept.stores.sqlite.errors import translated
from wellkept.stores.sqlite.jobs import Job
from wellkept.stores.sqlite.memories import SqliteMemories
from wellkept.stores.sqlite.passages import SqlitePassages
from wellkept.stores.sqlite.review import SqliteReview
from wellkept.stores.sqlite.sessions import SqliteSessions

READERS: Final = 2
"""Threads that read. Decoding holds the interpreter's lock, so more of them wait for each other."""

MOST_AT_ONCE: Final = 128
"""Writes in one transaction: enough to share the wait for the disk, few enough that the first does not wait long."""


class SqliteStore(
    SqliteBlocks, SqliteMemories, SqliteDirectory, SqliteSessions, SqliteReview, SqlitePassages, SqliteAudit
):
    """Keeps everything in one SQLite file, which several processes may have open.

    One thread writes, and commits what waits together in one transaction;
    others read, each from a moment of its own. What was acknowledged is on the
    disk (see `Address.synchronous`). A file that cannot be written is opened
    all the same: it is read, and every write raises `StoreReadOnly`.
    """

    capabilities: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.HISTORY, Capability.DURABLE, Capability.SHARED}
    )

    def __init__(
        self, address: Address, *, writer: sqlite3.Connection | None, readers: Sequence[sqlite3.Connection]
    ) -> None:
        """Take over open connections. `open_at` makes them."""
        self._address = address
        self._file = health.identity(address.path)
        self._readers = Crew("wellkept-sqlite-reader", readers, _perform, at_once=1)
        self._writer = (
            Crew("wellkept-sqlite-writer", [writer], partial(commit, timeout=address.timeout), at_once=MOST_AT_ONCE)
            if writer
            else None
        )

    @classmethod
    async def open_at(cls, address: Address) -> Self:
        """Open the file, making it and bringing its schema up to date where needed.

        Raises:
            StoreFailed: It cannot be opened; the class says why.
            InvalidSetting: The file is another program's, or cannot have a WAL.
        """
        return await asyncio.to_thread(cls._open, address)

    @classmethod
    def _open(cls, address: Address) -> Self:
        try:
            writer, readers = opening.connections(address, READERS)
        except sqlite3.Error as error:
            raise translated(error) from error
        return cls(address, writer=writer, readers=readers)

    async def ready(self) -> None:
        await self._write(lambda db: health.look(db, self._address.path, self._file))

    async def check(self) -> list[str]:
        """Say what is wrong with the file, one line each: a slow look at every page."""
        problems: list[str] = []
        try:
            problems += await self._read(lambda db: health.problems(db, self._address.path))
            await self.ready()
        except StoreFailed as error:
            problems.append(error.message)
        return problems

    async def facts(self) -> Mapping[str, str]:
        return await self._read(lambda db: health.facts(db, self._address.path))

    async def close(self) -> None:
        """Finish what was asked for, then let go of the file. A second time does nothing."""
        # One after the other, the one that writes last: who closes as the last takes the WAL back into the file, and
        # of several that close at once none may find that it is the last.
        crews = [crew for crew in (self._readers, self._writer) if crew]
        for crew in crews:
            crew.stop()
        for crew in crews:
            await asyncio.to_thread(crew.join)


def _perform(db: sqlite3.Connection, jobs: Sequence[Job[object]]) -> None:
    for job in jobs:
        with job:
            job.perform(db)
