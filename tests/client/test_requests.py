"""What the SDK sends."""

import inspect
import json
import ssl
from datetime import UTC, datetime
from typing import Any

import httpx2
import msgspec
import pytest
from msgspec import UNSET

from wellkept.client.async_client import AsyncClient
from wellkept.client.call import Call, Streamed
from wellkept.client.calls import (
    agents,
    audit,
    blocks,
    chat,
    keys,
    memories,
    passages,
    review,
    system,
    turn_memory,
    turns,
)
from wellkept.client.client import Client
from wellkept.client.connection import trust
from wellkept.model.blocks import BlockSpec, WorkingMemorySpec
from wellkept.model.edits import Add
from wellkept.model.errors import InvalidInput
from wellkept.model.memories import MemorySettings
from wellkept.model.passages import Said
from wellkept.model.recall import RecallFilter
from wellkept.wire.endpoints import ENDPOINTS

SUBJECTS = (agents, audit, blocks, chat, keys, memories, passages, review, system, turn_memory, turns)
ETAG = "e" * 64
SAID = Said(text="hi", speaker="Ann", at=datetime(2026, 5, 8, 10, tzinfo=UTC))

CALLS: list[tuple[Call[Any] | Streamed[Any], str, str, object]] = [
    (agents.create(name="Support", tools=["memory"], memory_injection_enabled=True), "POST", "/v1/agents",
     {"name": "Support", "tools": ["memory"], "memoryInjectionEnabled": True}),
    (agents.create(name="S", user_id="u", working_memory=WorkingMemorySpec(auto_load=(BlockSpec("user", "USER"),))),
     "POST", "/v1/agents",
     {"name": "S", "userId": "u", "workingMemory": {"autoLoad": [{"scope": "user", "key": "USER"}],
      "defaultCharLimit": 10000, "scanForInjection": True, "onMissingUser": "withhold"}}),
    (agents.list_(), "GET", "/v1/agents", None),
    (agents.list_(user_id="a b", limit=5, cursor="c+/="),
     "GET", "/v1/agents?userId=a%20b&cursor=c%2B%2F%3D&limit=5", None),
    (agents.get("a/b?c#d"), "GET", "/v1/agents/a%2Fb%3Fc%23d", None),
    (agents.get(".."), "GET", "/v1/agents/%2E%2E", None),
    (agents.get("用户"), "GET", "/v1/agents/%E7%94%A8%E6%88%B7", None),
    (agents.update("ag", instructions=""), "PUT", "/v1/agents/ag", {"instructions": ""}),
    (agents.update("ag", model=None, tools=[]), "PUT", "/v1/agents/ag", {"model": None, "tools": []}),
    (agents.delete("ag"), "DELETE", "/v1/agents/ag", None),
    (agents.disable("ag"), "POST", "/v1/agents/ag/disable", None),
    (agents.enable("ag"), "POST", "/v1/agents/ag/enable", None),
    (agents.versions("ag"), "GET", "/v1/agents/ag/versions", None),
    (agents.version("ag", 3), "GET", "/v1/agents/ag/versions/3", None),
    (memories.create("ag", text="x"), "POST", "/v1/agents/ag/memories", {"text": "x"}),
    (memories.create("ag", text="x", user_id="u", pinned=True), "POST", "/v1/agents/ag/memories",
     {"text": "x", "userId": "u", "pinned": True}),
    (memories.list_("ag", user_id="", search="a & b=c"),
     "GET", "/v1/agents/ag/memories?userId=&search=a%20%26%20b%3Dc", None),
    (memories.list_("ag", mode="ranked"), "GET", "/v1/agents/ag/memories?mode=ranked", None),
    (memories.get("ag", "mem_1"), "GET", "/v1/agents/ag/memories/mem_1", None),
    (memories.update("ag", "mem_1", pinned=False), "PATCH", "/v1/agents/ag/memories/mem_1", {"pinned": False}),
    (memories.delete("ag", "mem_1"), "DELETE", "/v1/agents/ag/memories/mem_1", None),
    (turn_memory.search_past("ag", "bees", limit=3, user_id="u"), "POST", "/v1/agents/ag/turn/recall",
     {"query": "bees", "limit": 3, "userId": "u"}),
    (passages.ingest("ag", user_id="u", session_id="s", messages=[SAID]), "POST", "/v1/agents/ag/passages",
     {"userId": "u", "sessionId": "s",
      "messages": [{"text": "hi", "speaker": "Ann", "at": "2026-05-08T10:00:00Z", "metadata": {}}]}),
    (passages.recall("ag", "bees?", user_id="u"), "POST", "/v1/agents/ag/recall", {"userId": "u", "query": "bees?"}),
    (passages.recall("ag", "b", user_id="u", limit=3, filter=RecallFilter(metadata={"n": {"gte": 2}})),
     "POST", "/v1/agents/ag/recall",
     {"userId": "u", "query": "b", "limit": 3, "filter": {"metadata": {"n": {"gte": 2}}}}),
    (passages.list_("ag", user_id="a b", session_id="s/1"),
     "GET", "/v1/agents/ag/passages?userId=a%20b&sessionId=s%2F1", None),
    (passages.delete("ag", session_id="s"), "DELETE", "/v1/agents/ag/passages?sessionId=s", None),
    (passages.stats("ag"), "GET", "/v1/agents/ag/passages/stats", None),
    (passages.reindex(passages=5), "POST", "/v1/passages/reindex", {"passages": 5}),
    (blocks.list_("user", owner="a/b"), "GET", "/v1/blocks?scope=user&owner=a%2Fb", None),
    (blocks.get("user", "USER", owner="用户1"), "GET", "/v1/blocks/user/USER?owner=%E7%94%A8%E6%88%B71", None),
    (blocks.put("user", "USER", owner="u", text=""), "PUT", "/v1/blocks/user/USER?owner=u", {"text": ""}),
    (blocks.edit("user", "USER", owner="u", edit=Add("x"), limit=5), "PATCH", "/v1/blocks/user/USER?owner=u",
     {"edit": {"action": "add", "content": "x"}, "limit": 5}),
    (blocks.add("user", "USER", owner="u", content="x"), "PATCH", "/v1/blocks/user/USER?owner=u",
     {"edit": {"action": "add", "content": "x"}}),
    (blocks.replace("user", "USER", owner="u", content="x", match="y"), "PATCH", "/v1/blocks/user/USER?owner=u",
     {"edit": {"action": "replace", "content": "x", "match": "y"}}),
    (blocks.remove("user", "USER", owner="u", match="y"), "PATCH", "/v1/blocks/user/USER?owner=u",
     {"edit": {"action": "remove", "match": "y"}}),
    (blocks.delete("user", "USER", owner="u"), "DELETE", "/v1/blocks/user/USER?owner=u", None),
    (blocks.history("user", "USER", owner="u", limit=2), "GET", "/v1/blocks/user/USER/revisions?owner=u&limit=2", None),
    (blocks.diff("user", "USER", owner="u", old=1, new=2),
     "GET", "/v1/blocks/user/USER/revisions/diff?owner=u&old=1&new=2", None),
    (blocks.restore("user", "USER", owner="u", number=1),
     "POST", "/v1/blocks/user/USER/revisions/restore?owner=u", {"number": 1}),
    (turns.run("ag", "hi", session_id="a/b", user_id="u", version=2), "POST", "/v1/agents/ag/sessions",
     {"message": "hi", "sessionId": "a/b", "userId": "u", "version": 2}),
    (turns.stream("ag", "hi", internal=True), "POST", "/v1/agents/ag/sessions?internal=true", {"message": "hi"}),
    (turns.generate("ag", "hi"), "POST", "/v1/agents/ag/generation", {"prompt": "hi"}),
    (turns.sessions("ag", user_id="u"), "GET", "/v1/agents/ag/sessions?userId=u", None),
    (turns.session("ag", "s/1"), "GET", "/v1/agents/ag/sessions/s%2F1", None),
    (turns.messages("ag", "s1", cursor="c"), "GET", "/v1/agents/ag/sessions/s1/messages?cursor=c", None),
    (turns.delete_session("ag", "s1"), "DELETE", "/v1/agents/ag/sessions/s1", None),
    (turn_memory.declared("ag"), "POST", "/v1/agents/ag/turn", {}),
    (turn_memory.render("ag", user_id="u", session_id="s", query="q"), "POST", "/v1/agents/ag/context",
     {"userId": "u", "sessionId": "s", "query": "q"}),
    (turn_memory.view_block("ag", "USER"), "POST", "/v1/agents/ag/turn/blocks/view", {"block": "USER"}),
    (turn_memory.edit_block("ag", "USER", Add("x")), "POST", "/v1/agents/ag/turn/blocks/edit",
     {"block": "USER", "edit": {"action": "add", "content": "x"}}),
    (turn_memory.save_memory("ag", "x"), "POST", "/v1/agents/ag/turn/memories/save", {"text": "x"}),
    (turn_memory.get_memory("ag", "mem_1"), "POST", "/v1/agents/ag/turn/memories/get", {"memoryId": "mem_1"}),
    (turn_memory.search_memories("ag", "q", limit=3),
     "POST", "/v1/agents/ag/turn/memories/search", {"query": "q", "limit": 3}),
    (turn_memory.update_memory("ag", "mem_1", "x"), "POST", "/v1/agents/ag/turn/memories/update",
     {"memoryId": "mem_1", "text": "x"}),
    (turn_memory.delete_memory("ag", "mem_1"), "POST", "/v1/agents/ag/turn/memories/delete", {"memoryId": "mem_1"}),
    (keys.create(name="ci", user_id="u"), "POST", "/v1/keys", {"name": "ci", "userId": "u"}),
    (keys.list_(), "GET", "/v1/keys", None),
    (keys.revoke("key_1"), "DELETE", "/v1/keys/key_1", None),
    (review.list_(), "GET", "/v1/review", None),
    (review.get("hold_1"), "GET", "/v1/review/hold_1", None),
    (review.approve("hold_1"), "POST", "/v1/review/hold_1/approve", None),
    (review.reject("hold_1"), "POST", "/v1/review/hold_1/reject", None),
    (audit.list_(), "GET", "/v1/audit", None),
    (audit.list_(agent_id="ag", user_id="a&b", action="memory.created", since=datetime(2026, 1, 1, 9, tzinfo=UTC)),
     "GET", "/v1/audit?agentId=ag&userId=a%26b&action=memory.created&since=2026-01-01T09%3A00%3A00Z", None),
    (chat.send("hi", session_id="s", user_id="u"),
     "POST", "/api/chat", {"message": "hi", "sessionId": "s", "userId": "u"}),
    (chat.stream("hi", agent_id="ag"), "POST", "/api/chat/sse", {"message": "hi", "agentId": "ag"}),
    (chat.session("s/1", user_id="u"), "GET", "/api/session/s%2F1?userId=u", None),
    (chat.delete_session("s1"), "DELETE", "/api/session/s1", None),
    (system.live(), "GET", "/live", None),
    (system.ready(), "GET", "/ready", None),
]  # fmt: skip


def made(built: Call[Any] | Streamed[Any]) -> Call[Any]:
    return built.call if isinstance(built, Streamed) else built


@pytest.mark.parametrize(("built", "method", "target", "body"), CALLS, ids=lambda value: "")
def test_a_call_says_what_the_table_says(
    built: Call[Any] | Streamed[Any], method: str, target: str, body: object
) -> None:
    call = made(built)
    assert (call.method, call.target) == (method, target)
    sent = None if call.content is None else json.loads(call.content)
    if call.name == "agents.create":
        assert sent is not None
        assert (sent.pop("memories"), sent.pop("metadata")) == (msgspec.to_builtins(MemorySettings()), {})
    assert sent == body


# `turns.run` goes on with a session too: with its id in the body, where it may hold any character.
NOT_CALLED = {"turns.run"}


def test_every_endpoint_is_called() -> None:
    assert {made(built).name for built, *_ in CALLS} == {endpoint.name for endpoint in ENDPOINTS} - NOT_CALLED


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_every_call_has_its_method(kind: type) -> None:
    client = kind(api_key="k", base_url="http://x")
    offered = set()
    for resource in vars(client).values():
        for name, method in vars(type(resource)).items():
            if inspect.isfunction(method) and not name.startswith("_"):
                offered.add(method.__doc__)
    missing = [
        function.__name__
        for subject in SUBJECTS
        for function in vars(subject).values()
        if inspect.isfunction(function)
        and function.__module__ == subject.__name__
        and not function.__name__.startswith("_")
        and function.__doc__ not in offered
    ]
    assert not missing


def test_what_a_method_takes_can_be_asked() -> None:
    told = str(inspect.signature(Client(api_key="k", base_url="http://x").memories.get))
    assert told == "(agent_id: str, memory_id: str) -> wellkept.wire.memories.MemoryAnswer"


@pytest.mark.parametrize(("kind", "iterator"), [(Client, "Iterator"), (AsyncClient, "AsyncIterator")])
def test_what_gives_all_pages_says_so_and_of_what(kind: type[Client] | type[AsyncClient], iterator: str) -> None:
    client = kind(api_key="k", base_url="http://x")
    iterators = [
        getattr(resource, name)
        for resource in vars(client).values()
        for name in dir(resource)
        if name == "iter" or name.startswith("iter_")
    ]
    assert len(iterators) == 9
    for iterate in iterators:
        told = inspect.getdoc(iterate) or ""
        assert not told.startswith("Give a page")
        assert "Of all pages" in told
    answer = inspect.signature(client.agents.iter).return_annotation
    assert str(answer) == f"collections.abc.{iterator}[wellkept.wire.agents.AgentAnswer]"


async def test_a_request_names_its_key_and_its_types(both: Any, server: Any) -> None:
    server.answer(httpx2.Response(200, json={"status": "ok"}))
    await both("system.live")
    headers = server.request.headers
    assert headers["Authorization"] == "Bearer wk_thisIsTheSecret0123456789"
    assert headers["Accept"] == "application/json"
    assert "Content-Type" not in headers
    assert "X-Wellkept-User-Id" not in headers
    assert str(server.request.url) == "http://server.test/live"


async def test_a_path_arrives_as_it_was_encoded(both: Any, server: Any) -> None:
    server.answer(httpx2.Response(204))
    for agent, raw in [
        ("a/b", b"a%2Fb"),
        ("..", b"%2E%2E"),
        ("a%2Fb", b"a%252Fb"),
        ("a b", b"a%20b"),
        ("a;b", b"a%3Bb"),
    ]:
        await both("agents.delete", agent)
        assert server.requests[-1].url.raw_path == b"/v1/agents/" + raw


async def test_an_address_may_have_a_path(make: Any, server: Any) -> None:
    server.answer(httpx2.Response(200, json={"status": "ok"}))
    await make(base_url="https://host.test:8443/memory/")("system.live")
    assert str(server.request.url) == "https://host.test:8443/memory/live"


@pytest.mark.parametrize("user", ["user-42", "a/b c", "maya+test@example.com", "用户1", "é"])
async def test_a_view_acts_for_its_user(both: Any, server: Any, user: str) -> None:
    server.answer(httpx2.Response(200, json={"status": "ok"}))
    await both("system.live", on=both.client.for_user(user))
    sent = dict(server.request.headers.raw)
    assert {name.lower(): value for name, value in sent.items()}[b"x-wellkept-user-id"] == user.encode()
    await both("system.live")
    assert "X-Wellkept-User-Id" not in server.requests[-1].headers


@pytest.mark.parametrize("user", ["", " a", "a\n", "a\r\nX-Other: b", "\x00", "\u200b", "x" * 257])
def test_a_view_for_nobody_is_refused(both: Any, user: str) -> None:
    with pytest.raises(InvalidInput):
        both.client.for_user(user)


async def test_conditions_are_headers(both: Any, server: Any) -> None:
    server.answer(httpx2.Response(204))
    await both("memories.delete", "ag", "mem_1", if_match=ETAG)
    assert server.request.headers["If-Match"] == f'"{ETAG}"'
    assert blocks.put("user", "K", owner="u", text="", only_new=True).headers == {"If-None-Match": "*"}


@pytest.mark.parametrize(
    "build",
    [
        lambda: agents.get(""),
        lambda: agents.get("\ud800"),
        lambda: agents.get("\x00"),
        lambda: memories.create("ag", text="\ud800"),
        lambda: memories.list_("ag", search="\ud800"),
        lambda: blocks.put("user", "K", owner="\x00", text=""),
        lambda: memories.update("ag", "mem_1", text="x", if_match='a"b'),
        lambda: memories.update("ag", "mem_1", text="x", if_match="a\r\nb"),
        lambda: memories.create("ag", text="x", idempotency_key="é"),
        lambda: agents.create(name=""),
        lambda: agents.create(name="x", tools="memory"),
    ],
)
def test_what_cannot_be_sent_is_refused_as_the_library_would(build: Any) -> None:
    with pytest.raises(InvalidInput):
        build()


def test_the_refusal_names_the_field() -> None:
    with pytest.raises(InvalidInput) as caught:
        memories.create("ag", text="a\ud800")
    assert (caught.value.param, "U+D800 at position 1" in caught.value.problem) == ("text", True)


@pytest.mark.parametrize(
    "options",
    [
        {"base_url": ""},
        {"base_url": "127.0.0.1:8787"},
        {"base_url": "ftp://x"},
        {"base_url": "http://"},
        {"base_url": "http://x:99999"},
        {"base_url": "http://x/ y"},
        {"base_url": "http://x?a=b"},
        {"api_key": ""},
        {"api_key": "a b"},
        {"api_key": "wk_é"},
        {"api_key": "wk_\r\nX: y"},
        {"timeout": 0},
        {"timeout": -1},
        {"timeout": float("nan")},
    ],
)
def test_a_client_of_nothing_is_refused(make: Any, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        make(**options)
    assert caught.value.param == next(iter(options))
    assert "wk_" not in str(caught.value)


async def test_timeouts(make: Any, server: Any) -> None:
    server.answer(httpx2.Response(500))
    both = make()

    async def timeout(path: str, *args: Any, on: Any = None) -> dict[str, float]:
        with pytest.raises(Exception, match="unexpected"):
            await both(path, *args, on=on)
        return server.requests[-1].extensions["timeout"]

    assert await timeout("system.live") == {"connect": 5.0, "read": 30.0, "write": 30.0, "pool": 30.0}
    assert (await timeout("turns.run", "ag", "hi"))["read"] == 600.0
    assert (await timeout("chat.send", "hi"))["read"] == 600.0
    assert await timeout("system.live", on=both.client.with_timeout(2)) == dict.fromkeys(
        ("connect", "read", "write", "pool"), 2
    )
    assert (await timeout("turns.run", "ag", "hi", on=both.client.with_timeout(2)))["read"] == 2
    both = make(timeout=7)
    assert (await timeout("system.live"))["read"] == 7


def test_certificates_are_checked_where_there_are_any() -> None:
    assert trust("https://x").get_ca_certs()
    for address in ("http://x", "https://x"):
        assert (trust(address).verify_mode, trust(address).check_hostname) == (ssl.CERT_REQUIRED, True)


def test_the_key_is_told_nowhere(both: Any) -> None:
    for told in (both.client, both.client.for_user("u"), both.client.memories, both.client._sender.connection):
        assert "Secret" not in repr(told)
        assert "Secret" not in str(told)
    assert "server.test" in repr(both.client)


def test_what_is_left_out_of_an_update_is_not_sent() -> None:
    assert agents.update("ag", name=UNSET).content == b"{}"
