"""What a handler is given, and what it gives back."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from structlog.typing import FilteringBoundLogger

from wellkept.compose.assemble import Services
from wellkept.model.errors import InvalidInput
from wellkept.server.caller import Caller
from wellkept.server.head import Head
from wellkept.server.lifecycle import Lifecycle
from wellkept.server.metrics import Metrics
from wellkept.server.options import Options
from wellkept.server.turn_limit import TurnLimit
from wellkept.server.turns import Turns
from wellkept.wire.endpoint import Endpoint

Q = TypeVar("Q", bound=msgspec.Struct)
B = TypeVar("B", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """What stands behind all requests of one server."""

    services: Services
    turns: Turns
    options: Options
    metrics: Metrics
    lifecycle: Lifecycle
    turn_limit: TurnLimit
    logger: FilteringBoundLogger


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Q, B]):
    """One request, read and authorised."""

    endpoint: Endpoint[object]
    caller: Caller
    path: Mapping[str, str]
    query: Q
    body: B
    head: Head
    request: Request
    backend: Backend

    @property
    def services(self) -> Services:
        """Give the use cases."""
        return self.backend.services


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A success. `etag` names the text that was read or written, `made` the path parameters of what was made."""

    value: msgspec.Struct | None = None
    etag: str | None = None
    made: Mapping[str, str] | None = None


# Any: the table pairs each endpoint with its handler, whose types differ; a test compares them.
Handler = Callable[[Call[Any, Any]], Awaitable[Answer | Response]]


def number_in_path(call: Call[Q, B], name: str) -> int:
    """Read a number from the path.

    Raises:
        InvalidInput: It is not one from 1 to 2,147,483,647.
    """
    said = call.path[name]
    number = int(said) if said.isascii() and said.isdigit() and len(said) <= 10 else 0
    if not 1 <= number <= 2**31 - 1:
        raise InvalidInput(param=name, problem="must be a positive 32-bit number")
    return number
