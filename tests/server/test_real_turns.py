"""Turns of the real runtime, with the scripted model, over HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from house import OURS
from server_events import told
from wellkept.compose.assemble import assemble
from wellkept.compose.defaults import ASSISTANT, ASSISTANT_CONFIG
from wellkept.compose.stores import open_stores
from wellkept.model.directory import Tenant
from wellkept.runtime.runtime import Runtime
from wellkept.server import create_app
from wellkept.server.runtime_turns import RuntimeTurns


@asynccontextmanager
async def opened(url: str, key: str = "") -> AsyncIterator[tuple[httpx2.AsyncClient, str]]:
    """A client of a server over the store, and its key; made when it is not given."""
    services = assemble(await open_stores(url))
    try:
        async with Runtime(services=services, default_model="offline") as runtime:
            if not key:
                await services.stores.directory.put_tenant(Tenant(id=OURS, name="us", created_at=services.clock.now()))
                key = (await services.keys.create(OURS, "test"))[1]
                await services.agents.create(OURS, ASSISTANT_CONFIG, id=ASSISTANT)
            transport = httpx2.ASGITransport(create_app(services, RuntimeTurns(runtime)))
            headers = {"Authorization": f"Bearer {key}"}
            async with httpx2.AsyncClient(transport=transport, base_url="http://x", headers=headers) as client:
                yield client, key
    finally:
        await services.close()


async def say(http: httpx2.AsyncClient, message: str, user: str, session: str) -> str:
    answer = await http.post("/api/chat", json={"message": message, "userId": user, "sessionId": session})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["response"])


async def test_what_one_session_says_the_next_one_knows_after_a_restart_too(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/data.db"
    async with opened(url) as (http, key):
        await say(http, "call me Sam", "user-42", "s1")
        assert "Sam" in await say(http, "what do you know about me?", "user-42", "s2")
        assert "Sam" not in await say(http, "what do you know about me?", "user-43", "s3")
    async with opened(url, key) as (http, _):
        assert "Sam" in await say(http, "what do you know about me?", "user-42", "s4")
        assert "Sam" not in await say(http, "what do you know about me?", "user-43", "s5")


async def test_a_session_belongs_to_the_user_of_its_first_turn() -> None:
    async with opened("inproc://") as (http, _):
        await say(http, "hello", "user-42", "s1")
        answer = await http.post("/api/chat", json={"message": "hello", "userId": "user-43", "sessionId": "s1"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "session_user_mismatch")


@pytest.mark.parametrize("internal", ["true", "false"])
async def test_a_turn_tells_what_it_changes(internal: str) -> None:
    async with opened("inproc://") as (http, _):
        answer = await http.post(
            "/v1/agents/assistant/sessions",
            params={"internal": internal},
            json={"message": "call me Sam", "userId": "u"},
            headers={"Accept": "text/event-stream"},
        )
        events = told(answer)
    kinds = [event["type"] for event in events]
    assert ("tool_call" in kinds and "tool_result" in kinds) is (internal == "true")
    assert [event["change"]["id"] for event in events if event["type"] == "memory_change"] == ["user/USER"]
    done = events[-1]["answer"]
    assert "".join(event["text"] for event in events if event["type"] == "text") == done["text"]
    assert [change["id"] for change in done["memoryChanges"]] == ["user/USER"]


async def test_a_limited_caller_has_no_messages_of_tools() -> None:
    async with opened("inproc://") as (http, _):
        await say(http, "call me Sam", "u", "s1")
        path = "/v1/agents/assistant/sessions/s1/messages"
        mine = {"X-Wellkept-User-Id": "u"}
        all_roles = {row["role"] for row in (await http.get(path)).json()["data"]}
        own = {row["role"] for row in (await http.get(path, headers=mine)).json()["data"]}
        chat = {row["role"] for row in (await http.get("/api/session/s1", headers=mine)).json()["messages"]}
    assert (all_roles, own, chat) == ({"user", "assistant", "tool"}, {"user", "assistant"}, {"user", "assistant"})


async def test_a_model_that_cannot_be_used_is_a_typed_error() -> None:
    async with opened("inproc://") as (http, _):
        made = await http.post("/v1/agents", json={"name": "A", "model": "nobody:nothing"})
        answer = await http.post(f"/v1/agents/{made.json()['id']}/generation", json={"prompt": "hi"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "provider_required")
