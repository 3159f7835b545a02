"""The parameters of an endpoint: in its path, its query and its headers."""

import re
from collections.abc import Iterator
from typing import Final

from wellkept.server.auth import USER_HEADERS
from wellkept.server.conditions import MATCH, NONE_MATCH
from wellkept.server.head import CLIENT_REQUEST_ID
from wellkept.server.once import KEY
from wellkept.server.openapi.schemas import JsonObject, choices, properties
from wellkept.wire.endpoint import Endpoint

_ID: Final[JsonObject] = {"type": "string", "minLength": 1, "maxLength": 256}
_IN_PATH: Final[dict[str, tuple[str, JsonObject]]] = {
    "agentId": ("The agent.", _ID),
    "memoryId": ("The memory.", {"type": "string", "pattern": "^mem_[0-9A-Za-z]{16}$"}),
    "sessionId": ("The session; a `/` in it is sent as `%2F`.", _ID),
    "version": ("The version's number.", {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}),
    "scope": ("Whose kind of block.", {"type": "string", "enum": ["user", "agent", "shared"]}),
    "key": ("The block's name.", {"type": "string", "pattern": "^[A-Za-z0-9_.-]{1,64}$"}),
    "keyId": ("The key's id, not its secret.", _ID),
    "holdId": ("The held write.", _ID),
}
_TEXT: Final[JsonObject] = {"type": "string"}
_IN_HEADERS: Final[dict[str, tuple[str, JsonObject]]] = {
    KEY: (
        "Does the same request once, however often it is sent.",
        {"type": "string", "pattern": "^[!-~]{1,200}$"},
    ),
    MATCH: ("Writes only over a text with one of these etags; `*`: over any text.", _TEXT),
    NONE_MATCH: ("On reading: answers 304 when the text has one of these etags. On writing, `*`: only if new.", _TEXT),
    USER_HEADERS[0]: (
        "Limits the request to one user, as a key of that user would. The id's UTF-8.",
        {"type": "string", "minLength": 1, "maxLength": 256},
    ),
    CLIENT_REQUEST_ID: (
        "The caller's own id of the request, for the log.",
        {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,128}$"},
    ),
}
_PARAMETER: Final = re.compile(r"\{(\w+)\}")


def parameters(endpoint: Endpoint[object], schemas: dict[str, JsonObject]) -> list[JsonObject]:
    """Describe all parameters of an endpoint."""
    return [*_path(endpoint), *_query(schemas[endpoint.query.__name__]), *map(header, _headers(endpoint))]


def header(name: str) -> JsonObject:
    """Refer to a header that is described among the components."""
    return {"$ref": f"#/components/parameters/{name}"}


def shared_parameters() -> dict[str, JsonObject]:
    """Describe the headers that many endpoints take."""
    return {
        name: {"name": name, "in": "header", "required": False, "description": description, "schema": schema}
        for name, (description, schema) in _IN_HEADERS.items()
    }


def _path(endpoint: Endpoint[object]) -> Iterator[JsonObject]:
    for name in _PARAMETER.findall(endpoint.path):
        description, schema = _IN_PATH[name]
        yield {"name": name, "in": "path", "required": True, "description": description, "schema": schema}


def _query(schema: JsonObject) -> Iterator[JsonObject]:
    required = schema.get("required", [])
    for name, member in properties(schema).items():
        parameter: JsonObject = {"name": name, "in": "query", "schema": _without_null(member)}
        if isinstance(required, list) and name in required:
            parameter["required"] = True
        yield parameter


def _without_null(schema: JsonObject) -> JsonObject:
    """Drop the choice `null`: a query cannot say it, only leave the parameter out."""
    rest = [choice for choice in choices(schema) if choice != {"type": "null"}]
    return rest[0] if len(rest) == 1 else schema


def _headers(endpoint: Endpoint[object]) -> Iterator[str]:
    if endpoint.once:
        yield KEY
    if endpoint.etags == "writes":
        yield MATCH
    if endpoint.etags in ("reads", "writes"):
        yield NONE_MATCH
    if endpoint.needs_key and endpoint.for_user:
        yield USER_HEADERS[0]
    yield CLIENT_REQUEST_ID
