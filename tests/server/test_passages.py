"""Past conversations over HTTP."""

from typing import Any

import httpx2
import pytest

from house import OURS, House, open_house
from wellkept.model.ids import AgentId, SessionId, UserId
from wellkept.model.passages import PassageOwner, Said
from wellkept.services.recall import Recall
from wellkept.testing.words_embedder import WordsEmbedder

SAID = [
    {"speaker": "Ann", "at": "2026-05-08T10:00:00Z", "text": "My sister keeps bees behind the old mill.", "number": 1},
    {"speaker": "Support", "at": "2026-05-08T10:00:05Z", "text": "How many hives has she?", "number": 2},
    {"speaker": "Ann", "at": "2026-05-08T10:00:09Z", "text": "Four, and a fifth in spring.", "number": 3},
]


async def ingest(http: httpx2.AsyncClient, agent: str, **more: Any) -> dict[str, int]:
    body = {"userId": "u1", "sessionId": "s1", "messages": SAID, **more}
    answer = await http.post(f"/v1/agents/{agent}/passages", json=body)
    assert answer.status_code == 200, answer.text
    counts: dict[str, int] = answer.json()
    return counts


async def found(http: httpx2.AsyncClient, agent: str, query: str, **more: Any) -> list[str]:
    answer = await http.post(f"/v1/agents/{agent}/recall", json={"userId": "u1", "query": query, **more})
    assert answer.status_code == 200, answer.text
    return [one["passage"]["text"] for one in answer.json()["data"]]


async def test_what_was_said_is_kept_once_and_found(http: httpx2.AsyncClient, agent: str) -> None:
    assert (await ingest(http, agent))["stored"] == 3
    again = await ingest(http, agent)
    assert (again["stored"], again["unchanged"]) == (0, 3)
    assert (await found(http, agent, "who keeps bees?"))[0] == SAID[0]["text"]


async def test_an_answer_says_when_by_whom_and_why(http: httpx2.AsyncClient, agent: str) -> None:
    await ingest(http, agent)
    body = {"userId": "u1", "query": "bees", "limit": 1}
    (one,) = (await http.post(f"/v1/agents/{agent}/recall", json=body)).json()["data"]
    assert (one["passage"]["speaker"], one["passage"]["at"]) == ("Ann", "2026-05-08T10:00:00Z")
    assert one["passage"]["sessionId"] == "s1"
    assert one["score"] > 0
    assert one["parts"]


async def test_another_text_of_the_same_message_replaces_it(http: httpx2.AsyncClient, agent: str) -> None:
    await ingest(http, agent, messages=[SAID[0] | {"id": "m1"}])
    counts = await ingest(http, agent, messages=[SAID[0] | {"id": "m1", "text": "My sister keeps goats."}])
    assert counts["replaced"] == 1
    assert await found(http, agent, "sister") == ["My sister keeps goats."]


async def test_no_other_user_finds_it(http: httpx2.AsyncClient, agent: str) -> None:
    await ingest(http, agent)
    assert await found(http, agent, "bees", userId="u2") == []


async def test_a_caller_limited_to_a_user_reaches_its_own_alone(house: House, agent: str) -> None:
    async with house.client() as http, house.user("u2") as theirs:
        await ingest(http, agent)
        refused = await theirs.post(f"/v1/agents/{agent}/recall", json={"userId": "u1", "query": "bees"})
        assert refused.status_code == 403
        listed = (await theirs.get(f"/v1/agents/{agent}/passages")).json()
        assert listed["data"] == []
        gone = await theirs.delete(f"/v1/agents/{agent}/passages", params={"sessionId": "s1"})
        assert gone.json() == {"deleted": 0}
        await ingest(theirs, agent, userId="u2")
        assert len((await theirs.get(f"/v1/agents/{agent}/passages")).json()["data"]) == 3
        assert (await theirs.get(f"/v1/agents/{agent}/passages/stats")).status_code == 403
        assert SAID[0]["text"] in await found(http, agent, "bees")


async def test_filters_choose_before_anything_is_ranked(http: httpx2.AsyncClient, agent: str) -> None:
    marked = SAID[0] | {"metadata": {"flag": True, "n": 3, "name": "50%_off"}}
    await ingest(http, agent, messages=[marked])
    later = [SAID[0] | {"at": "2026-06-01T10:00:00Z"}]
    await ingest(http, agent, sessionId="s2", messages=later)
    for filter, count in (
        ({"sessions": ["s2"]}, 1),
        ({"sessions": []}, 0),
        ({"exceptSessions": ["s2"]}, 1),
        ({"since": "2026-05-20T00:00:00Z"}, 1),
        ({"until": "2026-05-20T00:00:00Z"}, 1),
        ({"metadata": {"flag": True}}, 1),
        ({"metadata": {"flag": 1}}, 0),
        ({"metadata": {"name": "50%_off"}}, 1),
        ({"metadata": {"name": "50%%off"}}, 0),
        ({"metadata": {"n": {"gte": 2, "lt": 5}}}, 1),
        ({"metadata": {"n": {"in": [1, 2]}}}, 0),
        ({"speaker": "Support"}, 0),
        ({}, 2),
    ):
        assert len(await found(http, agent, "bees mill", filter=filter)) == count, filter


async def test_lists_go_back_in_time_page_by_page(http: httpx2.AsyncClient, agent: str) -> None:
    await ingest(http, agent)
    path, seen, cursor = f"/v1/agents/{agent}/passages", [], None
    while True:
        page = (await http.get(path, params={"limit": "2"} | ({"cursor": cursor} if cursor else {}))).json()
        seen += [row["text"] for row in page["data"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert seen == [said["text"] for said in reversed(SAID)]


async def test_what_is_deleted_is_gone_at_once(http: httpx2.AsyncClient, agent: str) -> None:
    await ingest(http, agent)
    await ingest(http, agent, sessionId="s2")
    path = f"/v1/agents/{agent}/passages"
    assert (await found(http, agent, "bees")).count(SAID[0]["text"]) == 2
    assert (await http.delete(path, params={"sessionId": "s2"})).json() == {"deleted": 3}
    assert (await found(http, agent, "bees")).count(SAID[0]["text"]) == 1
    (row,) = [row for row in (await http.get(path)).json()["data"] if "bees" in row["text"]]
    assert (await http.delete(path, params={"passageId": row["id"]})).json() == {"deleted": 1}
    assert all("bees" not in text for text in await found(http, agent, "bees"))
    assert (await http.delete(path, params={"userId": "u1"})).json() == {"deleted": 2}
    assert (await http.get(path)).json()["data"] == []


async def test_passages_are_counted(http: httpx2.AsyncClient, agent: str) -> None:
    await ingest(http, agent)
    counts = (await http.get(f"/v1/agents/{agent}/passages/stats")).json()
    assert counts == {"passages": 3, "users": 1, "sessions": 1, "vectors": {}}


async def test_without_an_embedder_answers_say_so_and_a_reindex_what_to_do(
    http: httpx2.AsyncClient, agent: str
) -> None:
    await ingest(http, agent)
    body = {"userId": "u1", "query": "bees"}
    assert (await http.post(f"/v1/agents/{agent}/recall", json=body)).json()["degraded"] == ["semantic"]
    refused = await http.post("/v1/passages/reindex", json={})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "no_embedder")
    assert "WELLKEPT_EMBEDDER" in refused.text


async def test_a_reindex_goes_on_until_nothing_is_left() -> None:
    async with open_house(embedder=WordsEmbedder()) as house, house.client() as http:
        agent = await house.agent()
        wordless = Recall(house.services.stores.passages)
        owner = PassageOwner(OURS, AgentId(agent), UserId("u1"))
        said = [Said(text=f"bees {number}", speaker="Ann", at=house.services.clock.now()) for number in range(5)]
        await wordless.ingest(owner, SessionId("s1"), said)
        body = {"userId": "u1", "query": "bees"}
        before = (await http.post(f"/v1/agents/{agent}/recall", json=body)).json()
        answers = [(await http.post("/v1/passages/reindex", json={"passages": 2})).json() for _ in range(3)]
        after = (await http.post(f"/v1/agents/{agent}/recall", json=body)).json()
    assert (before["degraded"], after["degraded"]) == (["semantic"], [])
    assert sum(answer["done"] for answer in answers) == 5
    assert answers[-1] == {"model": WordsEmbedder().model, "done": answers[-1]["done"], "left": 0}


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"query": "bees"}, "userId"),
        ({"userId": "", "query": "bees"}, "userId"),
        ({"userId": "u1", "query": ""}, "query"),
        ({"userId": "u1", "query": " \u200b"}, "query"),
        ({"userId": "u1", "query": "a\u0000b"}, "query"),
        ({"userId": "u1", "query": "bees", "limit": 0}, "limit"),
        ({"userId": "u1", "query": "bees", "limit": -1}, "limit"),
        ({"userId": "u1", "query": "bees", "limit": 101}, "limit"),
        ({"userId": "u1", "query": "bees", "filters": {}}, "filters"),
        ({"userId": "u1", "query": "bees", "filter": {"colour": "red"}}, "colour"),
        ({"userId": "u1", "query": "bees", "filter": {"since": "2026-05-08T10:00:00"}}, "since"),
        ({"userId": "u1", "query": "bees", "filter": {"metadata": {"n": {"near": 3}}}}, ""),
        ({"userId": "u1", "query": "bees", "filter": {"metadata": {"n": {}}}}, "metadata"),
        ({"userId": "u1", "query": "bees", "filter": {"metadata": {"n": {"in": 3}}}}, "metadata"),
    ],
)
async def test_what_is_no_search_is_refused(
    http: httpx2.AsyncClient, agent: str, body: dict[str, Any], param: str
) -> None:
    await ingest(http, agent)
    answer = await http.post(f"/v1/agents/{agent}/recall", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "validation_failed")
    assert param in answer.text


@pytest.mark.parametrize(
    "broken",
    [
        {"messages": []},
        {"messages": [SAID[0] | {"text": ""}]},
        {"messages": [SAID[0] | {"text": "a\u0000b"}]},
        {"messages": [SAID[0] | {"speaker": "a\nb"}]},
        {"messages": [SAID[0] | {"at": "2026-05-08T10:00:00"}]},
        {"messages": [SAID[0] | {"at": "yesterday"}]},
        {"messages": [SAID[0] | {"userId": "victim"}]},
        {"messages": [SAID[0] | {"metadata": {"nested": {"a": 1}}}]},
        {"messages": [SAID[0] | {"metadata": {"n": None}}]},
        {"messages": [SAID[0] | {"number": -1}]},
        {"sessionId": ""},
        {"userId": ""},
    ],
)
async def test_what_nobody_can_have_said_is_refused_and_nothing_is_kept(
    http: httpx2.AsyncClient, agent: str, broken: dict[str, Any]
) -> None:
    body = {"userId": "u1", "sessionId": "s1", "messages": SAID, **broken}
    answer = await http.post(f"/v1/agents/{agent}/passages", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "validation_failed"), answer.text
    assert (await http.get(f"/v1/agents/{agent}/passages")).json()["data"] == []


async def test_a_deletion_that_names_nothing_is_refused(http: httpx2.AsyncClient, agent: str) -> None:
    await ingest(http, agent)
    assert (await http.delete(f"/v1/agents/{agent}/passages")).status_code == 400
    assert len((await http.get(f"/v1/agents/{agent}/passages")).json()["data"]) == 3


async def test_identity_is_never_read_from_metadata(http: httpx2.AsyncClient, agent: str) -> None:
    """ISO-2: a message cannot be put among another user's by its metadata."""
    await ingest(http, agent, messages=[SAID[0] | {"metadata": {"userId": "victim", "user_id": "victim"}}])
    assert await found(http, agent, "bees", userId="victim") == []
    assert len(await found(http, agent, "bees")) == 1
