"""The published client of the other system (PyPI `blazing-agents`) works against ours, unchanged."""

import time
from collections.abc import Iterator

import pytest
from blazing_agents import APIStatusError, AsyncBlazingAgents, BlazingAgents

from running_server import Running, running
from store_places import placed


@pytest.fixture(scope="module", params=["inproc://", "sqlite:///{tmp}/data.db", "{postgresql}"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(placed(request.param, tmp_path_factory.mktemp("data"))) as made:
        yield made


@pytest.fixture
def client(server: Running) -> Iterator[BlazingAgents]:
    with BlazingAgents(api_key=server.key, base_url=server.url) as made:
        yield made


def test_a_memory_lives_its_whole_life(server: Running, client: BlazingAgents) -> None:
    created = client.memories.create(
        agent_id=server.agent, user_id="customer-42", text="Prefers heliotrope accents in generated reports."
    )
    memory = created.memory
    assert (memory.user_id, memory.agent_id) == ("customer-42", server.agent)
    assert memory.created_at.tzinfo is not None
    page = client.memories.list(agent_id=server.agent, user_id="customer-42", search="heliotrope")
    assert [row.id for row in page.data] == [memory.id]
    assert page.next_cursor is None
    assert client.memories.list(agent_id=server.agent, user_id="customer-43", search="heliotrope").data == []
    assert client.memories.get(agent_id=server.agent, memory_id=memory.id).memory == memory
    updated = client.memories.update(agent_id=server.agent, memory_id=memory.id, text="Prefers mauve.").memory
    assert (updated.text, updated.created_at) == ("Prefers mauve.", memory.created_at)
    assert updated.last_accessed_at >= memory.last_accessed_at
    client.memories.delete(agent_id=server.agent, memory_id=memory.id)
    with pytest.raises(APIStatusError) as caught:
        client.memories.get(agent_id=server.agent, memory_id=memory.id)
    assert (caught.value.status_code, caught.value.code) == (404, "not_found")
    assert (caught.value.request_id or "").startswith("req_")


def test_all_pages_are_read_lazily(server: Running, client: BlazingAgents) -> None:
    made = [
        client.memories.create(agent_id=server.agent, user_id="pages", text=f"row {number}").memory.id
        for number in range(5)
    ]
    rows = client.memories.iter(agent_id=server.agent, user_id="pages", limit=2)
    assert [row.id for row in rows] == made[::-1]


def test_errors_are_the_clients_own(server: Running, client: BlazingAgents) -> None:
    with pytest.raises(APIStatusError) as caught:
        client.memories.create(agent_id=server.agent, text="é" * 5_121)
    error = caught.value
    assert (error.status_code, error.code, error.param) == (400, "validation_failed", "text")
    assert error.details is not None
    [issue] = error.details["issues"]
    assert (issue["location"], issue["path"]) == ("body", "/text")
    assert "Memory text must be at most 10240 bytes" in issue["message"]
    with pytest.raises(APIStatusError) as caught:
        client.memories.list(agent_id=server.agent, cursor="AAAA")
    assert (caught.value.status_code, caught.value.code) == (400, "invalid_cursor")
    with pytest.raises(APIStatusError) as caught:
        client.memories.list(agent_id="ag_0000000000000000")
    assert (caught.value.status_code, caught.value.code) == (404, "not_found")
    with BlazingAgents(api_key="wk_unknown", base_url=server.url) as stranger, pytest.raises(APIStatusError) as caught:
        stranger.memories.list(agent_id=server.agent)
    assert (caught.value.status_code, caught.value.code) == (401, "unauthorized")


def test_a_client_for_a_user_is_held_to_that_user(server: Running, client: BlazingAgents) -> None:
    user = client.for_user("app:user 7/x")
    foreign = client.memories.create(agent_id=server.agent, user_id="somebody-else", text="private").memory
    general = client.memories.create(agent_id=server.agent, text="for all").memory
    own = user.memories.create(agent_id=server.agent, text="mine").memory
    assert own.user_id == "app:user 7/x"
    assert [row.id for row in user.memories.iter(agent_id=server.agent)] == [own.id]
    assert user.memories.update(agent_id=server.agent, memory_id=own.id, text="still mine").memory.text == "still mine"
    for other in (foreign, general):
        with pytest.raises(APIStatusError) as caught:
            user.memories.get(agent_id=server.agent, memory_id=other.id)
        assert (caught.value.status_code, caught.value.code) == (404, "not_found")
        with pytest.raises(APIStatusError) as caught:
            user.memories.delete(agent_id=server.agent, memory_id=other.id)
        assert caught.value.status_code == 404
    for attempt in (
        lambda: user.memories.create(agent_id=server.agent, user_id="somebody-else", text="x"),
        lambda: user.memories.list(agent_id=server.agent, user_id="somebody-else"),
    ):
        with pytest.raises(APIStatusError) as caught:
            attempt()
        assert (caught.value.status_code, caught.value.code) == (403, "user_mismatch")
    user.memories.delete(agent_id=server.agent, memory_id=own.id)


def test_the_callers_own_request_id_is_taken(server: Running, client: BlazingAgents) -> None:
    traced = client.with_options(client_request_id="trace-1")
    traced.memories.list(agent_id=server.agent)
    deadline = time.monotonic() + 5  # the line is written after the answer is sent
    while not (found := [line for line in server.house.logged() if line.get("client_request_id") == "trace-1"]):
        assert time.monotonic() < deadline
    assert found[0]["route"] == "/v1/agents/{agentId}/memories"


async def test_the_async_client_does_the_same(server: Running) -> None:
    async with AsyncBlazingAgents(api_key=server.key, base_url=server.url) as client:
        made = [
            (await client.memories.create(agent_id=server.agent, user_id="async", text=f"row {number}")).memory
            for number in range(3)
        ]
        rows = [row.id async for row in client.memories.iter(agent_id=server.agent, user_id="async", limit=2)]
        assert rows == [memory.id for memory in made][::-1]
        page = await client.memories.list(agent_id=server.agent, search="row", user_id="async", limit=1)
        assert page.next_cursor is not None
        one = await client.memories.get(agent_id=server.agent, memory_id=made[0].id)
        assert one.memory == made[0]
        changed = await client.memories.update(agent_id=server.agent, memory_id=made[0].id, text="new")
        assert changed.memory.text == "new"
        user = client.for_user("async")
        assert len([row async for row in user.memories.iter(agent_id=server.agent)]) == 3
        await user.memories.delete(agent_id=server.agent, memory_id=made[0].id)
        with pytest.raises(APIStatusError) as caught:
            await client.memories.get(agent_id=server.agent, memory_id=made[0].id)
        assert caught.value.code == "not_found"
