"""A server in this process, with two tenants, and turns that are acted."""

import asyncio
import io
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from starlette.applications import Starlette

from wellkept.compose.assemble import Services, assemble
from wellkept.compose.stores import open_stores
from wellkept.contract.clock import SystemClock
from wellkept.contract.embedder import Embedder
from wellkept.model.agents import AgentConfig
from wellkept.model.directory import Tenant
from wellkept.model.ids import TenantId
from wellkept.model.memories import MemorySettings
from wellkept.model.receipts import Receipt
from wellkept.model.sessions import SessionMessage
from wellkept.model.turns import Turn
from wellkept.server import Metrics, Options, Turns, create_app
from wellkept.server.logs import make_logger
from wellkept.server.turns import Told
from wellkept.wire.events import DoneEvent, MemoryChangeEvent, TextEvent, ToolCallEvent, ToolResultEvent
from wellkept.wire.turns import MemoryChange, TurnAnswer, Usage

OURS = TenantId("ten_" + "0" * 16)
THEIRS = TenantId("ten_" + "1" * 16)
CONFIG = AgentConfig(name="Support", tools=("memory",), memories=MemorySettings())


class ActedTurns(Turns):
    """Answers with what it was told. `raises`: instead; `seconds`, `waits`: after these; `after`: after text."""

    def __init__(self) -> None:
        self.services: Services | None = None
        self.turns: list[tuple[Turn, str]] = []
        self.raises: Exception | None = None
        self.after: Exception | None = None
        self.waits: asyncio.Event | None = None
        self.seconds = 0.0
        self.cancelled = 0
        self.begun = asyncio.Event()

    async def run(self, turn: Turn, message: str) -> TurnAnswer:
        self.turns.append((turn, message))
        self.begun.set()
        if self.raises is not None:
            raise self.raises
        await self._wait()
        return await self._answer(turn, message)

    async def stream(self, turn: Turn, message: str) -> AsyncGenerator[Told, None]:
        self.turns.append((turn, message))
        self.begun.set()
        if self.raises is not None:
            raise self.raises
        yield TextEvent(text="you said ")
        await self._wait()
        if self.after is not None:
            raise self.after
        yield ToolCallEvent(id="c1", name="save_memory", arguments={"text": message})
        yield ToolResultEvent(id="c1", name="save_memory", result={"changed": True})
        yield MemoryChangeEvent(change=MemoryChange(kind="memory", action="save", id="mem_1", state="done"))
        yield TextEvent(text=message)
        yield DoneEvent(answer=await self._answer(turn, message))

    async def _wait(self) -> None:
        try:
            await asyncio.sleep(self.seconds)
            if self.waits is not None:
                await self.waits.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    async def _answer(self, turn: Turn, message: str) -> TurnAnswer:
        if turn.session is not None and self.services is not None:
            session = await self.services.sessions.open(turn)
            at = self.services.clock.now()
            said = [
                SessionMessage(number=session.length + 1, role="user", text=message, at=at),
                SessionMessage(number=session.length + 2, role="assistant", text=f"you said {message}", at=at),
            ]
            await self.services.sessions.append(session.key, said)
        return TurnAnswer(
            text=f"you said {message}",
            session_id=turn.session,
            agent_id=turn.agent,
            version=turn.version or 1,
            memory_changes=(),
            receipt=Receipt(),
            usage=Usage(),
        )


class House:
    """A server and what one needs to try it."""

    def __init__(
        self, app: Starlette, services: Services, turns: ActedTurns, log: io.StringIO, metrics: Metrics
    ) -> None:
        self.app, self.services, self.turns, self.log, self.metrics = app, services, turns, log, metrics
        self.key = self.their_key = ""

    def client(self, key: str | None = None, **headers: str) -> httpx2.AsyncClient:
        """A client with a key ("": without)."""
        key = self.key if key is None else key
        auth = {"Authorization": f"Bearer {key}"} if key else {}
        transport = httpx2.ASGITransport(self.app, raise_app_exceptions=True)
        return httpx2.AsyncClient(transport=transport, base_url="http://wellkept.test", headers=auth | headers)

    def user(self, user: str) -> httpx2.AsyncClient:
        """A client that is limited to a user by the header."""
        return self.client(**{"X-Wellkept-User-Id": user})

    def logged(self) -> list[dict[str, Any]]:
        """The log's lines."""
        return [json.loads(line) for line in self.log.getvalue().splitlines()]

    async def agent(self, *, tenant: TenantId = OURS, user_id: str = "", config: AgentConfig = CONFIG) -> str:
        """A new agent's id."""
        return (await self.services.agents.create(tenant, config, user_id=user_id)).id


@asynccontextmanager
async def open_house(
    url: str = "inproc://",
    *,
    blocks_url: str | None = None,
    options: Options | None = None,
    embedder: Embedder | None = None,
) -> AsyncIterator[House]:
    """A server over a fresh store, with a tenant of ours and one of theirs."""
    metrics, log, turns = Metrics(), io.StringIO(), ActedTurns()
    stores = await open_stores(url, blocks_url=blocks_url)
    services = assemble(stores, listener=metrics.heard, clock=SystemClock(), embedder=embedder)
    turns.services = services
    app = create_app(
        services, turns, options=options or Options(), metrics=metrics, logger=make_logger(log, format="json")
    )
    house = House(app, services, turns, log, metrics)
    for tenant in (OURS, THEIRS):
        made = Tenant(id=tenant, name=tenant, created_at=services.clock.now())
        await services.stores.directory.put_tenant(made)
    house.key = (await services.keys.create(OURS, "test"))[1]
    house.their_key = (await services.keys.create(THEIRS, "test"))[1]
    try:
        yield house
    finally:
        await services.close()
