"""The table of endpoints, and the values that travel."""

import re

import msgspec
import pytest

from wellkept.model.agents import AgentConfig
from wellkept.model.errors import InvalidInput
from wellkept.wire.agents import AgentAnswer, AgentCreate, AgentUpdate, AgentVersionAnswer
from wellkept.wire.endpoint import Endpoint
from wellkept.wire.endpoints import ENDPOINTS
from wellkept.wire.events import ChatEvent, TextEvent, ToolCallEvent, TurnEvent
from wellkept.wire.problems import STATUS


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_an_endpoint_is_whole(endpoint: Endpoint[object]) -> None:
    assert re.fullmatch(r"[a-z]+\.[a-z_]+", endpoint.name)
    assert re.fullmatch(r"(/[a-z0-9]+|/\{[a-zA-Z]+\})+", endpoint.path)
    assert endpoint.summary
    assert all(error in STATUS for error in endpoint.errors)
    assert (endpoint.status == 201) >= bool(endpoint.location)
    assert endpoint.method == "GET" or endpoint.etags not in ("tells", "reads")


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_what_is_asked_is_strict(endpoint: Endpoint[object]) -> None:
    for kind in (endpoint.query, endpoint.body):
        assert kind.__struct_config__.forbid_unknown_fields


def test_an_agent_begins_with_what_names_it() -> None:
    first = ("id", "tenantId", "userId", "version", "status")
    assert AgentAnswer.__struct_encode_fields__[: len(first)] == first
    assert AgentVersionAnswer.__struct_encode_fields__[:2] == ("agentId", "version")


def test_an_agents_first_version_is_what_was_sent_without_whose_it_is() -> None:
    sent = {"name": "A", "tools": ["memory"], "userId": "u", "metadata": {"a": "b"}}
    made = msgspec.convert(sent, AgentCreate)
    assert made.config() == AgentConfig(name="A", tools=("memory",), metadata={"a": "b"})
    with pytest.raises(InvalidInput):
        msgspec.convert(sent | {"name": ""}, AgentCreate)


def test_an_update_tells_absent_from_null() -> None:
    assert msgspec.convert({"model": None}, AgentUpdate).changes() == {"model": None}
    assert msgspec.convert({}, AgentUpdate).changes() == {}


@pytest.mark.parametrize("kind", [TurnEvent, ChatEvent])
def test_events_come_back_by_their_type(kind: type) -> None:
    for event in (TextEvent(text="a"), ToolCallEvent(id="1", name="x", arguments={"a": [1]})):
        assert msgspec.json.decode(msgspec.json.encode(event), type=kind) == event
