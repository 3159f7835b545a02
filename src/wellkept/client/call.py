"""A call to a server, as a value: what to send, and how to read what comes back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Generic, Protocol, TypeVar, cast
from urllib.parse import parse_qsl, quote, urlencode

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.text import checked_text
from wellkept.wire.endpoint import Endpoint, NoAnswer
from wellkept.wire.problems import Problem

A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)
E_co = TypeVar("E_co", covariant=True)

_NO_PATH: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[A_co]):
    """One request to an endpoint. `target` is path and query, encoded.

    `again`: it may be sent a second time. `once`: it needs an idempotency key
    for that. `long`: a model is asked, which takes its time.
    """

    name: str
    method: str
    target: str
    content: bytes | None
    headers: Mapping[str, str]
    again: bool
    once: bool
    long: bool
    read: Callable[[bytes], A_co] = field(repr=False)

    def at(self, cursor: str) -> "Call[A_co]":
        """Give the call of another page of the same list."""
        path, _, query = self.target.partition("?")
        fields = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != "cursor"]
        return replace(self, target=f"{path}?{_query([*fields, ('cursor', cursor)])}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Streamed(Generic[E_co]):
    """A call that answers with events. `read` gives an event, or what went wrong; `last` is the final event's type."""

    call: Call[object]
    known: frozenset[str]
    """The names of the events that this version can read; others are passed over."""
    read: Callable[[bytes], E_co | Problem]
    last: type[E_co]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What must hold for a write: the stored etag, or (`only_new`) that there is nothing yet."""

    if_match: str | None = None
    only_new: bool = False

    def headers(self) -> dict[str, str]:
        """Give the request's conditional headers.

        Raises:
            InvalidInput: The etag is not one.
        """
        found: dict[str, str] = {}
        if self.if_match is not None:
            found["If-Match"] = f'"{_header(self.if_match, param="if_match")}"'
        if self.only_new:
            found["If-None-Match"] = "*"
        return found


class Paged(Protocol[A_co]):
    """A page of a list."""

    @property
    def data(self) -> tuple[A_co, ...]:
        """The rows."""
        ...

    @property
    def next_cursor(self) -> str | None:
        """Where the next page begins; None: this is the last."""
        ...


_UNCONDITIONAL: Final = Conditions()


def call(
    endpoint: Endpoint[A],
    path: Mapping[str, str] = _NO_PATH,
    *,
    query: msgspec.Struct | None = None,
    body: msgspec.Struct | None = None,
    conditions: Conditions = _UNCONDITIONAL,
    idempotency_key: str | None = None,
    long: bool = False,
) -> Call[A]:
    """Make the call of an endpoint that answers with a value.

    Raises:
        InvalidInput: A value can be neither text on a wire nor a part of a path.
    """
    answer = endpoint.answer

    def read(content: bytes) -> A:
        return msgspec.json.decode(content, type=answer)

    headers = conditions.headers()
    if idempotency_key is not None:
        headers["Idempotency-Key"] = _header(idempotency_key, param="idempotency_key")
    return Call(
        name=endpoint.name,
        method=endpoint.method,
        target=_target(endpoint.path, path, query),
        content=None if body is None else _content(body),
        headers=headers,
        again=endpoint.idempotent,
        once=endpoint.once,
        long=long,
        read=read,
    )


def order(
    endpoint: Endpoint[NoAnswer],
    path: Mapping[str, str],
    *,
    query: msgspec.Struct | None = None,
    conditions: Conditions = _UNCONDITIONAL,
) -> Call[None]:
    """Make the call of an endpoint that answers with nothing.

    Raises:
        InvalidInput: A value can be neither text on a wire nor a part of a path.
    """
    made = call(endpoint, path, query=query, conditions=conditions)
    # A dataclass's `replace` cannot say that its type changes.
    return cast("Call[None]", replace(cast("Call[object]", made), read=_nothing))


def _nothing(content: bytes) -> None:
    """Read no answer."""


def _target(template: str, path: Mapping[str, str], query: msgspec.Struct | None) -> str:
    target = template
    for name, value in path.items():
        target = target.replace("{" + name + "}", _segment(value, param=name))
    fields: Mapping[str, object] = msgspec.to_builtins(query) if query is not None else {}
    asked = _query([(name, str(value)) for name, value in fields.items() if value is not None])
    return f"{target}?{asked}" if asked else target


def _query(fields: Sequence[tuple[str, str]]) -> str:
    return urlencode([(name, checked_text(value, param=name)) for name, value in fields], quote_via=quote, safe="")


def _segment(value: str, *, param: str) -> str:
    text = checked_text(value, param=param)
    if not text:
        raise InvalidInput(param=param, problem="must not be empty")
    # A segment of dots alone would lead to another address.
    return quote(text, safe="") if text.strip(".") else text.replace(".", "%2E")


def _content(body: msgspec.Struct) -> bytes:
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        # Refused by the name of the field, as a server would if it could be told.
        for name, value in msgspec.to_builtins(body).items():
            checked_text(value if isinstance(value, str) else repr(value), param=name)
        raise


def _header(value: str, *, param: str) -> str:
    """Return a value that can stand in a header.

    Raises:
        InvalidInput: It holds more than printable ASCII, or a quotation mark.
    """
    if not value or not all("!" <= char <= "~" and char != '"' for char in value):
        raise InvalidInput(param=param, problem="must be printable ASCII without spaces and quotation marks")
    return value
