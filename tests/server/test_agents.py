"""Agents, their versions, keys and held writes over HTTP."""

import re

import httpx2

from house import House
from wellkept.model.agents import AgentConfig
from wellkept.model.blocks import BlockSpec, WorkingMemorySpec


async def test_an_agent_is_made_bare_and_says_where_it_is(http: httpx2.AsyncClient) -> None:
    body = {"name": "Support Agent", "tools": ["memory"], "memoryInjectionEnabled": True, "metadata": {"team": "a"}}
    made = await http.post("/v1/agents", json=body)
    agent = made.json()
    assert made.status_code == 201
    assert made.headers["Location"] == f"/v1/agents/{agent['id']}"
    assert re.fullmatch(r"ag_[0-9A-Za-z]{16}", agent["id"])
    assert (agent["version"], agent["status"], agent["userId"]) == (1, "active", "")
    assert {name: agent[name] for name in body} == body
    assert (await http.get(made.headers["Location"])).json() == agent
    assert (await http.get("/v1/agents")).json() == {"data": [agent], "nextCursor": None}


async def test_an_update_is_a_new_version_of_what_is_there(http: httpx2.AsyncClient) -> None:
    first = (await http.post("/v1/agents", json={"name": "A", "instructions": "Be kind.", "tools": ["memory"]})).json()
    path = f"/v1/agents/{first['id']}"
    second = (await http.put(path, json={"tools": []})).json()
    assert (second["version"], second["tools"], second["instructions"]) == (2, [], "Be kind.")
    assert (await http.put(path, json={"tools": []})).json()["version"] == 3
    page = (await http.get(f"{path}/versions", params={"limit": "2"})).json()
    assert [row["version"] for row in page["data"]] == [3, 2]
    rest = (await http.get(f"{path}/versions", params={"cursor": page["nextCursor"]})).json()
    assert [row["version"] for row in rest["data"]] == [1]
    assert (await http.get(f"{path}/versions/1")).json()["tools"] == ["memory"]


async def test_an_update_is_checked_like_a_new_agent(http: httpx2.AsyncClient, agent: str) -> None:
    for body in ({}, {"name": ""}, {"tools": ["rm"]}, {"name": None}, {"extra": 1}, {"memories": {"poolCap": 0}}):
        answer = await http.put(f"/v1/agents/{agent}", json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "validation_failed"), body
    assert (await http.get(f"/v1/agents/{agent}")).json()["version"] == 1


async def test_versions_that_are_not_there(http: httpx2.AsyncClient, agent: str) -> None:
    answer = await http.get(f"/v1/agents/{agent}/versions/9")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "agent_version_not_found")
    for bad in ("0", "-1", "1.0", "x", "٣", "9" * 30, "2147483648"):
        answer = await http.get(f"/v1/agents/{agent}/versions/{bad}")
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, "version"), bad


async def test_a_disabled_agent_runs_no_turns(http: httpx2.AsyncClient, agent: str) -> None:
    assert (await http.post(f"/v1/agents/{agent}/disable")).json()["status"] == "disabled"
    answer = await http.post(f"/v1/agents/{agent}/context", json={})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "agent_disabled")
    assert (await http.get(f"/v1/agents/{agent}/memories")).status_code == 200
    assert (await http.post(f"/v1/agents/{agent}/enable")).json()["status"] == "active"
    assert (await http.post(f"/v1/agents/{agent}/context", json={})).status_code == 200


async def test_a_deleted_agent_takes_its_memories_along(http: httpx2.AsyncClient, agent: str) -> None:
    await http.post(f"/v1/agents/{agent}/memories", json={"text": "x"})
    assert (await http.delete(f"/v1/agents/{agent}", params={"includeArtifacts": "true"})).status_code == 204
    assert (await http.get(f"/v1/agents/{agent}/memories")).status_code == 404


async def test_the_same_key_makes_one_agent(http: httpx2.AsyncClient) -> None:
    first = await http.post("/v1/agents", json={"name": "A"}, headers={"Idempotency-Key": "k"})
    again = await http.post("/v1/agents", json={"name": "A"}, headers={"Idempotency-Key": "k"})
    assert again.json() == first.json()
    other = await http.post("/v1/agents", json={"name": "B"}, headers={"Idempotency-Key": "k"})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_mismatch")


async def test_agents_of_one_tenant_are_not_there_for_another(
    house: House, http: httpx2.AsyncClient, agent: str
) -> None:
    async with house.client(house.their_key) as theirs:
        assert (await theirs.get("/v1/agents")).json()["data"] == []
        for method, path in (("GET", ""), ("PUT", ""), ("DELETE", ""), ("POST", "/disable"), ("GET", "/versions")):
            json = {"name": "x"} if method == "PUT" else None
            assert (await theirs.request(method, f"/v1/agents/{agent}{path}", json=json)).status_code == 404
    assert (await http.get(f"/v1/agents/{agent}")).status_code == 200


async def test_a_key_is_shown_once(http: httpx2.AsyncClient) -> None:
    made = await http.post("/v1/keys", json={"name": "laptop"})
    assert made.status_code == 201
    assert re.fullmatch(r"wk_[0-9A-Za-z]{40}", made.json()["secret"])
    listed = await http.get("/v1/keys")
    assert made.json()["key"] in listed.json()["data"]
    assert made.json()["secret"] not in listed.text
    again = await http.post("/v1/keys", json={"name": "laptop"})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "already_exists")
    path = f"/v1/keys/{made.json()['key']['id']}"
    assert (await http.delete(path)).status_code == 204
    assert (await http.delete(path)).status_code == 404


async def test_a_held_write_is_approved_or_rejected(house: House, http: httpx2.AsyncClient) -> None:
    blocks = WorkingMemorySpec(auto_load=(BlockSpec("agent", "MEMORY", write="review"),))
    agent = await house.agent(config=AgentConfig(name="Careful", working_memory=blocks))
    edit = {"userId": "u", "block": "MEMORY", "edit": {"action": "add", "content": "Closed on Mondays"}}
    held = [(await http.post(f"/v1/agents/{agent}/turn/blocks/edit", json=edit)).json() for _ in range(2)]
    assert {answer["state"] for answer in held} == {"held"}
    page = (await http.get("/v1/review")).json()
    assert [row["id"] for row in page["data"]] == [held[1]["held"], held[0]["held"]]
    path = f"/v1/review/{held[0]['held']}"
    assert (await http.get(path)).json() == page["data"][1]
    async with house.client(house.their_key) as theirs:
        assert (await theirs.post(f"{path}/approve")).status_code == 404
    assert (await http.post(f"{path}/approve")).status_code == 200
    assert (await http.post(f"{path}/approve")).status_code == 404
    assert (await http.post(f"/v1/review/{held[1]['held']}/reject")).status_code == 200
    block = await http.get("/v1/blocks/agent/MEMORY", params={"owner": agent})
    assert block.json()["text"] == "Closed on Mondays"
    assert house.metrics.registry.get_sample_value("wellkept_memory_events_total", {"kind": "write_held"}) == 2


async def test_a_turns_memory_is_what_it_sees(house: House, http: httpx2.AsyncClient) -> None:
    blocks = WorkingMemorySpec(auto_load=(BlockSpec("user", "USER"),))
    agent = await house.agent(config=AgentConfig(name="A", tools=("memory",), working_memory=blocks))
    turn = f"/v1/agents/{agent}/turn"
    who = {"userId": "u"}
    declared = (await http.post(turn, json=who)).json()
    assert [block["key"] for block in declared["blocks"]] == ["USER"]
    edited = await http.post(
        f"{turn}/blocks/edit", json=who | {"block": "USER", "edit": {"action": "add", "content": "Sam"}}
    )
    assert edited.json()["state"] == "done"
    assert (await http.post(f"{turn}/blocks/view", json=who | {"block": "USER"})).json()["text"] == "Sam"
    assert "Sam" in (await http.post(f"/v1/agents/{agent}/context", json=who)).json()["text"]
    saved = (await http.post(f"{turn}/memories/save", json=who | {"text": "likes tea"})).json()["memory"]["id"]
    found = await http.post(f"{turn}/memories/search", json=who | {"query": "tea"})
    assert [row["memory"]["id"] for row in found.json()["data"]] == [saved]
    one = who | {"memoryId": saved}
    assert (await http.post(f"{turn}/memories/get", json=one)).json()["memory"]["text"] == "likes tea"
    changed = await http.post(f"{turn}/memories/update", json=one | {"text": "likes coffee"})
    assert changed.json()["memory"]["text"] == "likes coffee"
    assert (await http.post(f"{turn}/memories/get", json=one | {"userId": "v"})).status_code == 404
    assert (await http.post(f"{turn}/memories/delete", json=one)).json()["state"] == "done"
    assert (await http.post(f"{turn}/blocks/view", json=who | {"block": "OTHER"})).status_code == 422
    assert (await http.post(f"{turn}/memories/get", json=who | {"memoryId": "nonsense"})).status_code == 400
