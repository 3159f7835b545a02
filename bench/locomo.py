"""Conversations in LoCoMo's format (github.com/snap-research/locomo): sessions of messages, and questions about them.

A date is spelt `1:56 pm on 8 May, 2023`; evidence is spelt `D1:3`, now and then
with several in one, or with a slip of the pen.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from wellkept.model.passages import Said

CATEGORIES: Final = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop"}
"""Questions of other categories have no answer in the conversation, and are left out."""

_EVIDENCE: Final = re.compile(r"D:?(\d+):(\d+)")
_SESSION: Final = re.compile(r"session_(\d+)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the messages that answer it."""

    text: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of each session, in order; and what is asked about them."""

    sessions: Mapping[str, Sequence[Said]]
    questions: Sequence[Question]


def conversations(path: Path) -> list[Conversation]:
    """Read a file."""
    return [_conversation(each) for each in json.loads(path.read_text("utf-8"))]


def _conversation(told: dict[str, Any]) -> Conversation:
    talk = told["conversation"]
    order = sorted((int(match[1]), key) for key in talk if (match := _SESSION.fullmatch(key)))
    sessions = {
        key: [_said(turn, at, talk[f"{key}_date_time"]) for at, turn in enumerate(talk[key])] for _, key in order
    }
    known = {said.id for messages in sessions.values() for said in messages}
    return Conversation(sessions, [question for each in told["qa"] if (question := _question(each, known))])


def _said(turn: dict[str, Any], number: int, date: str) -> Said:
    at = datetime.strptime(date.upper(), "%I:%M %p ON %d %B, %Y").replace(tzinfo=UTC)
    return Said(id=turn["dia_id"], text=turn["text"], speaker=turn["speaker"], at=at, number=number)


def _question(told: dict[str, Any], known: set[str]) -> Question | None:
    spelt = " ".join(told.get("evidence", []))
    evidence = frozenset(f"D{int(session)}:{int(turn)}" for session, turn in _EVIDENCE.findall(spelt)) & known
    category = CATEGORIES.get(told["category"])
    return Question(told["question"], category, evidence) if category and evidence else None
