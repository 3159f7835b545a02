"""The runtime, as the server runs turns with it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from wellkept.model.turns import Turn
from wellkept.runtime.events import Done, MemoryChanged, TextDelta, ToolCall, ToolResult, TurnEvent
from wellkept.runtime.runtime import Runtime
from wellkept.server.turns import Told, Turns
from wellkept.wire.events import DoneEvent, MemoryChangeEvent, TextEvent, ToolCallEvent, ToolResultEvent
from wellkept.wire.turns import TurnAnswer


class RuntimeTurns(Turns):
    """Runs each turn with a runtime, which must be made of the server's own services."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def run(self, turn: Turn, message: str) -> TurnAnswer:
        """Run a turn."""
        return await self._runtime.run(
            message,
            session_id=turn.session,
            user_id=turn.user,
            agent_id=turn.agent,
            version=turn.version,
            tenant=turn.tenant,
            keep=turn.session is not None,
        )

    async def stream(self, turn: Turn, message: str) -> AsyncGenerator[Told, None]:
        """Run a turn, and tell of it on the way."""
        events = self._runtime.stream(
            message,
            session_id=turn.session,
            user_id=turn.user,
            agent_id=turn.agent,
            version=turn.version,
            tenant=turn.tenant,
            keep=turn.session is not None,
        )
        async with aclosing(events):
            async for event in events:
                yield _told(event)


def _told(event: TurnEvent) -> Told:
    match event:
        case TextDelta():
            return TextEvent(text=event.text)
        case ToolCall():
            return ToolCallEvent(id=event.id, name=event.name, arguments=event.arguments)
        case ToolResult():
            return ToolResultEvent(id=event.id, name=event.name, result=event.result)
        case MemoryChanged():
            return MemoryChangeEvent(change=event.change)
        case Done():
            return DoneEvent(answer=event.result)
