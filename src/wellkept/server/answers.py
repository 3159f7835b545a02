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
    PreconditionFailed,
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
from wellkept.wire.endpoint import Endpoint
from wellkept.wire.problems import INTERNAL, STATUS, Problem, ProblemAnswer, problem_of

JSON: Final = "application/json"
RETRY_AFTER: Final = "1"
"""Seconds after which it is worth trying again what was refused for the moment."""

_HEADERS: Final = frozenset({KEY, MATCH, NONE_MATCH, CLIENT_REQUEST_ID, *USER_HEADERS, "Authorization", "Content-Type"})
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


def failure(error: WellkeptError, endpoint: Endpoint[object] | None) -> Response:
    """Say an error."""
    status = STATUS[type(error)]
    headers: dict[str, str] = {}
    match error:
        case Unauthorized():
            headers["WWW-Authenticate"] = "Bearer"
        case MethodNotAllowed():
            headers["Allow"] = str(error.facts["allowed"])
        case TooLarge():
            headers["Connection"] = "close"  # what else comes is not read
        case PreconditionFailed() | Conflict() if isinstance(error.facts.get("etag"), str):
            headers["ETag"] = quoted(str(error.facts["etag"]))
        case RateLimited():
            headers["Retry-After"] = RETRY_AFTER
        case _ if status == 503:
            headers["Retry-After"] = RETRY_AFTER
    answer = ProblemAnswer(error=problem(error, endpoint))
    return Response(msgspec.json.encode(answer), status, headers, JSON)


def internal_failure() -> Response:
    """Say that something happened which nobody foresaw."""
    return Response(msgspec.json.encode(ProblemAnswer(error=internal_problem())), 500, media_type=JSON)


def internal_problem() -> Problem:
    """Say that something happened which nobody foresaw, and nothing more."""
    return Problem(code=INTERNAL, message=_INTERNAL_MESSAGE)


def problem(error: WellkeptError, endpoint: Endpoint[object] | None) -> Problem:
    """Say an error on the wire, with the place of the parameter that is wrong.

    What failed inside is told by its kind alone: its facts are for the log.
    """
    if STATUS[type(error)] >= 500:
        return Problem(code=error.code, message=(type(error).__doc__ or "").strip().splitlines()[0])
    location = _location(error.param, endpoint) if isinstance(error, InvalidInput) else "body"
    return problem_of(error, location=location)


def _location(param: str, endpoint: Endpoint[object] | None) -> str:
    name = param.partition("/")[0]
    if endpoint is None or name in _HEADERS:
        return "header"
    if f"{{{name}}}" in endpoint.path:
        return "path"
    query, body = endpoint.query.__struct_encode_fields__, endpoint.body.__struct_encode_fields__
    # A name that neither knows is of the body, unless there is none.
    return "query" if name == "query" or name in query or (name not in body and not body) else "body"
