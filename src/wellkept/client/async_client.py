"""The asynchronous client."""

import asyncio
from types import TracebackType
from typing import Self

import httpx2

from wellkept.client.async_resources import (
    AsyncAgents,
    AsyncAudit,
    AsyncBlocks,
    AsyncChat,
    AsyncContextCalls,
    AsyncKeys,
    AsyncMemories,
    AsyncPassages,
    AsyncReview,
    AsyncSystem,
    AsyncTurns,
)
from wellkept.client.async_sender import AsyncSender, AsyncSleep
from wellkept.client.connection import Connection, trust
from wellkept.client.retries import RETRIES, Retries

AsyncTransport = httpx2.AsyncBaseTransport
"""What carries requests instead of a socket: a test's, or one into an application in this process."""


class AsyncView:
    """A server as one sees it with a key, for one user or for all."""

    agents: AsyncAgents
    memories: AsyncMemories
    passages: AsyncPassages
    blocks: AsyncBlocks
    turns: AsyncTurns
    context: AsyncContextCalls
    keys: AsyncKeys
    review: AsyncReview
    audit: AsyncAudit
    chat: AsyncChat
    system: AsyncSystem

    def __init__(self, sender: AsyncSender) -> None:
        """Send through `sender`."""
        self._sender = sender
        self.agents = AsyncAgents(sender)
        self.memories = AsyncMemories(sender)
        self.passages = AsyncPassages(sender)
        self.blocks = AsyncBlocks(sender)
        self.turns = AsyncTurns(sender)
        self.context = AsyncContextCalls(sender)
        self.keys = AsyncKeys(sender)
        self.review = AsyncReview(sender)
        self.audit = AsyncAudit(sender)
        self.chat = AsyncChat(sender)
        self.system = AsyncSystem(sender)

    def for_user(self, user_id: str) -> "AsyncView":
        """Give a view that acts for one user alone, over the same connections; the server enforces it.

        Raises:
            InvalidInput: That is not a user's id.
        """
        return AsyncView(self._sender.over(self._sender.connection.for_user(user_id)))

    def with_timeout(self, seconds: float) -> "AsyncView":
        """Give a view that lets the server be silent for so long in every call, over the same connections.

        Raises:
            InvalidInput: That is not a positive number.
        """
        return AsyncView(self._sender.over(self._sender.connection.with_timeout(seconds)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sender.connection!r})"


class AsyncClient(AsyncView):
    """Talks to a server: `await client.memories.list(agent_id, user_id="user-42")`.

    Errors are those of the library, with `status` and `request_id`;
    `ServerUnreachable` when there was no answer. `timeout` is in seconds of
    the server's silence (None: 30, and 600 for turns). What is safe to send
    again is, as `retries` says; a turn never is. Use it as an asynchronous context manager,
    or `close` it.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        timeout: float | None = None,
        retries: Retries = RETRIES,
        transport: AsyncTransport | None = None,
        sleep: AsyncSleep | None = None,
    ) -> None:
        """Talk to the server at `base_url`; nothing is sent yet.

        Raises:
            InvalidInput: The address, the key or the timeout cannot be one.
        """
        connection = Connection(base_url=base_url, api_key=api_key, timeout=timeout, retries=retries)
        self._http = httpx2.AsyncClient(transport=transport, verify=trust(base_url))
        super().__init__(AsyncSender(self._http, connection, sleep or asyncio.sleep))

    async def close(self) -> None:
        """Close the connections. A second time does nothing."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
