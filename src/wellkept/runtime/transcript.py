"""A session's transcript: between what the agent loop speaks and what a store keeps.

One stored row is one message of the loop. What the prompt said of memory is
live state and never a part of it: the instructions are left out of what is
kept, so that an old memory section cannot come back as if it were said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from pydantic_ai.messages import (
    InstructionBaselinePart,
    InstructionDeltaPart,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
)

from wellkept.model.sessions import Role, SessionMessage

_OF_THE_PROMPT = (SystemPromptPart, InstructionBaselinePart, InstructionDeltaPart)


def to_keep(messages: Iterable[ModelMessage], *, first: int, at: datetime) -> list[SessionMessage]:
    """Write the messages of a turn as rows, numbered from `first`."""
    return [
        SessionMessage(number=number, role=_role(message), text=_text(message), at=at, payload=_payload(message))
        for number, message in enumerate(map(_without_prompt, messages), start=first)
    ]


def to_say_again(rows: Sequence[SessionMessage]) -> list[ModelMessage]:
    """Read rows back as history, from the first that a user said on: the loop must not begin in mid-turn."""
    start = next((index for index, row in enumerate(rows) if row.role == "user"), len(rows))
    return [message for row in rows[start:] for message in _messages(row)]


PARAGRAPH: Final = "\n\n"
"""Stands between what an agent says before and after it called a tool."""


def said(messages: Iterable[ModelMessage]) -> str:
    """Give what the agent said in these messages: the texts of its answers, with a blank line between two."""
    answers = (_answer(message) for message in messages if isinstance(message, ModelResponse))
    return PARAGRAPH.join(answer for answer in answers if answer)


def _without_prompt(message: ModelMessage) -> ModelMessage:
    if isinstance(message, ModelResponse):
        return message
    parts = [part for part in message.parts if not isinstance(part, _OF_THE_PROMPT)]
    return replace(message, parts=parts, instructions=None)


def _messages(row: SessionMessage) -> list[ModelMessage]:
    if row.payload:
        return ModelMessagesTypeAdapter.validate_json(row.payload)
    # A row that did not come from a turn of ours, from an import say, has only its text.
    if row.role == "user":
        return [ModelRequest(parts=[UserPromptPart(content=row.text)])]
    return [ModelResponse(parts=[TextPart(content=row.text)])] if row.role == "assistant" else []


def _payload(message: ModelMessage) -> str:
    return ModelMessagesTypeAdapter.dump_json([message]).decode()


def _role(message: ModelMessage) -> Role:
    if isinstance(message, ModelResponse):
        return "assistant"
    return "user" if any(isinstance(part, UserPromptPart) for part in message.parts) else "tool"


def _answer(response: ModelResponse) -> str:
    return "".join(part.content for part in response.parts if isinstance(part, TextPart))


def _text(message: ModelMessage) -> str:
    if isinstance(message, ModelResponse):
        return _answer(message)
    texts: list[str] = []
    for part in message.parts:
        match part:
            case UserPromptPart(content=str() as text):
                texts.append(text)
            case ToolReturnPart() as returned:
                texts.append(f"{returned.tool_name}: {returned.model_response_str()}")
            case _:
                pass
    return "\n".join(texts)
