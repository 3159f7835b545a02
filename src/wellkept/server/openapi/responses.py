"""The answers of an endpoint: its success, and every error it may give."""

from collections import defaultdict
from http import HTTPStatus
from typing import Final

from wellkept.model import errors as e
from wellkept.server.answers import JSON
from wellkept.server.openapi.schemas import JsonObject, reference
from wellkept.server.sse import EVENT_STREAM
from wellkept.wire.endpoint import Endpoint, NoAnswer, NoBody
from wellkept.wire.problems import INTERNAL, STATUS, ProblemAnswer
from wellkept.wire.turns import ChatAnswer

_ALWAYS: Final = (e.InvalidInput, e.TooLarge, e.HeadTooLarge, e.StoreFailed)
_WITH_KEY: Final = (e.Unauthorized, e.Forbidden, e.UserMismatch)
_OF_STORES: Final = (e.StoreUnavailable, e.StoreReadOnly, e.SchemaTooNew, e.Closed)
_OF_WRITES: Final = (e.StoreFull,)
_ABOUT: Final = {
    "X-Request-Id": "The server's id of the request, `req_…`, which is in its log.",
    "WWW-Authenticate": "Always `Bearer`.",
    "Retry-After": "Seconds after which it is worth trying again.",
    "ETag": "Names the text: equal texts, equal etags.",
    "Location": "The address of what was made.",
}
_OF_STATUS: Final = {401: ["WWW-Authenticate"], 429: ["Retry-After"], 503: ["Retry-After"]}


def shared_headers() -> JsonObject:
    """Describe the headers of answers."""
    return {
        name: {"description": description, "required": True, "schema": {"type": "string"}}
        for name, description in _ABOUT.items()
    }


def responses(endpoint: Endpoint[object]) -> JsonObject:
    """Describe all answers of an endpoint, by status."""
    found: JsonObject = {str(endpoint.status): _success(endpoint)}
    if endpoint.etags == "reads":
        found["304"] = {"description": "The caller has this text already.", "headers": _headers("ETag")}
    for status, codes in sorted(_failures(endpoint).items()):
        found[str(status)] = {
            "description": f"{HTTPStatus(status).phrase}: {', '.join(f'`{code}`' for code in codes)}.",
            "headers": _headers(*_OF_STATUS.get(status, ())),
            "content": {JSON: {"schema": reference(ProblemAnswer)}},
        }
    return found


def _success(endpoint: Endpoint[object]) -> JsonObject:
    headers = ["ETag"] if endpoint.etags and endpoint.answer is not NoAnswer else []
    if endpoint.location:
        headers.append("Location")
    answer: JsonObject = {"description": endpoint.summary + ".", "headers": _headers(*headers)}
    content: JsonObject = {}
    if endpoint.answer is not NoAnswer and endpoint.events != "always":
        content[JSON] = {"schema": reference(endpoint.answer)}
    if endpoint.events:
        kind = "ChatEvent" if endpoint.answer is ChatAnswer else "TurnEvent"
        about = f"Server-sent events; the data of each is a `{kind}`, its name the event's `type`."
        content[EVENT_STREAM] = {"schema": {"type": "string", "description": about}}
    if content:
        answer["content"] = content
    return answer


def _failures(endpoint: Endpoint[object]) -> dict[int, list[str]]:
    kinds: set[type[e.WellkeptError]] = {*endpoint.errors, *_ALWAYS, *_OF_STORES}
    if endpoint.needs_key:
        kinds |= {*_WITH_KEY}
    if endpoint.body is not NoBody:
        kinds |= {e.UnsupportedMedia}
    if endpoint.method != "GET":
        kinds |= {*_OF_WRITES}
    found: defaultdict[int, list[str]] = defaultdict(list)
    found[500].append(INTERNAL)
    for kind in sorted(kinds, key=lambda kind: kind.code):
        found[STATUS[kind]].append(kind.code)
    return found


def _headers(*names: str) -> JsonObject:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-Id", *names)}
