"""How an operation gets to the server: in as few messages as can be, each a transaction of its tenant.

A message is a `Query` of the simple protocol, values written into it by the driver, and it may hold several
statements: they are one transaction unless they say otherwise. So what a transaction must know (the tenant, the role,
how long it may take) travels with its first statement, and nothing is left in the session: it may be another one the
next time (PgBouncer in transaction mode).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, TypeVar

import psycopg
from psycopg.rows import TupleRow

from wellkept.model.errors import Refused, StoreUnavailable
from wellkept.model.ids import TenantId
from wellkept.stores.postgresql.address import Address
from wellkept.stores.postgresql.errors import is_an_answer, is_broken, translated
from wellkept.stores.postgresql.pool import Connection, Pools, is_alive

T = TypeVar("T")

Value = str | int | bool | None | Sequence[str | None] | Sequence[int]
Row = TupleRow
"""As the driver gives it; who wrote the statement knows what is in it."""

_SETTLED: Final = (
    "SELECT set_config('role', %(role_)s, true), set_config('wellkept.tenant', %(tenant)s, true), "
    "set_config('statement_timeout', %(timeout_)s, true), "
    "set_config('idle_in_transaction_session_timeout', %(timeout_)s, true)"
)
_WITHOUT_THE_DISK: Final = f"{_SETTLED}, set_config('synchronous_commit', 'off', true)"

_PATIENCE: Final = 3.0
"""Seconds that we wait beyond what the server allows itself, before we take it for gone."""


class Transaction:
    """A transaction under way, in which something is decided between two messages."""

    def __init__(self, connection: Connection, address: Address, tenant: TenantId, begin: str) -> None:
        self._connection = connection
        self._address = address
        self._tenant = tenant
        self._ahead: tuple[str, ...] = (begin, _SETTLED)
        self.ending = False
        """Whether the commit may have reached the server."""

    async def run(self, *statements: str, **values: Value) -> list[Row]:
        """Run statements; give the rows of the last."""
        ahead, self._ahead = self._ahead, ()
        return await _send(self._connection, self._address, self._tenant, (*ahead, *statements), values)

    async def finish(self, *statements: str, **values: Value) -> list[Row]:
        """Run statements and commit; give the rows of the last."""
        if not is_alive(self._connection):
            raise psycopg.OperationalError("the server ended the transaction")  # so it can be done again
        self.ending = True
        return await self.run(*statements, "COMMIT", **values)

    async def leave(self) -> None:
        """Undo what was done."""
        self._ahead = ()
        await self.run("ROLLBACK")


class Hops:
    """What the parts of the store share: the connections, and how they are used."""

    _pools: Pools

    async def _ask(self, tenant: TenantId, *statements: str, **values: Value) -> list[Row]:
        """Read: one message. If the connection breaks, another is asked once more."""
        return await self._attempt(lambda: self._alone(tenant, (_SETTLED, *statements), values), lambda: True)

    async def _tell(self, tenant: TenantId, *statements: str, **values: Value) -> list[Row]:
        """Write: one message, one transaction. It is not repeated: it may have been done, and its answer lost."""
        return await self._attempt(lambda: self._alone(tenant, (_SETTLED, *statements), values), lambda: False)

    async def _mention(self, tenant: TenantId, *statements: str, **values: Value) -> None:
        """Write what may be lost if the server crashes: without waiting for its disk."""
        await self._attempt(lambda: self._alone(tenant, (_WITHOUT_THE_DISK, *statements), values), lambda: True)

    async def _transact(
        self, tenant: TenantId, work: Callable[[Transaction], Awaitable[T]], *, begin: str = "BEGIN"
    ) -> T:
        """Do `work` in a transaction, which it ends. If the connection breaks before that, it is done once more."""
        transaction: Transaction | None = None

        async def whole() -> T:
            nonlocal transaction
            async with self._pools.here().connection() as connection:
                transaction = Transaction(connection, self._pools.address, tenant, begin)
                try:
                    return await work(transaction)
                except Refused:
                    await transaction.leave()  # nothing is wrong with the connection: it is kept
                    raise

        return await self._attempt(whole, lambda: transaction is None or not transaction.ending)

    async def _alone(self, tenant: TenantId, statements: Sequence[str], values: Mapping[str, Value]) -> list[Row]:
        async with self._pools.here().connection() as connection:
            return await _send(connection, self._pools.address, tenant, statements, values)

    async def _attempt(self, work: Callable[[], Awaitable[T]], may_repeat: Callable[[], bool]) -> T:
        try:
            try:
                return await work()
            except psycopg.Error as error:
                if not (is_broken(error) and may_repeat()):
                    raise
            return await work()
        except psycopg.Error as error:
            if is_an_answer(error):
                raise
            raise translated(error, place=self._pools.address.place) from error


async def _send(
    connection: Connection, address: Address, tenant: TenantId, statements: Sequence[str], values: Mapping[str, Value]
) -> list[Row]:
    """Send statements in one message; give the rows of the last that has any."""
    settings = {"tenant": tenant, "role_": address.role, "timeout_": str(address.timeout * 1_000)}
    rows: list[Row] = []
    gone: list[bool] = []

    def hang_up() -> None:
        gone.append(True)
        connection.hang_up()

    # Not `asyncio.timeout`: cancelled, the driver would ask the server to stop, and wait for that, too.
    patience = asyncio.get_running_loop().call_later(address.timeout + _PATIENCE, hang_up)
    try:
        cursor = await connection.execute(";\n".join(statements).encode(), {**values, **settings})
        while True:
            if cursor.description is not None:
                rows = await cursor.fetchall()
            if not cursor.nextset():
                return rows
    except psycopg.OperationalError as error:
        if not gone:
            raise
        raise StoreUnavailable(store="postgresql", server=address.place, reason="no answer in time") from error
    finally:
        patience.cancel()
