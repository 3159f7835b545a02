"""What the clients take from the environment."""

from typing import Any

import httpx2
import pytest

import wellkept
from wellkept.model.errors import InvalidInput, Misconfigured


@pytest.fixture(params=["Client", "AsyncClient"])
def kind(request: pytest.FixtureRequest) -> Any:
    return getattr(wellkept, request.param)


def address(client: Any) -> str:
    return client._sender.connection.base_url


def test_without_a_key_there_is_no_client(kind: Any) -> None:
    with pytest.raises(Misconfigured, match="WELLKEPT_API_KEY"):
        kind()


def test_arguments_come_first(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLKEPT_API_KEY", "wk_environment")
    assert address(kind()) == "http://127.0.0.1:8787"
    monkeypatch.setenv("WELLKEPT_BASE_URL", "https://memory.test")
    assert address(kind()) == "https://memory.test"
    client = kind(api_key="wk_argument", base_url="http://other.test")
    assert (address(client), client._sender.connection.api_key) == ("http://other.test", "wk_argument")
    assert kind()._sender.connection.api_key == "wk_environment"


def test_an_empty_argument_is_no_missing_one(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLKEPT_API_KEY", "wk_environment")
    for options in ({"api_key": ""}, {"base_url": ""}):
        with pytest.raises(InvalidInput):
            kind(**options)


def test_the_documented_example() -> None:
    """DESIGN §2.8, line by line."""
    row = {
        "id": "mem_0123456789abcdef",
        "tenantId": "ten_1",
        "agentId": "ag_1",
        "userId": "customer-42",
        "text": "Prefers heliotrope accents in generated reports.",
        **dict.fromkeys(("createdAt", "updatedAt", "lastAccessedAt"), "2026-01-02T03:04:05Z"),
    }
    record = {
        "id": "ag_1",
        "tenantId": "ten_1",
        "userId": "",
        "version": 1,
        "status": "active",
        "name": "Support Agent",
    }
    record |= dict.fromkeys(("createdAt", "updatedAt"), "2026-01-02T03:04:05Z")

    def answer(request: httpx2.Request) -> httpx2.Response:
        match request.method, request.url.path:
            case "POST", "/v1/agents":
                return httpx2.Response(201, json=record)
            case "POST", "/v1/agents/ag_1/memories":
                return httpx2.Response(201, json={"memory": row})
            case _:
                return httpx2.Response(200, json={"data": [row], "nextCursor": None})

    transport = httpx2.MockTransport(answer)
    with wellkept.Client(api_key="wk_x", base_url="http://127.0.0.1:8787", transport=transport) as client:
        agent = client.agents.create(name="Support Agent", tools=["memory"], memory_injection_enabled=True)
        created = client.memories.create(
            agent.id, user_id="customer-42", text="Prefers heliotrope accents in generated reports."
        )
        page = client.memories.list(agent.id, user_id="customer-42", search="heliotrope")
        assert page.data[0].id == created.memory.id
