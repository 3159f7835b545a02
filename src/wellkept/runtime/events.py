"""What a turn comes to, and what a stream tells of it on the way.

The events are those of the wire, told apart by whom they are for; so a server sends them as they are.
"""

from typing import ClassVar, Literal

import msgspec

from wellkept.wire import events
from wellkept.wire.turns import TurnAnswer

Channel = Literal["client", "internal"]
"""Whether an event is for the user's eyes or for the program's: tool calls and results may hold anything."""


class TurnResult(TurnAnswer, frozen=True, kw_only=True, rename="camel"):
    """What a turn came to.

    `text` is what the agent said. `session_id` continues the conversation;
    None: nothing of it was kept. `memory_changes` are in the order in which
    they were made. `receipt` says what stood in the prompt. `degraded` names
    what the turn had to do without.
    """


class TextDelta(events.TextEvent, frozen=True, kw_only=True, tag_field="type", tag="text", rename="camel"):
    """A piece of what the agent says; all pieces together are the result's `text`."""

    channel: ClassVar[Channel] = "client"


class ToolCall(events.ToolCallEvent, frozen=True, kw_only=True, tag_field="type", tag="tool_call", rename="camel"):
    """The model calls a tool."""

    channel: ClassVar[Channel] = "internal"


class ToolResult(
    events.ToolResultEvent, frozen=True, kw_only=True, tag_field="type", tag="tool_result", rename="camel"
):
    """What a tool answered; `id` is the call's."""

    channel: ClassVar[Channel] = "internal"


class MemoryChanged(
    events.MemoryChangeEvent, frozen=True, kw_only=True, tag_field="type", tag="memory_change", rename="camel"
):
    """Memory is different now, or a change waits for approval. Names things; holds no text."""

    channel: ClassVar[Channel] = "client"


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """The turn is over and kept: the last event. The session is free for its next turn."""

    channel: ClassVar[Channel] = "client"
    result: TurnResult


TurnEvent = TextDelta | ToolCall | ToolResult | MemoryChanged | Done
