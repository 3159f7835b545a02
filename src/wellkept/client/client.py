"""The blocking client."""

import time
from types import TracebackType
from typing import Self

import httpx2

from wellkept.client.connection import Connection, trust
from wellkept.client.resources import (
    Agents,
    Audit,
    Blocks,
    Chat,
    ContextCalls,
    Keys,
    Memories,
    Passages,
    Review,
    System,
    Turns,
)
from wellkept.client.retries import RETRIES, Retries
from wellkept.client.sender import Sender, Sleep

Transport = httpx2.BaseTransport
"""What carries requests instead of a socket: a test's, or one into an application in this process."""


class View:
    """A server as one sees it with a key, for one user or for all."""

    agents: Agents
    memories: Memories
    passages: Passages
    blocks: Blocks
    turns: Turns
    context: ContextCalls
    keys: Keys
    review: Review
    audit: Audit
    chat: Chat
    system: System

    def __init__(self, sender: Sender) -> None:
        """Send through `sender`."""
        self._sender = sender
        self.agents = Agents(sender)
        self.memories = Memories(sender)
        self.passages = Passages(sender)
        self.blocks = Blocks(sender)
        self.turns = Turns(sender)
        self.context = ContextCalls(sender)
        self.keys = Keys(sender)
        self.review = Review(sender)
        self.audit = Audit(sender)
        self.chat = Chat(sender)
        self.system = System(sender)

    def for_user(self, user_id: str) -> "View":
        """Give a view that acts for one user alone, over the same connections; the server enforces it.

        Raises:
            InvalidInput: That is not a user's id.
        """
        return View(self._sender.over(self._sender.connection.for_user(user_id)))

    def with_timeout(self, seconds: float) -> "View":
        """Give a view that lets the server be silent for so long in every call, over the same connections.

        Raises:
            InvalidInput: That is not a positive number.
        """
        return View(self._sender.over(self._sender.connection.with_timeout(seconds)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sender.connection!r})"


class Client(View):
    """Talks to a server, blocking: `client.memories.list(agent_id, user_id="user-42")`.

    Errors are those of the library, with `status` and `request_id`;
    `ServerUnreachable` when there was no answer. `timeout` is in seconds of
    the server's silence (None: 30, and 600 for turns). What is safe to send
    again is, as `retries` says; a turn never is. Use it as a context manager,
    or `close` it.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        timeout: float | None = None,
        retries: Retries = RETRIES,
        transport: Transport | None = None,
        sleep: Sleep | None = None,
    ) -> None:
        """Talk to the server at `base_url`; nothing is sent yet.

        Raises:
            InvalidInput: The address, the key or the timeout cannot be one.
        """
        connection = Connection(base_url=base_url, api_key=api_key, timeout=timeout, retries=retries)
        self._http = httpx2.Client(transport=transport, verify=trust(base_url))
        super().__init__(Sender(self._http, connection, sleep or time.sleep))

    def close(self) -> None:
        """Close the connections. A second time does nothing."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
