"""Connections, kept open for the next call.

Not psycopg's own pool, which connects in the background: a caller whose password is wrong would wait out its timeout
and never learn why, and after a restart the dead connections would be found one after the other, with growing pauses.
Here the caller who needs a connection makes it, and is told what went wrong.
"""

import asyncio
import os
import select
import socket
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final
from weakref import WeakKeyDictionary

import psycopg
from psycopg import AsyncClientCursor, AsyncConnection
from psycopg.pq import ConnStatus, TransactionStatus
from psycopg.rows import TupleRow

from wellkept.model.errors import Closed, StoreUnavailable
from wellkept.stores.postgresql.address import Address
from wellkept.stores.postgresql.errors import translated

_CANCEL_SECONDS: Final = 1.0


class Connection(AsyncConnection[TupleRow]):
    """A connection that does not let its caller wait for a server that is gone."""

    async def cancel_safe(self, *, timeout: float = _CANCEL_SECONDS) -> None:  # noqa: ASYNC109  the driver's own
        """Ask the server to stop what it does; the driver does so when a caller is cancelled, and gives it longer."""
        await super().cancel_safe(timeout=min(timeout, _CANCEL_SECONDS))

    def hang_up(self) -> None:
        """Let whoever waits for the server find that it is gone. The connection is closed later, by who has it."""
        try:
            with socket.socket(fileno=os.dup(self.pgconn.socket)) as link:
                link.shutdown(socket.SHUT_RDWR)
        except (OSError, psycopg.OperationalError):
            pass  # it is gone


async def connect(address: Address) -> Connection:
    """Make a connection.

    Raises:
        Misconfigured: The server does not let us in.
        StoreUnavailable: It does not answer.
    """
    try:
        return await Connection.connect(
            address.conninfo,
            autocommit=True,  # transactions begin where this store says so
            prepare_threshold=None,  # behind PgBouncer the next statement may meet another session
            cursor_factory=AsyncClientCursor,  # several statements, with their values, are one message
        )
    except psycopg.Error as error:
        raise translated(error, place=address.place) from error


class Pool:
    """The connections of one event loop."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._free = asyncio.Semaphore(address.pool)
        self._idle: deque[Connection] = deque()
        self._closed = False

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[Connection]:
        """Lend a connection that was alive a moment ago.

        Raises as `connect` does; and `StoreUnavailable` when none gets free in time.
        """
        try:
            async with asyncio.timeout(self._address.timeout):
                await self._free.acquire()
        except TimeoutError as error:
            raise StoreUnavailable(
                store="postgresql", server=self._address.place, reason="all connections are busy"
            ) from error
        try:
            connection = self._kept() or await connect(self._address)
            try:
                yield connection
            finally:
                # What is in the middle of something ends here: the server rolls it back.
                if connection.pgconn.transaction_status == TransactionStatus.IDLE and not self._closed:
                    self._idle.append(connection)
                else:
                    connection.pgconn.finish()
        finally:
            self._free.release()

    def _kept(self) -> Connection | None:
        """Take the connection that was used last; leave out those that the server has closed since."""
        while self._idle:
            connection = self._idle.pop()
            if is_alive(connection):
                return connection
            connection.pgconn.finish()
        return None

    def close(self) -> None:
        """Close what is idle, and what is in use when it comes back. From any thread: nothing is waited for."""
        self._closed = True
        while self._idle:
            self._idle.pop().pgconn.finish()


class Pools:
    """A pool for each event loop that uses the store: a connection cannot leave its loop."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Pool] = WeakKeyDictionary()
        self._closed = False

    def here(self) -> Pool:
        """Give the pool of the running loop.

        Raises:
            Closed: The store was closed.
        """
        if self._closed:
            raise Closed(store="postgresql")
        loop = asyncio.get_running_loop()
        if loop not in self._by_loop:
            self._by_loop[loop] = Pool(self.address)
        return self._by_loop[loop]

    def close(self) -> None:
        """Let go of all connections that are not in use. A second time does nothing."""
        self._closed = True
        for pool in list(self._by_loop.values()):
            pool.close()


def is_alive(connection: Connection) -> bool:
    """Say whether the server has left the connection open: looks whether something has arrived, and sends nothing.

    To a connection from which nothing was asked a server says little but
    farewell; for the rest (a changed setting) a new connection is made, too.
    """
    if connection.pgconn.status != ConnStatus.OK:
        return False
    watch = select.poll()
    watch.register(connection.pgconn.socket, select.POLLIN)
    return not watch.poll(0)
