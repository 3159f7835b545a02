"""Every route, from the OpenAPI document and the table of endpoints that it is made from."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import markdown

from wellkept.server.openapi.document import document
from wellkept.wire.endpoint import Endpoint, NoAnswer, NoBody, NoQuery
from wellkept.wire.endpoints import ENDPOINTS
from wellkept.wire.events import INTERNAL
from wellkept.wire.problems import STATUS

Json = Mapping[str, Any]

INTRODUCTION = """
`GET /openapi.json` is this page for programs (OpenAPI 3.1). Bodies and answers are JSON in camelCase, times are UTC in
ISO 8601. Unknown fields and parameters are refused with `validation_failed`.

## Keys and users

`Authorization: Bearer wk_…` on every route but those that say *no key*. A key belongs to one tenant. The header
`X-Wellkept-User-Id` (or `X-BA-User-Id`) limits a request to one user; a key that was made for a user is always limited
to it. A limited request reaches what belongs to that user alone: naming another user is `user_mismatch`, what is
another user's is `not_found`, and routes without *for users* answer `forbidden`.

## Ids of requests

Every answer has `X-Request-Id`. A caller may send `X-Client-Request-Id`; it stands in the server's log line.

## Lists

`{"data": […], "nextCursor": …}`, newest first unless the route says otherwise; `limit` is 1–100 and 50 by default.
Pass `nextCursor` as `cursor` for the next page; `null` says that this is the last. A cursor belongs to one list with
its filters: elsewhere it is `invalid_cursor`.

## Conditional requests

Blocks and memories have an etag, the SHA-256 of the text. Routes marked *etag: tells* and *etag: reads* answer with
`ETag`; the latter answer 304 and no body when `If-None-Match` names what is stored. Routes marked *etag: writes* mind
`If-Match: "…"` (only in place of this text) and `If-None-Match: *` (only if there is none): else nothing changes, and
the answer is 412 `precondition_failed` with the stored etag in `details.etag`. A write equal to what is stored succeeds
whatever it names. Other writes refuse these headers rather than ignore them.

## Sending twice

Routes marked *once* take `Idempotency-Key`: the same key with the same request does it once and answers with what the
first one made; with another request it is `idempotency_mismatch`. GET, PUT and DELETE may be sent again as they are,
but for *adds*, which makes something new each time. A key where a repetition would be done again is refused.

## Server-sent events

Routes marked *events* answer as `text/event-stream` (*asked*: if `Accept` names it). An event is `event: NAME` and
`data: {"type": "NAME", …}`; the last one is `done` or `error`. `?internal=true` also sends the tools' calls and their
results.
"""


def page() -> str:
    described: Json = json.loads(document())
    types: Json = described["components"]["schemas"]
    everywhere = common(described, keyed=False)
    keyed = common(described, keyed=True) - everywhere
    return markdown.page(
        "HTTP API",
        INTRODUCTION,
        "## Routes\n\n"
        + markdown.table(
            ["route", "does"], [[f"[`{route(one)}`](#{anchor(route(one))})", one.summary] for one in ENDPOINTS]
        ),
        "Beside the table: `GET /openapi.json` (no key) and `GET /metrics` (no key from this machine).",
        f"Any route may answer {told(everywhere)}; one with a body `unsupported_media` (415); one that needs a key "
        f"{told(keyed)}; one that writes `store_full` (507). [Errors](errors.md) says what they mean.",
        *(of_endpoint(one, types) for one in ENDPOINTS),
        "## Events\n\n" + events(types),
        "## Types",
        *(of_type(name, types[name]) for name in sorted(types) if is_listed(name, types)),
    )


def route(endpoint: Endpoint[object]) -> str:
    return f"{endpoint.method} {endpoint.path}"


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def common(described: Json, *, keyed: bool) -> set[str]:
    """The codes that every operation may answer with, or every one that needs a key."""
    found: set[str] | None = None
    for endpoint in ENDPOINTS:
        if endpoint.needs_key or not keyed:
            operation = described["paths"][endpoint.path][endpoint.method.lower()]
            codes = set(
                re.findall(r"`(\w+)`", " ".join(answer["description"] for answer in operation["responses"].values()))
            )
            found = codes if found is None else found & codes
    return found or set()


def told(codes: set[str]) -> str:
    statuses = {kind.code: status for kind, status in STATUS.items()} | {"internal": 500}
    return ", ".join(f"`{code}` ({statuses[code]})" for code in sorted(codes))


def of_endpoint(endpoint: Endpoint[object], types: Json) -> str:
    parts = [
        f"### {route(endpoint)}",
        f"{endpoint.summary}. In the SDK `{endpoint.name}`.",
        " · ".join(marks(endpoint)),
    ]
    if endpoint.query is not NoQuery:
        parts.append("Query:\n\n" + fields(types[endpoint.query.__name__]))
    if endpoint.body is not NoBody:
        parts.append("Body:\n\n" + fields(types[endpoint.body.__name__]))
    name = endpoint.answer.__name__
    answer = "no body" if endpoint.answer is NoAnswer else f"[{name}](#{name.lower()})"
    own = told({error.code for error in endpoint.errors})
    parts.append(f"Answers {endpoint.status}, {answer}." + (f" Errors of its own: {own}." if own else ""))
    return "\n\n".join(part for part in parts if part)


def marks(endpoint: Endpoint[object]) -> Iterator[str]:
    if not endpoint.needs_key:
        yield "*no key*"
    if endpoint.for_user:
        yield "*for users*"
    if endpoint.once:
        yield "*once*"
    if endpoint.adds:
        yield "*adds*"
    if endpoint.etags:
        yield f"*etag: {endpoint.etags}*"
    if endpoint.events:
        yield f"*events: {endpoint.events}*"
    if endpoint.location:
        yield "*Location*"


def fields(of: Json) -> str:
    required = of.get("required", ())
    rows = [
        [f"`{name}`", spelled(one), "required" if name in required else default(one), one.get("description", "")]
        for name, one in of.get("properties", {}).items()
    ]
    return markdown.table(["field", "type", "default", "note"], rows) if rows else "No fields."


def default(of: Json) -> str:
    value = of.get("default")
    return "" if value is None or isinstance(value, dict | list) else f"`{json.dumps(value)}`"


def spelled(of: Json) -> str:
    """A type in a few words."""
    if "$ref" in of:
        name = of["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in of:
        return " or ".join(spelled(one) for one in of["anyOf"])
    if "enum" in of:
        return " or ".join("null" if value is None else f"`{value}`" for value in of["enum"])
    match of.get("type"):
        case "array":
            return f"list of {spelled(of['items'])}" if "items" in of else "list"
        case "object" if isinstance(of.get("additionalProperties"), dict):
            return f"object of {spelled(of['additionalProperties'])}"
        case "string" if of.get("format") == "date-time":
            return "time"
        case None:
            return "anything"
        case word:
            low, high = of.get("minimum"), of.get("maximum")
            return f"{word} {low}–{high}" if low is not None and high is not None else str(word)


def is_listed(name: str, types: Json) -> bool:
    """Queries and the bodies of single routes stand with their routes."""
    own = {kind.__name__ for one in ENDPOINTS for kind in (one.query, one.body)}
    return name not in own and name != NoAnswer.__name__ and "properties" in types[name]


def of_type(name: str, of: Json) -> str:
    return "\n\n".join(part for part in (f"### {name}", of.get("description", ""), fields(of)) if part)


def events(types: Json) -> str:
    hidden = {kind.__name__ for kind in INTERNAL}
    rows = []
    for name, of in types.items():
        tag = of.get("properties", {}).get("type", {}).get("enum")
        if name.endswith("Event") and tag:
            asked = "yes" if name in hidden else ""
            rows.append([f"`{tag[0]}`", f"[{name}](#{name.lower()})", asked, of.get("description", "")])
    return markdown.table(["event", "data", "internal", "when"], rows)
