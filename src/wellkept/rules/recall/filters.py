"""Which passages a search looks at."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, Protocol

from wellkept.model.ids import SessionId
from wellkept.model.passages import Metadata, MetaValue
from wellkept.model.recall import Compared, RecallFilter


class Described(Protocol):
    """What a filter asks of a passage."""

    @property
    def session_id(self) -> SessionId:
        """The session it was said in."""
        ...

    @property
    def speaker(self) -> str:
        """Who said it."""
        ...

    @property
    def at(self) -> datetime:
        """When."""
        ...

    @property
    def metadata(self) -> Metadata:
        """The caller's own facts about it."""
        ...


def passes(asked: RecallFilter, passage: Described) -> bool:
    """Say whether a passage meets all conditions."""
    return (
        (asked.sessions is None or passage.session_id in asked.sessions)
        and passage.session_id not in asked.except_sessions
        and (asked.since is None or passage.at >= asked.since)
        and (asked.until is None or passage.at < asked.until)
        and (asked.speaker is None or passage.speaker == asked.speaker)
        and all(_holds(how, passage.metadata.get(name)) for name, how in asked.metadata.items())
    )


def _holds(asked: Compared, value: MetaValue | None) -> bool:
    if value is None:
        return False
    if not isinstance(asked, Mapping):
        return _same(value, asked)
    return all(_COMPARISONS[how](value, other) for how, other in asked.items())


def _same(value: object, other: object) -> bool:
    # True is not 1 here: they were told apart when they were stored.
    return isinstance(value, bool) == isinstance(other, bool) and value == other


def _before(value: object, other: object) -> bool:
    """Say which of two comes first; what cannot be ordered (a number and a text) does not."""
    if isinstance(value, bool) or isinstance(other, bool):
        return False
    if isinstance(value, str) and isinstance(other, str):
        return value < other
    return isinstance(value, int | float) and isinstance(other, int | float) and value < other


def _among(value: object, others: MetaValue | tuple[MetaValue, ...]) -> bool:
    return isinstance(others, tuple) and any(_same(value, other) for other in others)


_COMPARISONS: Final[Mapping[str, Callable[[MetaValue, MetaValue | tuple[MetaValue, ...]], bool]]] = {
    "eq": _same,
    "ne": lambda value, other: not _same(value, other),
    "lt": _before,
    "lte": lambda value, other: _before(value, other) or _same(value, other),
    "gt": lambda value, other: _before(other, value),
    "gte": lambda value, other: _before(other, value) or _same(value, other),
    "in": _among,
}
