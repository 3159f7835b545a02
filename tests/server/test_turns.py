"""Turns, whole and told as events, and the chat router."""

import asyncio
import json
import re
from typing import Any

import httpx2
import pytest

from house import CONFIG, OURS, House, open_house
from server_events import told
from wellkept.model.errors import ModelFailed, SessionBusy
from wellkept.model.ids import AgentId
from wellkept.server import Options

EVENTS = {"Accept": "text/event-stream"}


@pytest.fixture
async def assistant(house: House) -> str:
    """The default agent."""
    made = await house.services.agents.create(OURS, CONFIG, id="assistant")
    return made.id


async def test_a_turn_is_answered_whole(http: httpx2.AsyncClient, agent: str) -> None:
    made = await http.post(f"/v1/agents/{agent}/sessions", json={"message": "hi", "userId": "u"})
    answer = made.json()
    assert (made.status_code, answer["text"], answer["agentId"], answer["version"]) == (201, "you said hi", agent, 1)
    assert re.fullmatch(r"ses_[0-9A-Za-z]{16}", answer["sessionId"])
    assert made.headers["Location"] == f"/v1/agents/{agent}/sessions/{answer['sessionId']}"
    more = await http.post(made.headers["Location"], json={"message": "again", "userId": "u"})
    assert (more.status_code, more.json()["sessionId"]) == (200, answer["sessionId"])
    session = (await http.get(made.headers["Location"])).json()
    assert (session["userId"], session["length"]) == ("u", 4)
    page = (await http.get(made.headers["Location"] + "/messages", params={"limit": "3"})).json()
    assert [row["text"] for row in page["data"]] == ["hi", "you said hi", "again"]
    rest = await http.get(made.headers["Location"] + "/messages", params={"cursor": page["nextCursor"]})
    assert [row["number"] for row in rest.json()["data"]] == [4]
    assert rest.json()["nextCursor"] is None
    assert (await http.delete(made.headers["Location"])).status_code == 204
    assert (await http.get(made.headers["Location"])).status_code == 404


async def test_a_generation_has_no_session(http: httpx2.AsyncClient, agent: str) -> None:
    answer = await http.post(f"/v1/agents/{agent}/generation", json={"prompt": "hi"})
    assert (answer.status_code, answer.json()["sessionId"]) == (200, None)
    assert (await http.get(f"/v1/agents/{agent}/sessions")).json()["data"] == []


@pytest.mark.parametrize("message", ["", "  ", "\u200b"])
async def test_a_message_says_something(http: httpx2.AsyncClient, agent: str, message: str) -> None:
    answer = await http.post(f"/v1/agents/{agent}/sessions", json={"message": message})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "message")
    answer = await http.post(f"/v1/agents/{agent}/generation", json={"prompt": message})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "prompt")


async def test_a_turn_is_told_as_events(http: httpx2.AsyncClient, agent: str) -> None:
    answer = await http.post(f"/v1/agents/{agent}/sessions", json={"message": "hi\n\nho"}, headers=EVENTS)
    assert (answer.status_code, answer.headers["Content-Type"]) == (201, "text/event-stream; charset=utf-8")
    assert answer.headers["Location"].startswith(f"/v1/agents/{agent}/sessions/ses_")
    events = told(answer)
    assert [event["type"] for event in events] == ["text", "memory_change", "text", "done"]
    assert events[0]["text"] + events[2]["text"] == events[3]["answer"]["text"] == "you said hi\n\nho"


async def test_internal_events_are_sent_to_who_asks(http: httpx2.AsyncClient, agent: str) -> None:
    path = f"/v1/agents/{agent}/generation"
    answer = await http.post(path, params={"internal": "true"}, json={"prompt": "hi"}, headers=EVENTS)
    events = told(answer)
    assert [event["type"] for event in events] == ["text", "tool_call", "tool_result", "memory_change", "text", "done"]
    assert events[1]["arguments"] == {"text": "hi"}


@pytest.mark.parametrize(
    ("accept", "streamed"),
    [
        ("text/event-stream", True),
        ("application/json, text/event-stream;q=0.5", True),
        ("*/*", False),
        ("", False),
        ("text/event-stream;q=0", False),
        ("application/json", False),
    ],
)
async def test_events_are_for_who_names_them(http: httpx2.AsyncClient, agent: str, accept: str, streamed: bool) -> None:
    answer = await http.post(f"/v1/agents/{agent}/generation", json={"prompt": "hi"}, headers={"Accept": accept})
    assert answer.headers["Content-Type"].startswith("text/event-stream") is streamed


async def test_what_fails_before_the_first_event_is_an_ordinary_error(
    house: House, http: httpx2.AsyncClient, agent: str
) -> None:
    for error, status, code in ((SessionBusy(), 409, "session_busy"), (ModelFailed(), 502, "model_failed")):
        house.turns.raises = error
        for headers in ({}, EVENTS):
            answer = await http.post(f"/v1/agents/{agent}/generation", json={"prompt": "hi"}, headers=headers)
            assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


async def test_what_fails_later_is_the_last_event(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    for error, code in (
        (ModelFailed(problem="planted secret"), "model_failed"),
        (ValueError("planted secret"), "internal"),
    ):
        house.turns.after = error
        answer = await http.post(f"/v1/agents/{agent}/generation", json={"prompt": "hi"}, headers=EVENTS)
        assert [event["type"] for event in told(answer)] == ["text", "error"]
        assert told(answer)[-1]["error"]["code"] == code
        assert "planted" not in answer.text
    assert "planted" not in house.log.getvalue()
    assert [line["code"] for line in house.logged() if line["event"] == "request_failed"] == [
        "model_failed",
        "internal",
    ]


async def leave(house: House, agent: str, headers: dict[str, str]) -> int:
    """Send a turn that does not end, and leave; give the number of turns that were cancelled then."""
    house.turns.waits = asyncio.Event()
    sent = json.dumps({"prompt": "hi"}).encode()
    left = asyncio.Event()
    messages = [{"type": "http.request", "body": sent, "more_body": False}]

    async def receive() -> Any:
        if messages:
            return messages.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        pass

    all_headers = headers | {"Authorization": f"Bearer {house.key}", "Content-Type": "application/json"}
    path = f"/v1/agents/{agent}/generation"
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "scheme": "http", "server": ("x", 80), "client": ("127.0.0.1", 1), "http_version": "1.1", "asgi": {},
        "headers": [(name.lower().encode(), value.encode()) for name, value in all_headers.items()],
    }  # fmt: skip
    running = asyncio.create_task(house.app(scope, receive, send))
    await house.turns.begun.wait()
    await asyncio.sleep(0.01)
    left.set()
    await asyncio.wait_for(running, 5)
    return house.turns.cancelled


@pytest.mark.parametrize("headers", [{}, EVENTS], ids=["whole", "events"])
async def test_who_leaves_ends_the_turn(house: House, agent: str, headers: dict[str, str]) -> None:
    assert await leave(house, agent, headers) == 1
    assert house.logged()[-1]["status"] == 499
    assert house.metrics.registry.get_sample_value("wellkept_turns_total", {"outcome": "cancelled"}) == 1
    assert house.metrics.registry.get_sample_value("wellkept_turns_in_flight") == 0


async def test_a_turn_that_takes_too_long_is_ended() -> None:
    async with open_house(options=Options(turn_seconds=0.05)) as house, house.client() as http:
        agent = await house.agent()
        house.turns.waits = asyncio.Event()
        async with asyncio.timeout(20):
            whole = await http.post(f"/v1/agents/{agent}/generation", json={"prompt": "hi"})
            streamed = await http.post(f"/v1/agents/{agent}/generation", json={"prompt": "hi"}, headers=EVENTS)
        assert (whole.status_code, whole.json()["error"]["code"]) == (502, "model_failed")
        assert told(streamed)[-1]["error"]["code"] == "model_failed"
        assert house.turns.cancelled == 2


async def test_a_tenant_runs_so_many_turns_at_once() -> None:
    async with open_house(options=Options(max_turns=1)) as house, house.client() as http:
        agent = await house.agent()
        house.turns.waits = asyncio.Event()
        first = asyncio.create_task(http.post(f"/v1/agents/{agent}/generation", json={"prompt": "hi"}))
        await house.turns.begun.wait()
        second = await http.post(f"/v1/agents/{agent}/generation", json={"prompt": "hi"})
        assert (second.status_code, second.json()["error"]["code"]) == (429, "rate_limited")
        assert second.headers["Retry-After"] == "1"
        house.turns.waits.set()
        assert (await first).status_code == 200
        assert (await http.post(f"/v1/agents/{agent}/generation", json={"prompt": "hi"})).status_code == 200


async def test_chat_answers_three_fields(http: httpx2.AsyncClient, assistant: str) -> None:
    answer = await http.post("/api/chat", json={"message": "hi", "sessionId": "s1", "userId": "u"})
    assert answer.status_code == 200
    assert set(answer.json()) == {"sessionId", "response", "timestamp"}
    assert (answer.json()["sessionId"], answer.json()["response"]) == ("s1", "you said hi")
    made = await http.post("/api/chat", json={"message": "hi"})
    assert re.fullmatch(r"ses_[0-9A-Za-z]{16}", made.json()["sessionId"])
    session = (await http.get("/api/session/s1")).json()
    assert [row["text"] for row in session["messages"]] == ["hi", "you said hi"]
    assert session["session"]["agentId"] == assistant
    assert (await http.get("/api/session/s1", params={"userId": "other"})).status_code == 404
    assert (await http.delete("/api/session/s1", params={"userId": "u"})).status_code == 204
    assert (await http.get("/api/session/s1")).status_code == 404


async def test_chat_speaks_to_the_agent_that_is_named(house: House, http: httpx2.AsyncClient, agent: str) -> None:
    assert (await http.post("/api/chat", json={"message": "hi"})).status_code == 404
    assert (await http.post("/api/chat", json={"message": "hi", "agentId": agent})).status_code == 200
    assert house.turns.turns[-1][0].agent == AgentId(agent)


async def test_chat_is_told_as_events(http: httpx2.AsyncClient, assistant: str) -> None:
    events = told(await http.post("/api/chat/sse", json={"message": "hi", "sessionId": "s1"}))
    assert [event["type"] for event in events] == ["text", "memory_change", "text", "done"]
    assert set(events[-1]["answer"]) == {"sessionId", "response", "timestamp"}
