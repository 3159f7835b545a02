"""From the agent loop's events to ours."""

from collections.abc import Iterator

from pydantic_ai.messages import (
    AgentStreamEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)

from wellkept.runtime.events import MemoryChanged, TextDelta, ToolCall, ToolResult, TurnEvent
from wellkept.runtime.memory_toolset import MemoryToolset
from wellkept.runtime.transcript import PARAGRAPH


class Narration:
    """Tells one turn. A memory change is told before the result of the tool that made it."""

    def __init__(self, tools: MemoryToolset) -> None:
        """Tell the changes that `tools` make, too."""
        self._tools = tools
        self._changes_told = 0
        self._has_spoken = False
        self._new_answer = False

    def tell(self, event: AgentStreamEvent) -> Iterator[TurnEvent]:
        """Give what an event of the agent loop means to us; most mean nothing."""
        match event:
            case PartStartEvent(index=index, part=part):
                self._new_answer = self._new_answer or index == 0
                if isinstance(part, TextPart):
                    yield from self._text(part.content)
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                yield from self._text(text)
            case FunctionToolCallEvent(part=call):
                yield ToolCall(id=call.tool_call_id, name=call.tool_name, arguments=call.args_as_dict())
            case FunctionToolResultEvent(part=part):
                yield from self.changes()
                yield ToolResult(id=part.tool_call_id, name=part.tool_name, result=part.model_response_object())
            case _:
                pass

    def changes(self) -> Iterator[MemoryChanged]:
        """Give the changes that were not told yet."""
        while self._changes_told < len(self._tools.changes):
            yield MemoryChanged(change=self._tools.changes[self._changes_told])
            self._changes_told += 1

    def _text(self, text: str) -> Iterator[TextDelta]:
        """Give a piece of text; the first of a later answer begins a paragraph, as in the turn's whole text."""
        if not text:
            return
        if self._new_answer and self._has_spoken:
            yield TextDelta(text=PARAGRAPH)
        self._new_answer, self._has_spoken = False, True
        yield TextDelta(text=text)
