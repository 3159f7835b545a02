"""The PostgreSQL store: everything in one database, for any number of servers."""

from collections.abc import Mapping
from typing import ClassVar, Self

from wellkept.contract.capability import Capability
from wellkept.model.errors import StoreFailed
from wellkept.stores.postgresql import health
from wellkept.stores.postgresql.address import Address
from wellkept.stores.postgresql.audit import PostgresAudit
from wellkept.stores.postgresql.blocks import PostgresBlocks
from wellkept.stores.postgresql.directory import ACROSS, PostgresDirectory
from wellkept.stores.postgresql.hops import Transaction
from wellkept.stores.postgresql.memories import PostgresMemories
from wellkept.stores.postgresql.opening import prepare
from wellkept.stores.postgresql.passages import PostgresPassages
from wellkept.stores.postgresql.pool import Pools
from wellkept.stores.postgresql.review import PostgresReview
from wellkept.stores.postgresql.sessions import PostgresSessions


class PostgresStore(
    PostgresBlocks,
    PostgresMemories,
    PostgresDirectory,
    PostgresSessions,
    PostgresReview,
    PostgresPassages,
    PostgresAudit,
):
    """Keeps everything in one PostgreSQL database, which any number of processes and machines may use.

    An operation is one message to the server, or two where something is
    decided between reading and writing. Every transaction names its tenant,
    and the database shows it no other's rows. Connections are made when they
    are needed and kept; nothing is kept in their sessions.
    """

    capabilities: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.HISTORY, Capability.DURABLE, Capability.SHARED}
    )

    def __init__(self, address: Address) -> None:
        """Use a database that is ready. `open_at` makes it so."""
        self._pools = Pools(address)

    @classmethod
    async def open_at(cls, address: Address) -> Self:
        """Look at the database, and bring its schema up to date where needed.

        Raises:
            Misconfigured: The server is not one that we can use, or does not let us do what is needed.
            StoreFailed: The database cannot be used now; the class says why.
        """
        await prepare(address)
        return cls(address)

    async def ready(self) -> None:
        async def work(transaction: Transaction) -> None:
            await transaction.run(health.LOOK)
            await transaction.leave()

        await self._transact(ACROSS, work)

    async def check(self) -> list[str]:
        """Say what is wrong with the data, one line each: a slow look at every pool."""
        problems: list[str] = []
        try:
            ((miscounted,),) = await self._ask(ACROSS, health.MISCOUNTED_POOLS)
            if miscounted:
                problems.append(f"damaged: {miscounted} pools have not as many memories as they count")
            problems += [
                f"table {table} has lost its row-level security"
                for (table,) in await self._ask(ACROSS, health.OPEN_TABLES)
            ]
            await self.ready()
        except StoreFailed as error:
            problems.append(error.message)
        return problems

    async def facts(self) -> Mapping[str, str]:
        ((server, schema, partitions, fsync),) = await self._ask(ACROSS, health.FACTS)
        return {
            "server": f"PostgreSQL {server} at {self._pools.address.place}",
            "schema": f"{schema}, in {partitions} partitions" if partitions else str(schema),
            "durability": "full" if fsync == "on" else "fsync is off: a power cut may take what was acknowledged",
        }

    async def close(self) -> None:
        """Let go of the connections; those in use end with their calls. A second time does nothing."""
        self._pools.close()
