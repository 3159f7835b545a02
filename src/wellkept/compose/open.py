"""Your own agent loop: `wellkept.open(url)` gives the memory part of a prompt, and the tools, for one turn.

The same on a local store and on a server.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from wellkept.compose.assemble import Services, assemble
from wellkept.compose.defaults import ASSISTANT_CONFIG
from wellkept.compose.embedder import open_embedder
from wellkept.compose.stores import open_stores
from wellkept.contract.embedder import Embedder
from wellkept.contract.memory_api import MemoryApi
from wellkept.model.agents import AgentConfig
from wellkept.model.errors import Misconfigured
from wellkept.model.ids import DEFAULT_TENANT, AgentId, SessionId, UserId, tenant_id
from wellkept.model.outcomes import Declared
from wellkept.model.receipts import Context
from wellkept.model.turns import Turn
from wellkept.tools.tool import Tool
from wellkept.tools.toolset import toolset


class TurnMemory:
    """The memory of one turn."""

    def __init__(self, memory: MemoryApi, turn: Turn) -> None:
        """Bind `memory` to `turn`; nothing is read yet."""
        self.memory = memory
        self.turn = turn
        self._declared: Declared | None = None

    async def declared(self) -> Declared:
        """Say which blocks and tools the turn has; asked once.

        Raises:
            NotFound: There is no such agent.
            AgentDisabled: It is disabled.
            SessionUserMismatch: The session belongs to another user.
        """
        if self._declared is None:
            self._declared = await self.memory.declared(self.turn)
        return self._declared

    async def context(self, *, query: str | None = None) -> Context:
        """Render the memory part of the prompt; put its `text` after your instructions.

        `query` is the user's latest message. The tools are known from here on.

        Raises:
            WellkeptError: As `declared`.
        """
        await self.declared()
        return await self.memory.context(self.turn, query=query)

    def tools(self) -> Sequence[Tool]:
        """Give the turn's tools: names, JSON schemas, async callables.

        Raises:
            Misconfigured: Neither `context` nor `declared` was awaited yet, so nobody knows what the agent has.
        """
        if self._declared is None:
            raise Misconfigured(what="tools()", do="await context() or declared() first")
        return toolset(self.memory, self.turn, self._declared)


class OpenMemory:
    """An open store, or a server."""

    def __init__(self, memory: MemoryApi, *, tenant: str, services: Services | None = None) -> None:
        """Use `memory`; `services` are those of a local store, for administration."""
        self.memory = memory
        self.services = services
        self._tenant = tenant_id(tenant, param="tenant")

    def turn(
        self, *, agent: str, user_id: str | None = None, session_id: str | None = None, version: int | None = None
    ) -> TurnMemory:
        """Give the memory of one turn.

        Raises:
            InvalidInput: An id is not valid.
        """
        turn = Turn(
            tenant=self._tenant,
            agent=AgentId(agent),
            user=None if user_id is None else UserId(user_id),
            session=None if session_id is None else SessionId(session_id),
            version=version,
        )
        return TurnMemory(self.memory, turn)


@asynccontextmanager
async def open_memory(
    url: str,
    *,
    api_key: str | None = None,
    tenant: str = DEFAULT_TENANT,
    default_agent: AgentConfig | None = None,
    embedder: Embedder | str | None = None,
) -> AsyncGenerator[OpenMemory]:
    """Open a store (`sqlite:///memory.db`, `inproc://`) or a server (`http://127.0.0.1:8787`).

    Agents that a local store does not know are what `default_agent` says;
    None: the blocks USER and MEMORY, the memory tools and rendered memories.
    `embedder` is recall's on a local store: an `Embedder`, or named as `WELLKEPT_EMBEDDER` names it.

    Raises:
        WellkeptError: The store or server cannot be opened.
    """
    if urlsplit(url).scheme in ("http", "https"):
        from wellkept.client.remote_memory import RemoteMemory  # the HTTP client is an extra
        from wellkept.compose.clients import AsyncClient

        async with AsyncClient(api_key=api_key, base_url=url) as client:
            yield OpenMemory(RemoteMemory(client), tenant=tenant)
        return
    opened = open_embedder(embedder)
    services = assemble(await open_stores(url), fallback=default_agent or ASSISTANT_CONFIG, embedder=opened)
    try:
        yield OpenMemory(services.memory, tenant=tenant, services=services)
    finally:
        await services.close()
