"""A filled store with the services and a server over it: what the cases are measured on."""

import io
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NoReturn

import httpx2

from bench.data import TENANT, fill, id_of
from wellkept.compose.assemble import Services, assemble
from wellkept.compose.clients import AsyncClient
from wellkept.compose.stores import Stores, open_stores
from wellkept.model.errors import NotSupported
from wellkept.model.ids import MemoryId
from wellkept.model.memories import PoolRules
from wellkept.model.turns import Turn
from wellkept.server import Turns, create_app
from wellkept.server.logs import make_logger
from wellkept.server.turns import Told
from wellkept.wire.turns import TurnAnswer


@dataclass(frozen=True, slots=True)
class World:
    """The three levels: the stores, the services over them, and a client of a server over those, without a socket."""

    services: Services
    client: AsyncClient
    rows: int

    @property
    def stores(self) -> Stores:
        """The keepers, which may be one."""
        return self.services.stores

    @property
    def rules(self) -> PoolRules:
        """Those of the agents that `fill` makes."""
        return PoolRules(cap=self.rows)

    def some_id(self, number: int) -> MemoryId:
        """Name a memory of the agent that is read: the next one at each number."""
        return id_of(number % self.rows)

    async def settle(self) -> None:
        """Write the uses of memories that are noted: a second's worth is one write, which is nobody's in particular."""
        await self.services.memories.flush()


class _NoTurns(Turns):
    """Nothing here asks a model."""

    async def run(self, turn: Turn, message: str) -> TurnAnswer:
        self._refuse()

    def stream(self, turn: Turn, message: str) -> AsyncGenerator[Told, None]:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NotSupported(what="turns")


class _Nowhere(io.StringIO):
    """Where a server's log goes: its lines are made, as they always are, and dropped."""

    def write(self, text: str, /) -> int:
        return len(text)


@asynccontextmanager
async def filled(url: str, rows: int) -> AsyncIterator[World]:
    """Open the stores that `url` names, and fill them; pools hold `rows` memories, and no more."""
    services = assemble(await open_stores(url))
    app = create_app(services, _NoTurns(), logger=make_logger(_Nowhere(), format="json"))
    try:
        await fill(services, rows)
        _, secret = await services.keys.create(TENANT, "bench")
        transport = httpx2.ASGITransport(app)
        async with AsyncClient(api_key=secret, base_url="http://bench.test", transport=transport) as client:
            yield World(services, client, rows)
    finally:
        await services.close()
