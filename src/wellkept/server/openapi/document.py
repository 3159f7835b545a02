"""The whole document."""

from collections import defaultdict
from functools import cache
from importlib.metadata import version
from typing import Final

import msgspec

from wellkept.server.answers import JSON
from wellkept.server.openapi.parameters import parameters, shared_parameters
from wellkept.server.openapi.responses import responses, shared_headers
from wellkept.server.openapi.schemas import JsonObject, components, reference
from wellkept.wire.endpoint import Endpoint, NoBody
from wellkept.wire.endpoints import ENDPOINTS
from wellkept.wire.events import (
    ChatDoneEvent,
    DoneEvent,
    ErrorEvent,
    MemoryChangeEvent,
    TextEvent,
    ToolCallEvent,
    ToolResultEvent,
)
from wellkept.wire.problems import ProblemAnswer

_ABOUT: Final = """\
Durable memory for AI agents. Every answer that is not a success is
`{"error": {"code", "message", "param"?, "details"?}}`, and its code is stable. Lists are `{"data", "nextCursor"}`.
A missing, deleted or foreign thing is the same 404. With the header `X-Wellkept-User-Id` (or `X-BA-User-Id`), or with
a key of one user, a request sees and changes what is that user's alone; agents of the tenant it may use.
"""
_TOLD: Final = (TextEvent, ToolCallEvent, ToolResultEvent, MemoryChangeEvent)
_EVENTS: Final[dict[str, tuple[type[msgspec.Struct], ...]]] = {
    "TurnEvent": (*_TOLD, DoneEvent, ErrorEvent),
    "ChatEvent": (*_TOLD, ChatDoneEvent, ErrorEvent),
}


@cache
def document() -> bytes:
    """Give the OpenAPI document as JSON."""
    return msgspec.json.encode(described())


def described() -> JsonObject:
    """Describe the interface as OpenAPI 3.1 has it."""
    schemas = components(_kinds())
    for name, kinds in _EVENTS.items():
        schemas[name] = {"oneOf": [reference(kind) for kind in kinds]}
    paths: defaultdict[str, JsonObject] = defaultdict(dict)
    for endpoint in ENDPOINTS:
        paths[endpoint.path][endpoint.method.lower()] = _operation(endpoint, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Wellkept", "version": version("wellkept"), "description": _ABOUT},
        "paths": dict(paths),
        "components": {
            "schemas": {name: schemas[name] for name in sorted(schemas)},
            "parameters": shared_parameters(),
            "headers": shared_headers(),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": "An API key, `wk_…`."}},
        },
        "security": [{"key": []}],
    }


def _operation(endpoint: Endpoint[object], schemas: dict[str, JsonObject]) -> JsonObject:
    operation: JsonObject = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "tags": [endpoint.name.partition(".")[0]],
        "parameters": parameters(endpoint, schemas),
        "responses": responses(endpoint),
    }
    if endpoint.body is not NoBody:
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": reference(endpoint.body)}}}
    if not endpoint.needs_key:
        operation["security"] = []
    return operation


def _kinds() -> list[type[msgspec.Struct]]:
    found: list[type[msgspec.Struct]] = [ProblemAnswer]
    for kinds in _EVENTS.values():
        found += kinds
    for endpoint in ENDPOINTS:
        found += [endpoint.body, endpoint.query]
        if issubclass(endpoint.answer, msgspec.Struct):
            found.append(endpoint.answer)
    return list(dict.fromkeys(found))
