"""A credential that is limited to a user: by the header, by the other header, or by its key."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from house import House
from wellkept.wire.endpoints import ENDPOINTS

ME, OTHER = "app:user 1/é".replace("é", "e"), "other"


@pytest.fixture(params=["X-Wellkept-User-Id", "X-BA-User-Id", "key"])
async def mine(
    house: House, http: httpx2.AsyncClient, request: pytest.FixtureRequest
) -> AsyncIterator[httpx2.AsyncClient]:
    """A client that is limited to ME, in each way there is."""
    if request.param == "key":
        secret = (await http.post("/v1/keys", json={"name": "mine", "userId": ME})).json()["secret"]
        client = house.client(secret)
    else:
        client = house.client(**{request.param: ME})
    async with client:
        yield client


async def test_it_has_the_memories_of_its_user_alone(
    http: httpx2.AsyncClient, mine: httpx2.AsyncClient, agent: str
) -> None:
    path = f"/v1/agents/{agent}/memories"
    foreign = [
        (await http.post(path, json={"text": "heliotrope", "userId": user})).json()["memory"]["id"]
        for user in ("", OTHER)
    ]
    made = await mine.post(path, json={"text": "heliotrope"})
    assert (made.status_code, made.json()["memory"]["userId"]) == (201, ME)
    own = made.json()["memory"]["id"]
    for query in ({}, {"userId": ME}, {"search": "heliotrope"}, {"search": "heliotrope", "mode": "ranked"}):
        assert [row["id"] for row in (await mine.get(path, params=query)).json()["data"]] == [own]
    for id in foreign:
        assert (await mine.get(f"{path}/{id}")).status_code == 404
        assert (await mine.patch(f"{path}/{id}", json={"text": "x"})).status_code == 404
        assert (await mine.delete(f"{path}/{id}")).status_code == 404
    assert (await mine.patch(f"{path}/{own}", json={"text": "y"})).status_code == 200
    assert (await mine.delete(f"{path}/{own}")).status_code == 204
    assert len((await http.get(path)).json()["data"]) == 2


async def test_another_user_is_a_mismatch_wherever_it_is_named(
    http: httpx2.AsyncClient, mine: httpx2.AsyncClient, agent: str
) -> None:
    base = f"/v1/agents/{agent}"
    answers = [
        await mine.post(f"{base}/memories", json={"text": "x", "userId": OTHER}),
        await mine.get(f"{base}/memories", params={"userId": OTHER}),
        await mine.get(f"{base}/memories", params={"userId": ""}),
        await mine.post("/v1/agents", json={"name": "x", "userId": OTHER}),
        await mine.get("/v1/agents", params={"userId": OTHER}),
        await mine.get("/v1/blocks", params={"scope": "user", "owner": OTHER}),
        await mine.put("/v1/blocks/user/USER", params={"owner": OTHER}, json={"text": "x"}),
        await mine.patch(
            "/v1/blocks/shared/X", params={"owner": OTHER}, json={"edit": {"action": "add", "content": "x"}}
        ),
        await mine.post(f"{base}/context", json={"userId": OTHER}),
        await mine.post(f"{base}/turn/memories/save", json={"userId": OTHER, "text": "x"}),
        await mine.post(f"{base}/sessions", json={"userId": OTHER, "message": "x"}),
        await mine.post(f"{base}/generation", json={"userId": OTHER, "prompt": "x"}),
        await mine.get(f"{base}/sessions", params={"userId": OTHER}),
        await mine.post("/api/chat", json={"userId": OTHER, "message": "x", "agentId": agent}),
        await mine.post("/api/chat/sse", json={"userId": OTHER, "message": "x", "agentId": agent}),
        await mine.get("/api/session/s", params={"userId": OTHER, "agentId": agent}),
    ]
    assert {(answer.status_code, answer.json()["error"]["code"]) for answer in answers} == {(403, "user_mismatch")}
    assert (await http.get(f"{base}/memories")).json()["data"] == []


async def test_it_sees_and_changes_its_own_agents_and_uses_the_tenants(
    house: House, http: httpx2.AsyncClient, mine: httpx2.AsyncClient, agent: str
) -> None:
    made = await mine.post("/v1/agents", json={"name": "My own"})
    own = made.json()["id"]
    assert made.json()["userId"] == ME
    foreign = await house.agent(user_id=OTHER)
    assert [row["id"] for row in (await mine.get("/v1/agents")).json()["data"]] == [own]
    for path in ("", "/versions", "/versions/1"):
        assert (await mine.get(f"/v1/agents/{own}{path}")).status_code == 200
    for id in (agent, foreign):
        answers = [
            await mine.get(f"/v1/agents/{id}"),
            await mine.put(f"/v1/agents/{id}", json={"name": "x"}),
            await mine.delete(f"/v1/agents/{id}"),
            await mine.post(f"/v1/agents/{id}/disable"),
            await mine.post(f"/v1/agents/{id}/enable"),
            await mine.get(f"/v1/agents/{id}/versions"),
            await mine.get(f"/v1/agents/{id}/versions/1"),
        ]
        assert {answer.status_code for answer in answers} == {404}
    assert (await mine.post(f"/v1/agents/{agent}/memories", json={"text": "x"})).status_code == 201
    assert (await mine.post(f"/v1/agents/{agent}/generation", json={"prompt": "x"})).status_code == 200
    for path, body in (("memories", {"text": "x"}), ("generation", {"prompt": "x"}), ("context", {}), ("turn", {})):
        assert (await mine.post(f"/v1/agents/{foreign}/{path}", json=body)).status_code == 404
    assert (await mine.put(f"/v1/agents/{own}", json={"name": "Renamed"})).json()["version"] == 2
    assert (await mine.delete(f"/v1/agents/{own}")).status_code == 204


async def test_it_has_the_blocks_that_its_user_owns(
    http: httpx2.AsyncClient, mine: httpx2.AsyncClient, agent: str
) -> None:
    for scope in ("user", "shared"):
        path, query = f"/v1/blocks/{scope}/USER", {"owner": ME}
        assert (await mine.put(path, params=query, json={"text": "mine"})).status_code == 200
        assert (await mine.get(path, params=query)).json()["text"] == "mine"
        assert (await mine.get(f"{path}/revisions", params=query)).status_code == 200
        assert (await mine.delete(path, params=query)).status_code == 204
    answers = [
        await mine.get("/v1/blocks", params={"scope": "agent", "owner": agent}),
        await mine.get("/v1/blocks/agent/MEMORY", params={"owner": agent}),
        await mine.put("/v1/blocks/agent/MEMORY", params={"owner": ME}, json={"text": "x"}),
    ]
    assert {(answer.status_code, answer.json()["error"]["code"]) for answer in answers} == {(403, "forbidden")}


async def test_its_turns_are_its_users(house: House, mine: httpx2.AsyncClient, agent: str) -> None:
    await mine.post(f"/v1/agents/{agent}/sessions", json={"message": "hi", "sessionId": "s"})
    await mine.post(f"/v1/agents/{agent}/sessions/s", json={"message": "hi"})
    await mine.post(f"/v1/agents/{agent}/generation", json={"prompt": "hi"})
    await mine.post("/api/chat", json={"message": "hi", "agentId": agent})
    assert {turn.user for turn, _ in house.turns.turns} == {ME}
    assert len(house.turns.turns) == 4
    saved = await mine.post(f"/v1/agents/{agent}/turn/memories/save", json={"text": "likes tea"})
    assert saved.json()["memory"]["userId"] == ME


async def test_it_has_the_sessions_of_its_user(http: httpx2.AsyncClient, mine: httpx2.AsyncClient, agent: str) -> None:
    path = f"/v1/agents/{agent}/sessions"
    for session, user in (("theirs", OTHER), ("nobodys", None)):
        await http.post(path, json={"message": "hi", "sessionId": session} | ({"userId": user} if user else {}))
    await mine.post(path, json={"message": "hi", "sessionId": "mine"})
    assert [row["id"] for row in (await mine.get(path)).json()["data"]] == ["mine"]
    assert (await mine.get(f"{path}/mine/messages")).status_code == 200
    for session in ("theirs", "nobodys"):
        answers = [
            await mine.get(f"{path}/{session}"),
            await mine.get(f"{path}/{session}/messages"),
            await mine.delete(f"{path}/{session}"),
            await mine.get(f"/api/session/{session}", params={"agentId": agent}),
            await mine.delete(f"/api/session/{session}", params={"agentId": agent}),
        ]
        assert {answer.status_code for answer in answers} == {404}
    assert (await mine.delete(f"{path}/mine")).status_code == 204


@pytest.mark.parametrize(
    "endpoint", [one for one in ENDPOINTS if one.needs_key and not one.for_user], ids=lambda endpoint: endpoint.name
)
async def test_administration_is_forbidden(house: House, endpoint: object) -> None:
    async with house.user(ME) as mine:
        answer = await mine.request(endpoint.method, endpoint.path)  # type: ignore[attr-defined]
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")


async def test_tools_of_a_turn_are_not_shown_to_it(house: House, mine: httpx2.AsyncClient, agent: str) -> None:
    answer = await mine.post(
        f"/v1/agents/{agent}/generation",
        params={"internal": "true"},
        json={"prompt": "hi"},
        headers={"Accept": "text/event-stream"},
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")


@pytest.mark.parametrize("header", ["X-Wellkept-User-Id", "X-BA-User-Id"])
@pytest.mark.parametrize(
    "value", [b"", b" a", b"a ", b"a\tb", "é".encode("latin-1"), b"\xed\xa0\x80", b"\x7f", b"a" * 257, b"\x00"]
)
async def test_a_header_that_names_no_user_is_refused(http: httpx2.AsyncClient, header: str, value: bytes) -> None:
    answer = await http.get("/v1/agents", headers=[(header.encode(), value)])
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, header)


async def test_headers_and_key_that_differ_are_a_mismatch(house: House, http: httpx2.AsyncClient) -> None:
    secret = (await http.post("/v1/keys", json={"name": "mine", "userId": ME})).json()["secret"]
    async with house.client(secret) as mine:
        assert (await mine.get("/v1/agents", headers={"X-BA-User-Id": ME})).status_code == 200
        answers = [
            await mine.get("/v1/agents", headers={"X-BA-User-Id": OTHER}),
            await http.get("/v1/agents", headers={"X-BA-User-Id": OTHER, "X-Wellkept-User-Id": ME}),
            await http.get("/v1/agents", headers=[(b"X-BA-User-Id", b"a"), (b"X-BA-User-Id", b"b")]),
        ]
    assert {(answer.status_code, answer.json()["error"]["code"]) for answer in answers} == {(403, "user_mismatch")}
