"""Past conversations on the wire: what was said, kept and found again."""

from typing import Annotated

import msgspec
from msgspec import Meta

from wellkept.model.passages import Passage, Said
from wellkept.model.recall import MAX_FOUND, RecallFilter
from wellkept.wire.fields import Cursor, Id, PageLimit

MOST_MESSAGES = 1_000
"""Messages that one request may bring."""

Messages = Annotated[
    tuple[Said, ...],
    Meta(min_length=1, max_length=MOST_MESSAGES, description="What was said, in any order."),
]


class PassagesBody(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Messages of one session of a user."""

    user_id: Id
    session_id: Id
    messages: Messages


class PassagesQuery(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which passages of the agent: all, or those of a user, of a session."""

    user_id: Id | None = None
    session_id: Id | None = None
    cursor: Cursor | None = None
    limit: PageLimit = 50


class PassagesPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Passages, those said last first."""

    data: tuple[Passage, ...]
    next_cursor: str | None = None


class PassagesChosen(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Which passages go: a user's, a session's, or one by its id. At least one is named; all that are named hold."""

    user_id: Id | None = None
    session_id: Id | None = None
    passage_id: Id | None = None


class PassagesDeleted(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How many passages went."""

    deleted: int


class RecallBody(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """What to look for in the conversations of a user; any visible text is a query."""

    user_id: Id
    query: str
    limit: Annotated[int, Meta(ge=1, le=MAX_FOUND, description="How many passages there are at most.")] = 10
    filter: RecallFilter | None = None


class ReindexBody(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """How many passages to embed before the answer comes."""

    passages: Annotated[int, Meta(ge=1, le=10_000)] = 1_000


class ReindexAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Passages that got a vector of `model`, and those that still have none: ask again until `left` is 0."""

    model: str
    done: int
    left: int
