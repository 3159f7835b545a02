"""What renderings make PostgreSQL write: bytes of its log (WAL) for each, with uses noted together and one by one.

A rendering of a full pool uses all of its rows. Uses are noted in the process and written about once a second
(`wellkept.services.touches`), so what a rendering costs depends on how many there are in a second; what one writing of
all 500 uses costs does not. The same renderings, each written at once, say what is spared.

The server writes whole pages after a checkpoint, as servers that are not of tests do; one is made at the start of each.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

import msgspec
import psycopg

from trials.places import Place
from trials.report import Report
from wellkept.compose.assemble import Services, assemble
from wellkept.compose.stores import open_stores
from wellkept.model.agents import AgentConfig
from wellkept.model.ids import DEFAULT_TENANT, AgentId, UserId
from wellkept.model.memories import MemorySettings, Pool
from wellkept.model.turns import Turn

ROWS = 500
CALLERS = 8
AT_ONCE = 50
"""One rendering in so many is done again with its uses written at once."""

_AGENT = AgentId("rendered")
_POOL = Pool(DEFAULT_TENANT, _AGENT)
_TURN = Turn(tenant=DEFAULT_TENANT, agent=_AGENT, user=UserId("user-42"))
_TEXT = (
    "The customer with account {} prefers to be called in the afternoon, wants invoices as PDF, and asked twice about"
)
_CONFIG = AgentConfig(
    name="Rendered",
    memory_injection_enabled=True,
    memories=MemorySettings(injection_words=100_000, injection_chars=1_000_000),
)


class Written(msgspec.Struct, frozen=True):
    """What some renderings came to."""

    renderings: int
    bytes: int
    seconds: float

    @property
    def each(self) -> float:
        """Say how many bytes a rendering cost."""
        return self.bytes / self.renderings


def run(place: Place, *, count: int, seconds: float) -> Report:
    """Render a pool `count` times."""
    return asyncio.run(_render(place, count))


async def _render(place: Place, count: int) -> Report:
    wrong: list[str] = []
    async with _filled(place.url) as services, _log(place.url) as log:
        began = services.clock.now()
        together = await _rendered(services, log, count, at_once=False)
        wrong += await _unnoted(services, began)
        began = services.clock.now()
        singly = await _rendered(services, log, max(count // AT_ONCE, 1), at_once=True)
        wrong += await _unnoted(services, began)
    return Report(
        trial="wal",
        store=place.name,
        figures={
            "rows in the pool": ROWS,
            "renderings": together.renderings,
            "seconds": round(together.seconds),
            "bytes of WAL": together.bytes,
            "bytes a rendering": round(together.each),
            "bytes a second": round(together.bytes / together.seconds),
            "bytes a rendering, written at once": round(singly.each),
            "bytes a use, written at once": round(singly.each / ROWS),
        },
        wrong=wrong,
    )


@asynccontextmanager
async def _filled(url: str) -> AsyncIterator[Services]:
    services = assemble(await open_stores(url))
    try:
        await services.agents.create(DEFAULT_TENANT, _CONFIG, id=_AGENT)
        for number in range(ROWS):
            await services.memories.create(_POOL, user_id="user-42", text=_TEXT.format(number))
        yield services
    finally:
        await services.close()


class _Log:
    """The server's log, as far as it is written."""

    def __init__(self, db: psycopg.AsyncConnection) -> None:
        self._db = db

    async def checkpoint(self) -> None:
        """Let the next change of each page write the whole page."""
        await self._db.execute("CHECKPOINT")

    async def end(self) -> int:
        """Say where it ends; what a transaction that does not wait for the disk wrote counts, too."""
        row = await (await self._db.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")).fetchone()
        assert row is not None
        return int(row[0])


@asynccontextmanager
async def _log(url: str) -> AsyncIterator[_Log]:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as db:
        await db.execute("ALTER SYSTEM SET full_page_writes = on")
        await db.execute("SELECT pg_reload_conf()")
        try:
            yield _Log(db)
        finally:
            await db.execute("ALTER SYSTEM SET full_page_writes = off")
            await db.execute("SELECT pg_reload_conf()")


async def _rendered(services: Services, log: _Log, count: int, *, at_once: bool) -> Written:
    numbers = iter(range(count))
    await log.checkpoint()
    before, began = await log.end(), time.monotonic()

    async def call() -> None:
        for _ in numbers:
            await services.memory.context(_TURN)
            if at_once:
                await services.memories.flush()

    # At once is one after the other: of several callers, some would find their uses written by another.
    await asyncio.gather(*(call() for _ in range(1 if at_once else CALLERS)))
    await services.memories.flush()
    return Written(count, await log.end() - before, time.monotonic() - began)


async def _unnoted(services: Services, since: datetime) -> list[str]:
    """Name what was rendered last and has no use since then."""
    rows = await services.memories.newest(_POOL, partitions=None, limit=ROWS + 1)
    unnoted = sum(row.last_accessed_at < since for row in rows)
    wrong = [f"{unnoted} uses were not noted"] if unnoted else []
    return wrong if len(rows) == ROWS else [*wrong, f"{len(rows)} rows in the pool"]
