"""How commands reach a server: what the drivers and the REST client have in common."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import msgspec

Word = str | int | bytes

Command = tuple[Word, ...]
"""The name of a command and its arguments. Text goes as UTF-8; bytes go through drivers only."""


class Refusal(msgspec.Struct, frozen=True):
    """The server's answer to a command that it did not carry out. `code`: the first word of its message."""

    code: str
    cause: Exception | None = None


Reply = bytes | int | None | list["Reply"] | Refusal
"""What a server answers, as it came."""


class Link(ABC):
    """A way to a server, or to a cluster of them, for calls from any event loop.

    `name`: of the store, in errors. `apart`: a block and its owner's index may lie on servers that fail by themselves.
    """

    name: str
    apart: bool = False

    @abstractmethod
    async def send(self, commands: Sequence[Command], *, shard: str | None = None, again: bool = False) -> list[Reply]:
        """Send commands; give their answers in order.

        Each goes to the shard that keeps its key, or all to `shard`. `again`:
        they change nothing, so they may be sent once more when the connection breaks.
        A command that changes something is never sent twice.

        Raises:
            StoreUnavailable: The answers did not come. What was sent may have been carried out.
            Misconfigured: The server does not let us in.
            Closed: The link was closed.
        """

    async def shards(self) -> Sequence[str]:
        """Name the servers that keep different parts of the data."""
        return ("",)

    @abstractmethod
    async def close(self) -> None:
        """Let go of all connections. A second time does nothing."""
