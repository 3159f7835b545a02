"""What a streamed turn sends, as server-sent events.

Each event's name is its tag, and its data is the value as JSON: `event: text`, `data: {"type": "text", "text": "…"}`.
The last one is `done` or `error`.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from wellkept.wire.problems import Problem
from wellkept.wire.turns import ChatAnswer, MemoryChange, TurnAnswer


class TextEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="text", rename="camel"):
    """The next piece of the reply."""

    text: str


class ToolCallEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="tool_call", rename="camel"):
    """The model calls a tool. Internal: sent only to who asks for it."""

    id: str
    name: str
    arguments: Mapping[str, object]


class ToolResultEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="tool_result", rename="camel"):
    """What a tool answered. Internal: sent only to who asks for it."""

    id: str
    name: str
    result: object


class MemoryChangeEvent(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="memory_change", rename="camel"
):
    """The turn changed a block or a memory, or asked for a change that waits for approval."""

    change: MemoryChange


class DoneEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="done", rename="camel"):
    """What the turn came to. The last event."""

    answer: TurnAnswer


class ChatDoneEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="done", rename="camel"):
    """What a turn of the chat router came to. The last event."""

    answer: ChatAnswer


class ErrorEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="error", rename="camel"):
    """Why the turn ended early. The last event."""

    error: Problem


TurnEvent = TextEvent | ToolCallEvent | ToolResultEvent | MemoryChangeEvent | DoneEvent | ErrorEvent
"""What a turn of an agent sends."""

ChatEvent = TextEvent | ToolCallEvent | ToolResultEvent | MemoryChangeEvent | ChatDoneEvent | ErrorEvent
"""What a turn of the chat router sends."""

INTERNAL: Final = (ToolCallEvent, ToolResultEvent)
"""The events that only who asks for them is sent."""
