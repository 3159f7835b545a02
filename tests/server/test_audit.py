"""`GET /v1/audit`: who changed what, for who sees the whole tenant."""

from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from house import OURS, House
from wellkept.contract.events import Event
from wellkept.model.audit import AuditFilter
from wellkept.model.text import etag_of

INVALID = (400, "validation_failed")


async def entries(http: httpx2.AsyncClient, **query: str) -> list[Any]:
    answer = await http.get("/v1/audit", params=query)
    assert answer.status_code == 200, answer.text
    data: list[Any] = answer.json()["data"]
    return data


async def test_an_entry_says_all_there_is(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    made = (await http.post(f"/v1/agents/{agent}/memories", json={"text": "heliotrope", "userId": "maya"})).json()
    (entry,) = await entries(http, action="memory.created")
    ours = (await house.services.keys.list(OURS))[0].id
    assert {**entry, "id": "", "at": ""} == {
        "id": "",
        "at": "",
        "action": "memory.created",
        "actor": {"role": "admin_key", "keyId": ours, "userId": None},
        "agentId": agent,
        "userId": "maya",
        "sessionId": None,
        "target": made["memory"]["id"],
        "scope": None,
        "owner": None,
        "etagBefore": None,
        "etagAfter": etag_of("heliotrope"),
        "version": None,
        "count": None,
        "memories": [],
    }
    assert datetime.fromisoformat(entry["at"]).tzinfo is not None


async def test_it_says_with_which_key_and_for_which_user(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    key = (await http.post("/v1/keys", json={"name": "maya", "userId": "maya"})).json()
    path = f"/v1/agents/{agent}/memories"
    async with house.client(key["secret"]) as limited, house.user("max") as by_header:
        await limited.post(path, json={"text": "one"})
        await by_header.post(path, json={"text": "two"})
        await limited.post(f"/v1/agents/{agent}/turn/memories/save", json={"text": "three", "sessionId": "s"})
    ours = (await house.services.keys.list(OURS))[-1].id
    actors = [(entry["actor"], entry["sessionId"]) for entry in await entries(http, action="memory.created")]
    assert actors == [
        ({"role": "user_turn", "keyId": key["key"]["id"], "userId": "maya"}, "s"),
        ({"role": "limited_key", "keyId": ours, "userId": "max"}, None),
        ({"role": "limited_key", "keyId": key["key"]["id"], "userId": "maya"}, None),
    ]
    assert [entry["actor"]["userId"] for entry in await entries(http, action="memory.created", userId="max")] == ["max"]


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_turn_names_its_key_also_when_it_is_streamed(
    house: House, http: httpx2.AsyncClient, agent: str, streamed: bool
) -> None:
    accept = {"Accept": "text/event-stream"} if streamed else {}
    body = {"message": "hi", "userId": "maya"}
    answer = await http.post(f"/v1/agents/{agent}/sessions/s1", json=body, headers=accept)
    assert answer.status_code == 200
    (opened,) = await entries(http, action="session.opened")
    ours = (await house.services.keys.list(OURS))[0].id
    assert opened["actor"] == {"role": "user_turn", "keyId": ours, "userId": "maya"}
    assert opened["sessionId"] == "s1"


async def test_filters_and_pages(http: httpx2.AsyncClient, agent: str) -> None:
    for number in range(3):
        await http.post(f"/v1/agents/{agent}/memories", json={"text": f"{number}", "userId": "maya"})
    query = {"agentId": agent, "userId": "maya", "action": "memory.created"}
    newest_first = await entries(http, **query)
    assert len(newest_first) == 3
    page = (await http.get("/v1/audit", params={**query, "limit": "2"})).json()
    rest = (await http.get("/v1/audit", params={**query, "limit": "2", "cursor": page["nextCursor"]})).json()
    assert page["data"] + rest["data"] == newest_first
    assert rest["nextCursor"] is None
    middle = newest_first[1]["at"]
    assert await entries(http, **query, since=middle) == newest_first[:2]
    assert await entries(http, **query, until=middle) == newest_first[2:]
    assert await entries(http, userId="max") == []
    answer = await http.get("/v1/audit", params={"cursor": page["nextCursor"]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_cursor")


@pytest.mark.parametrize(
    "query",
    [{"action": "none"}, {"since": "yesterday"}, {"since": "2026-01-01T00:00:00"}, {"limit": "101"}, {"x": "y"}],
)
async def test_a_filter_that_is_none_is_refused(http: httpx2.AsyncClient, query: dict[str, str]) -> None:
    answer = await http.get("/v1/audit", params=query)
    assert (answer.status_code, answer.json()["error"]["code"]) == INVALID


async def test_a_tenant_sees_its_own(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    assert await entries(http, agentId=agent)
    async with house.client(house.their_key) as theirs:
        assert await entries(theirs, agentId=agent) == []


async def test_who_is_limited_to_a_user_sees_none(house: House) -> None:
    async with house.user("maya") as mine:
        answer = await mine.get("/v1/audit")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")


async def test_reading_is_not_audited(http: httpx2.AsyncClient, agent: str) -> None:
    before = await entries(http)
    for path in ("/v1/audit", "/v1/keys", f"/v1/agents/{agent}", f"/v1/agents/{agent}/memories", "/v1/review"):
        assert (await http.get(path)).status_code == 200
    assert await entries(http) == before


async def test_what_the_log_missed_is_counted(house: House) -> None:
    house.metrics.heard(Event(kind="audit_failed", tenant=OURS, count=2))
    assert b'wellkept_memory_events_total{kind="audit_failed"} 2.0' in house.metrics.text()


async def test_what_the_program_does_itself_is_the_systems(house: House) -> None:
    page = await house.services.audit.list(OURS, which=AuditFilter(action="key.created", until=datetime.now(UTC)))
    assert [entry.actor.role for entry in page.data] == ["system"]
