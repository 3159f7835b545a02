"""The scripted model as pydantic-ai takes one."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from typing import Final

import msgspec
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from wellkept.runtime.offline.notes import notes
from wellkept.runtime.offline.script import Answer, Answered, Call, Scene, Trouble, step
from wellkept.tools import memory_block

OFFLINE: Final = "offline"
"""The model's name."""

_DECLARED: Final = re.compile(r"^- (\S+) \((user|agent|shared),", re.MULTILINE)
_PIECES: Final = re.compile(r"\S+\s*|\s+")


def offline_model() -> FunctionModel:
    """Make the model. It answers whole and streamed alike."""
    return FunctionModel(_answer, stream_function=_stream, model_name=OFFLINE)


async def _answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    said = step(_scene(messages, info))
    if isinstance(said, str):
        return ModelResponse(parts=[TextPart(said)])
    return ModelResponse(
        parts=[
            ToolCallPart(call.tool, call.arguments, tool_call_id=_call_id(messages, place))
            for place, call in enumerate(said)
        ]
    )


async def _stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    """Speak word by word, as a provider's stream would."""
    said = step(_scene(messages, info))
    if isinstance(said, str):
        for piece in _PIECES.findall(said):
            yield piece
    else:
        yield _deltas(said, messages)


def _deltas(calls: Sequence[Call], messages: Sequence[ModelMessage]) -> DeltaToolCalls:
    return {
        place: DeltaToolCall(call.tool, json.dumps(call.arguments), tool_call_id=_call_id(messages, place))
        for place, call in enumerate(calls)
    }


def _call_id(messages: Sequence[ModelMessage], place: int) -> str:
    """Name a call by where it stands in the conversation: no two alike, and the same every time."""
    return f"call_{len(messages)}_{place}"


def _scene(messages: Sequence[ModelMessage], info: AgentInfo) -> Scene:
    said, answered = "", list[Answered]()
    for message in messages:
        for part in message.parts if isinstance(message, ModelRequest) else ():
            match part:
                case UserPromptPart(content=content):
                    said = content if isinstance(content, str) else "\n".join(c for c in content if isinstance(c, str))
                    answered = []
                case ToolReturnPart(tool_name=name):
                    answered.append(Answered(name, _read(part)))
                case _:
                    pass
    blocks = _blocks(info)
    return Scene(
        said=said,
        notes=notes(info.instructions or ""),
        blocks=list(blocks),
        own_blocks=[key for key, of_user in blocks.items() if of_user],
        tools=frozenset(tool.name for tool in info.function_tools),
        answered=answered,
    )


def _read(part: ToolReturnPart) -> Answer:
    try:
        return msgspec.convert(part.model_response_object(), Answer)
    except msgspec.ValidationError:
        # Not one of our tools' answers: the agent loop itself says that the call failed.
        return Answer(error=Trouble())


def _blocks(info: AgentInfo) -> dict[str, bool]:
    """Give the keys that `memory_block` takes, and whether each block is the user's, as the tool tells any model."""
    for tool in info.function_tools:
        if tool.name == memory_block.NAME:
            return {key: scope != "agent" for key, scope in _DECLARED.findall(tool.description or "")}
    return {}
