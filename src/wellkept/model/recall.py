"""Recall: what is looked for in past conversations, and what is found."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import SessionId, session_id
from wellkept.model.passages import MetaValue, Passage, checked_metadata
from wellkept.model.text import checked_text, has_visible

MAX_FOUND: Final = 100
"""Passages that one search may ask for."""

Compared = MetaValue | Mapping[Literal["eq", "ne", "gt", "gte", "lt", "lte", "in"], MetaValue | tuple[MetaValue, ...]]
"""What a metadata filter asks of one name: a value, or comparisons that must all hold."""


class RecallFilter(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which passages a search looks at, before it ranks any. All conditions hold together.

    `sessions`: only of these (none: nothing is found). `except_sessions`: of
    all others. `since` and `until`: said from the one on, and before the
    other. `speaker`: said by exactly this one. `metadata`: by name, a value
    or comparisons; a passage without the name does not pass.

    Raises:
        InvalidInput: A condition is not one.
    """

    sessions: tuple[SessionId, ...] | None = None
    except_sessions: tuple[SessionId, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    speaker: str | None = None
    metadata: Mapping[str, Compared] = msgspec.field(default_factory=dict[str, Compared])

    def __post_init__(self) -> None:
        for session in (*(self.sessions or ()), *self.except_sessions):
            session_id(session, param="sessions")
        for param, instant in (("since", self.since), ("until", self.until)):
            if instant is not None and instant.tzinfo is None:
                raise InvalidInput(param=param, problem="must have a time zone, as in 2026-01-31T12:00:00Z")
        if self.speaker is not None:
            checked_text(self.speaker, param="speaker")
        for name, asked in self.metadata.items():
            _checked_comparison(name, asked)


def _checked_comparison(name: str, asked: Compared) -> None:
    if not isinstance(asked, Mapping):
        checked_metadata({name: asked})
        return
    if not asked:
        raise InvalidInput(param="metadata", problem=f"{name}: must compare with something")
    for how, value in asked.items():
        values = value if isinstance(value, tuple) else (value,)
        if (how == "in") != isinstance(value, tuple):
            raise InvalidInput(param="metadata", problem=f"{name}: `in` takes a list, and nothing else does")
        for one in values:
            checked_metadata({name: one})


class RecallQuery(msgspec.Struct, frozen=True, kw_only=True):
    """What a search looks for. Any visible text is a query.

    Raises:
        InvalidInput: The query is blank or unstorable, or `limit` is not from 1 to 100.
    """

    text: str
    limit: int = 10
    filter: RecallFilter = RecallFilter()

    def __post_init__(self) -> None:
        if not has_visible(checked_text(self.text, param="query")):
            raise InvalidInput(param="query", problem="must hold something visible")
        if not 1 <= self.limit <= MAX_FOUND:
            raise InvalidInput(param="limit", problem=f"must be from 1 to {MAX_FOUND}")


class PassageFound(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A passage that a search found: higher scores are better, and `parts` say what a score is made of."""

    passage: Passage
    score: float
    parts: Mapping[str, float] = msgspec.field(default_factory=dict[str, float])


class Recalled(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a search found, best first, ties by id. `degraded` names the half that could not be asked: `semantic`."""

    data: tuple[PassageFound, ...] = ()
    degraded: tuple[str, ...] = ()


class RecallSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """An agent's rules for recall.

    `ingest` keeps what is said in its turns; `preload` puts up to `limit`
    passages of at least `threshold` and of `tokens` in all (of four characters)
    into each prompt; `tool` gives the model `search_past_conversations`.
    `strategy` `facts` asks `facts_model` (None: the agent's) for short facts beside the messages.

    Raises:
        InvalidInput: A number is out of range.
    """

    ingest: bool = True
    preload: bool = True
    tool: bool = True
    limit: int = 10
    tokens: int = 500
    threshold: float = 0.0
    strategy: Literal["messages", "facts"] = "messages"
    facts_model: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MAX_FOUND:
            raise InvalidInput(param="limit", problem=f"must be from 1 to {MAX_FOUND}")
        if not 0 <= self.tokens <= 100_000:
            raise InvalidInput(param="tokens", problem="must be from 0 to 100000")
        if not 0.0 <= self.threshold <= 1.0:
            raise InvalidInput(param="threshold", problem="must be from 0 to 1")
        if self.facts_model is not None and not 1 <= len(checked_text(self.facts_model, param="factsModel")) <= 256:
            raise InvalidInput(param="factsModel", problem="must have 1 to 256 characters")
