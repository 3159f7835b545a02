"""What an endpoint is: one row of the table that routes, SDK calls and OpenAPI are made from."""

from typing import Generic, Literal, TypeVar

import msgspec

from wellkept.model.errors import WellkeptError

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
A = TypeVar("A")


class NoAnswer(msgspec.Struct, frozen=True):
    """An answer without a body (204)."""


class NoQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An endpoint that takes no parameters in the query."""


class NoBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An endpoint that takes no body."""


class Endpoint(msgspec.Struct, Generic[A], frozen=True, kw_only=True, eq=False):
    """One operation.

    `path` names its parameters in braces; all are strings. `query` and `body`
    are structs that refuse unknown fields. `once`: takes `Idempotency-Key`.
    `etags`: what the conditional headers mean here: "tells" answers `ETag`, for
    a later write; "reads" minds `If-None-Match`, too; "writes" minds `If-Match`
    and `If-None-Match: *`.
    `events`: whether it answers as server-sent events (`wellkept.wire.events`):
    "asked", when `Accept` names `text/event-stream`, or "always".
    `location`: the address of what it makes, which the header `Location` gives.
    `idempotent`: sending it twice does no more than once, so a client may retry.
    """

    name: str
    method: Method
    path: str
    summary: str
    answer: type[A]
    status: int = 200
    query: type[msgspec.Struct] = NoQuery
    body: type[msgspec.Struct] = NoBody
    errors: tuple[type[WellkeptError], ...] = ()
    needs_key: bool = True
    for_user: bool = False
    """Open to a credential that is limited to one user; others answer it `forbidden`."""
    once: bool = False
    etags: Literal["", "tells", "reads", "writes"] = ""
    events: Literal["", "asked", "always"] = ""
    location: str = ""
    repeatable: bool = False
    """Though a POST, sending it twice does no more than once."""
    adds: bool = False
    """Though a PUT, it makes something new each time it is sent."""

    @property
    def idempotent(self) -> bool:
        """Say whether sending it twice does no more than once."""
        return self.once or self.repeatable or (self.method in ("GET", "PUT", "DELETE") and not self.adds)
