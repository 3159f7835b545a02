"""What the server needs of whoever runs turns."""

from collections.abc import AsyncGenerator
from typing import Protocol

from wellkept.model.turns import Turn
from wellkept.wire.events import DoneEvent, MemoryChangeEvent, TextEvent, ToolCallEvent, ToolResultEvent
from wellkept.wire.turns import TurnAnswer

Told = TextEvent | ToolCallEvent | ToolResultEvent | MemoryChangeEvent | DoneEvent
"""What a running turn tells. An error is raised, not told."""


class Turns(Protocol):
    """Runs turns, in the turn's session or, without one, keeping nothing of the conversation.

    Cancelling a call ends its turn; what the turn has saved by then stays saved.
    """

    async def run(self, turn: Turn, message: str) -> TurnAnswer:
        """Run a turn.

        Raises:
            WellkeptError: It cannot be run, or its model failed.
        """
        ...

    def stream(self, turn: Turn, message: str) -> AsyncGenerator[Told, None]:
        """Run a turn, and tell of it on the way; `DoneEvent` is the last.

        Raises:
            WellkeptError: As `run`, before the first event or later.
        """
        ...
