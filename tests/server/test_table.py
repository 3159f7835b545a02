"""The table of endpoints, its handlers and its document agree."""

import re
from typing import Any, get_args, get_type_hints

import pytest
import schemathesis

from wellkept.server.handlers import HANDLERS
from wellkept.server.openapi.document import described
from wellkept.wire.endpoint import Endpoint
from wellkept.wire.endpoints import ENDPOINTS
from wellkept.wire.problems import STATUS

BY_NAME = {endpoint.name: endpoint for endpoint in ENDPOINTS}
DOCUMENT: Any = described()


def test_every_endpoint_has_one_handler_and_the_other_way_round() -> None:
    assert len(BY_NAME) == len(ENDPOINTS)
    assert set(HANDLERS) == set(BY_NAME)


def test_no_two_endpoints_have_one_address() -> None:
    shapes = [(endpoint.method, re.sub(r"\{\w+\}", "{}", endpoint.path)) for endpoint in ENDPOINTS]
    assert sorted(shapes) == sorted(set(shapes))


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_a_handler_takes_the_query_and_body_of_its_endpoint(endpoint: Endpoint[object]) -> None:
    query, body = get_args(get_type_hints(HANDLERS[endpoint.name])["call"])
    assert (query, body) == (endpoint.query, endpoint.body)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_every_error_of_an_endpoint_is_in_the_document(endpoint: Endpoint[object]) -> None:
    answers = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]["responses"]
    for error in endpoint.errors:
        assert f"`{error.code}`" in answers[str(STATUS[error])]["description"]


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(references, value.values()))
    return set().union(*map(references, value)) if isinstance(value, list) else set()


def test_whatever_the_document_refers_to_is_in_it() -> None:
    for reference in references(DOCUMENT):
        part = DOCUMENT
        for step in reference.removeprefix("#/").split("/"):
            part = part[step]
        assert part


def test_the_document_is_openapi() -> None:
    schemathesis.openapi.from_dict(DOCUMENT).validate()


def test_times_have_their_format_and_answers_are_whole() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert schemas["Memory"]["properties"]["createdAt"]["format"] == "date-time"
    assert schemas["KeyAnswer"]["properties"]["revokedAt"]["anyOf"][0]["format"] == "date-time"
    assert set(schemas["MemoriesPage"]["required"]) == {"data", "nextCursor"}
    assert schemas["MemoryCreate"]["required"] == ["text"]
    assert schemas["MemoryCreate"]["additionalProperties"] is False


def test_every_operation_says_what_a_key_is_needed_for() -> None:
    for endpoint in ENDPOINTS:
        operation = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]
        assert (operation.get("security") == []) is not endpoint.needs_key
        assert ("401" in operation["responses"]) is endpoint.needs_key
