"""Memories over HTTP."""

import re
from datetime import datetime

import httpx2

from house import House

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z")


async def create(http: httpx2.AsyncClient, agent: str, text: str, **more: object) -> dict[str, str]:
    answer = await http.post(f"/v1/agents/{agent}/memories", json={"text": text, **more})
    assert answer.status_code == 201, answer.text
    memory: dict[str, str] = answer.json()["memory"]
    return memory


async def test_a_memory_is_made_and_says_where_it_is(http: httpx2.AsyncClient, agent: str) -> None:
    answer = await http.post(f"/v1/agents/{agent}/memories", json={"text": "Prefers tea", "userId": "u1"})
    assert answer.status_code == 201
    memory = answer.json()["memory"]
    assert answer.headers["Location"] == f"/v1/agents/{agent}/memories/{memory['id']}"
    assert answer.headers["ETag"] == f'"{memory["etag"]}"'
    assert (memory["text"], memory["userId"], memory["agentId"]) == ("Prefers tea", "u1", agent)
    assert re.fullmatch(r"mem_[0-9A-Za-z]{16}", memory["id"])
    for name in ("createdAt", "updatedAt", "lastAccessedAt"):
        assert TIME.fullmatch(memory[name])
        assert datetime.fromisoformat(memory[name]).tzinfo is not None
    again = await http.get(answer.headers["Location"])
    assert again.json() == answer.json()


async def test_lists_are_pages_newest_first(http: httpx2.AsyncClient, agent: str) -> None:
    made = [(await create(http, agent, f"row {number}"))["id"] for number in range(5)]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        query = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
        page = (await http.get(f"/v1/agents/{agent}/memories", params=query)).json()
        assert set(page) == {"data", "nextCursor"}
        seen += [row["id"] for row in page["data"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert seen == made[::-1]


async def test_search_finds_by_words_in_one_partition(http: httpx2.AsyncClient, agent: str) -> None:
    wanted = await create(http, agent, "Prefers heliotrope accents", userId="a")
    await create(http, agent, "heliotrope as well", userId="b")
    query = {"userId": "a", "search": "heliotrope"}
    page = (await http.get(f"/v1/agents/{agent}/memories", params=query)).json()
    assert [row["id"] for row in page["data"]] == [wanted["id"]]
    ranked = (await http.get(f"/v1/agents/{agent}/memories", params=query | {"mode": "ranked"})).json()
    assert [row["id"] for row in ranked["data"]] == [wanted["id"]]


async def test_an_empty_user_id_is_the_general_partition(http: httpx2.AsyncClient, agent: str) -> None:
    general = await create(http, agent, "for all")
    await create(http, agent, "for one", userId="a")
    page = (await http.get(f"/v1/agents/{agent}/memories", params={"userId": ""})).json()
    assert [row["id"] for row in page["data"]] == [general["id"]]


async def test_a_text_is_replaced_and_a_row_deleted(http: httpx2.AsyncClient, agent: str) -> None:
    memory = await create(http, agent, "old")
    path = f"/v1/agents/{agent}/memories/{memory['id']}"
    changed = await http.patch(path, json={"text": "new", "pinned": True})
    assert (changed.status_code, changed.json()["memory"]["text"]) == (200, "new")
    assert changed.json()["memory"]["pinned"] is True
    gone = await http.delete(path)
    assert (gone.status_code, gone.content) == (204, b"")
    assert (await http.get(path)).status_code == 404
    assert (await http.delete(path)).status_code == 404


async def test_a_patch_changes_at_least_one_field(http: httpx2.AsyncClient, agent: str) -> None:
    memory = await create(http, agent, "old")
    answer = await http.patch(f"/v1/agents/{agent}/memories/{memory['id']}", json={})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "validation_failed")


async def test_a_cursor_is_good_for_its_own_list_only(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    for number in range(2):
        await create(http, agent, f"row {number}")
    cursor = (await http.get(f"/v1/agents/{agent}/memories", params={"limit": "1"})).json()["nextCursor"]
    other = await house.agent()
    for path in (
        f"/v1/agents/{other}/memories",
        f"/v1/agents/{agent}/versions",
        f"/v1/agents/{agent}/memories?userId=a",
    ):
        answer = await http.get(path, params={"cursor": cursor} | dict(httpx2.URL(path).params))
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_cursor"), path
    for bad in ("AAAA", "", "é", cursor + "A", cursor[:-1]):
        answer = await http.get(f"/v1/agents/{agent}/memories", params={"cursor": bad})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_cursor"), bad


async def test_what_belongs_to_others_is_not_there(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    memory = await create(http, agent, "ours")
    path = f"/v1/agents/{agent}/memories"
    async with house.client(house.their_key) as theirs:
        answers = [
            await theirs.get(path),
            await theirs.post(path, json={"text": "x"}),
            await theirs.get(f"{path}/{memory['id']}"),
            await theirs.patch(f"{path}/{memory['id']}", json={"text": "x"}),
            await theirs.delete(f"{path}/{memory['id']}"),
        ]
        missing = await theirs.get("/v1/agents/ag_nothing/memories")
    assert {answer.status_code for answer in answers} == {404}
    assert {answer.text for answer in answers} == {missing.text}
    other = await house.agent()
    assert (await http.get(f"/v1/agents/{other}/memories/{memory['id']}")).status_code == 404


async def test_a_malformed_memory_id_is_refused_and_an_agents_is_not_found(
    http: httpx2.AsyncClient, agent: str
) -> None:
    answer = await http.get(f"/v1/agents/{agent}/memories/nonsense")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["param"]) == (400, "validation_failed", "memoryId")
    assert error["details"]["issues"][0]["location"] == "path"
    for bad in ("%00", "%20", "..%2f..%2fadmin", "a" * 300):
        assert (await http.get(f"/v1/agents/{bad}/memories")).status_code == 404


async def test_the_same_key_makes_one_memory(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    path, headers = f"/v1/agents/{agent}/memories", {"Idempotency-Key": "k-1"}
    first = await http.post(path, json={"text": "a"}, headers=headers)
    again = await http.post(path, content=b'{ "text" : "a" }', headers=headers | {"Content-Type": "application/json"})
    assert (again.status_code, again.json()) == (201, first.json())
    other = await http.post(path, json={"text": "b"}, headers=headers)
    assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_mismatch")
    async with house.user("u1") as one, house.user("u2") as two:
        mine = await one.post(path, json={"text": "a"}, headers=headers)
        theirs = await two.post(path, json={"text": "a"}, headers=headers)
    assert len({answer.json()["memory"]["id"] for answer in (first, mine, theirs)}) == 3
    for bad in ("", "a b", "x" * 201, "é"):
        answer = await http.post(path, json={"text": "a"}, headers=[("Idempotency-Key", bad.encode())])
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, "Idempotency-Key"), bad


async def test_evictions_are_counted(house: House, http: httpx2.AsyncClient) -> None:
    made = await http.post("/v1/agents", json={"name": "Small", "memories": {"poolCap": 2}})
    for number in range(5):
        await create(http, made.json()["id"], f"row {number}")
    assert house.metrics.registry.get_sample_value("wellkept_memory_events_total", {"kind": "memories_evicted"}) == 3
