"""The three ways to one service's memory: in process, and the SDK over ASGI and over a socket."""

import io
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

import httpx2
import uvicorn
from starlette.applications import Starlette

from house import ActedTurns
from wellkept.client.async_client import AsyncClient
from wellkept.client.remote_memory import RemoteMemory
from wellkept.compose.assemble import Services, assemble
from wellkept.compose.stores import open_stores
from wellkept.contract.memory_api import MemoryApi
from wellkept.model.agents import AgentConfig
from wellkept.model.directory import Tenant
from wellkept.model.ids import AgentId, MemoryId, SessionId, TenantId
from wellkept.model.passages import PassageOwner, Said, Selection
from wellkept.model.turns import Turn
from wellkept.server import create_app
from wellkept.server.logs import make_logger
from wellkept.testing.backstage import Backstage, WordScreen
from wellkept.testing.clock import FakeClock

TENANT = TenantId("ten_0000000000000000")


class ServiceBackstage(Backstage):
    tenant = TENANT

    def __init__(self, services: Services, clock: FakeClock) -> None:
        self.services = services
        self._clock = clock

    async def agent(self, config: AgentConfig) -> AgentId:
        return (await self.services.agents.create(TENANT, config)).id

    async def disable(self, agent: AgentId) -> None:
        await self.services.agents.disable(TENANT, agent)

    async def open_session(self, turn: Turn) -> None:
        await self.services.sessions.open(turn)

    async def said(self, turn: Turn, session: str, *messages: Said) -> None:
        assert turn.user is not None
        owner = PassageOwner(turn.tenant, turn.agent, turn.user)
        await self.services.recall.ingest(owner, SessionId(session), messages)

    async def forget(self, turn: Turn, session: str) -> None:
        chosen = Selection(tenant=turn.tenant, agent=turn.agent, user=turn.user, session=SessionId(session))
        await self.services.recall.delete(chosen)

    async def approve(self, held: str) -> None:
        await self.services.review.approve(TENANT, held)

    async def last_accessed_at(self, turn: Turn, memory: MemoryId) -> datetime:
        await self.services.memories.flush()
        return (await self.services.memories.get(turn.pool, memory)).last_accessed_at

    def advance(self, seconds: float) -> datetime:
        return self._clock.advance(seconds)


@asynccontextmanager
async def open_backstage(url: str = "inproc://", blocks_url: str | None = None) -> AsyncIterator[ServiceBackstage]:
    clock = FakeClock()
    services = assemble(await open_stores(url, blocks_url=blocks_url), clock=clock, screen=WordScreen())
    try:
        await services.stores.directory.put_tenant(Tenant(id=TENANT, name="t", created_at=clock.now()))
        yield ServiceBackstage(services, clock)
    finally:
        await services.close()


def app_of(services: Services) -> Starlette:
    return create_app(services, ActedTurns(), logger=make_logger(io.StringIO(), format="json"))


@asynccontextmanager
async def in_process(services: Services) -> AsyncIterator[MemoryApi]:
    yield services.memory


@asynccontextmanager
async def over_asgi(services: Services) -> AsyncIterator[MemoryApi]:
    _, key = await services.keys.create(TENANT, "asgi")
    transport = httpx2.ASGITransport(app_of(services))
    async with AsyncClient(api_key=key, base_url="http://wellkept.test", transport=transport) as client:
        yield RemoteMemory(client)


@asynccontextmanager
async def over_a_socket(services: Services) -> AsyncIterator[MemoryApi]:
    _, key = await services.keys.create(TENANT, "socket")
    async with serving(app_of(services)) as address, AsyncClient(api_key=key, base_url=address) as client:
        yield RemoteMemory(client)


@asynccontextmanager
async def serving(app: Starlette) -> AsyncIterator[str]:
    """Serve on a free port of this machine; give the address."""
    config = uvicorn.Config(app, lifespan="off", log_config=None)
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        # Without its main loop, whose ticks are of a tenth of a second: too long for hundreds of tests.
        await server.startup(sockets=[listening])
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            await server.shutdown(sockets=[listening])


CALLERS = {"in process": in_process, "over ASGI": over_asgi, "over a socket": over_a_socket}
