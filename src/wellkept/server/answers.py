"""From what a handler gives back, or from an error, to the bytes of an answer."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

import msgspec
from starlette.responses import Response

from wellkept.model.errors import (
    Conflict,
    InvalidInput,
    MethodNotAllowed,
    RateLimited,
    TooLarge,
    Unauthorized,
    WellkeptError,
)
from wellkept.server.auth import USER_HEADERS
from wellkept.server.call import Answer
from wellkept.server.conditions import MATCH, NONE_MATCH, quoted
from wellkept.server.head import CLIENT_REQUEST_ID
from wellkept.server.once import KEY
from wellkept.server.trace import Trace
from wellkept.wire.endpoint import Endpoint
from wellkept.wire.problems import INTERNAL, STATUS, Problem, ProblemAnswer, problem_of

JSON: Final = "application/json"
RETRY_AFTER: Final = "1"
"""Seconds after which it is worth trying again what was refused for the moment."""

_REQUEST_HEADERS: Final = frozenset(
    {KEY, MATCH, NONE_MATCH, CLIENT_REQUEST_ID, *USER_HEADERS, "Authorization", "Content-Type"}
)
_INTERNAL_MESSAGE: Final = "Something went wrong in the server; its log has the request's id."


def success(endpoint: Endpoint[object], answer: Answer, path: Mapping[str, str]) -> Response:
    """Say what an endpoint came to."""
    headers: dict[str, str] = {}
    if answer.etag is not None:
        headers["ETag"] = quoted(answer.etag)
    if endpoint.location and answer.made is not None:
        headers["Location"] = filled(endpoint.location, {**path, **answer.made})
    if answer.value is None:
        return Response(status_code=endpoint.status, headers=headers)
    return Response(msgspec.json.encode(answer.value), endpoint.status, headers, JSON)


def not_modified(etag: str) -> Response:
    """Say that the reader has this text already."""
    return Response(status_code=304, headers={"ETag": quoted(etag)})


def filled(template: str, parameters: Mapping[str, str]) -> str:
    """Put the values of parameters into an address."""
    for name, value in parameters.items():
        template = template.replace(f"{{{name}}}", quote(value, safe=""))
    return template


def failure(error: WellkeptError, trace: Trace) -> Response:
    """Say an error."""
    status = STATUS[type(error)]
    answer = ProblemAnswer(error=problem(error, trace))
    return Response(msgspec.json.encode(answer), status, _headers_of(error, status), JSON)


def _headers_of(error: WellkeptError, status: int) -> dict[str, str]:
    headers: dict[str, str] = {}
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = str(error.facts["allowed"])
    if isinstance(error, TooLarge):
        headers["Connection"] = "close"  # what else comes is not read
    if isinstance(error, RateLimited) or status == 503:
        headers["Retry-After"] = RETRY_AFTER
    etag = error.facts.get("etag")
    if isinstance(error, Conflict) and isinstance(etag, str):
        headers["ETag"] = quoted(etag)
    return headers


def internal_failure() -> Response:
    """Say that something happened which nobody foresaw."""
    return Response(msgspec.json.encode(ProblemAnswer(error=internal_problem())), 500, media_type=JSON)


def internal_problem() -> Problem:
    """Say that something happened which nobody foresaw, and nothing more."""
    return Problem(code=INTERNAL, message=_INTERNAL_MESSAGE)


def problem(error: WellkeptError, trace: Trace) -> Problem:
    """Say an error on the wire, with the place of the parameter that is wrong.

    What failed inside is told by its kind alone: its facts are for the log.
    """
    if STATUS[type(error)] >= 500:
        return Problem(code=error.code, message=(type(error).__doc__ or "").strip().splitlines()[0])
    param = error.param if isinstance(error, InvalidInput) else ""
    return problem_of(error, location=trace.location or _location(param, trace.endpoint))


def _location(name: str, endpoint: Endpoint[object] | None) -> str:
    """Say where the parameter stands that a use case refused; whatever was refused while reading, `trace` knows."""
    if endpoint is None or name in _REQUEST_HEADERS:
        return "header"
    if f"{{{name}}}" in endpoint.path:
        return "path"
    return "query" if name in endpoint.query.__struct_encode_fields__ else "body"
