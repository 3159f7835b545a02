"""Whose memory it is: no other user, tenant, agent or session ever sees or changes it."""

import json
from typing import Any

import msgspec
import pytest

from house import THEIRS
from stage import INVALID, Stage, code, open_stage
from wellkept.compose.defaults import ASSISTANT
from wellkept.model.errors import InvalidInput
from wellkept.model.ids import AgentId, MemoryId, TenantId
from wellkept.model.memories import Pool
from wellkept.wire.endpoint import Endpoint, NoBody
from wellkept.wire.endpoints import ENDPOINTS

IDS = {"agentId": "{agent}", "memoryId": "mem_0000000000000000", "sessionId": "s1", "scope": "user", "key": "USER",
       "version": "1", "keyId": "key_0", "holdId": "hold_0"}  # fmt: skip


def address(endpoint: Endpoint[Any], stage: Stage) -> str:
    path = endpoint.path
    for name, value in IDS.items():
        path = path.replace(f"{{{name}}}", value.replace("{agent}", stage.agent))
    return path


async def test_iso_001_what_one_user_saved_another_does_not_find(stage: Stage) -> None:
    id = await stage.save("PIN 4411", "uid1")
    assert await stage.found("PIN", "uid1") == ["PIN 4411"]
    for user in ("uid2", "uid", "uid11", "UID1", None):
        assert await stage.found("PIN", user) == []
        assert "4411" not in await stage.prompt(user)
        assert (await stage.tool("get_memory", user, memory_id=id))["error"]["code"] == "not_found"
    for mode in ("web", "ranked"):
        assert await stage.texts(user_id="uid2", search="PIN", mode=mode) == []
        async with stage.house.user("uid2") as other:
            page = await other.get(f"{stage.path}/memories", params={"search": "PIN", "mode": mode})
        assert page.json()["data"] == []


async def test_iso_002_identity_is_never_settable_through_other_fields(stage: Stage) -> None:
    victim = await stage.house.agent()
    for name in ("metadata", "agentId", "agent_id", "tenantId", "user_id", "runId", "id", "createdAt"):
        value: object = {"agentId": victim, "run_id": "victim-run"} if name == "metadata" else victim
        body = {"text": "planted", "userId": "attacker", name: value}
        for path in (f"{stage.path}/memories", f"{stage.path}/turn/memories/save"):
            assert code(await stage.http.post(path, json=body)) == INVALID
        refused = await stage.tool("save_memory", "attacker", text="planted", **{name: value})
        assert refused["error"]["code"] == "validation_failed"
    assert await stage.texts() == []
    assert [row async for row in stage.client.memories.iter(victim)] == []


@pytest.mark.parametrize(
    "change", [{"metadata": {"user_id": "B"}}, {"userId": "B"}, {"user_id": "B"}, {"agentId": "B"}]
)
async def test_iso_003_a_memory_never_moves_to_another_user(stage: Stage, change: dict[str, Any]) -> None:
    id = await stage.save("mine", "A")
    for body in (change, {"text": "theirs"} | change):
        assert code(await stage.http.patch(f"{stage.path}/memories/{id}", json=body)) == INVALID
    moved = await stage.tool("update_memory", "B", memory_id=id, text="theirs")
    assert moved["error"]["code"] == "not_found"
    await stage.client.memories.update(stage.agent, id, text="still mine", pinned=True)
    assert await stage.texts(user_id="B") == []
    assert await stage.texts(user_id="A") == ["still mine"]


async def test_iso_005_an_empty_a_blank_a_null_and_no_user_each_mean_one_thing(stage: Stage) -> None:
    path = f"{stage.path}/memories"
    await stage.save("mine", "a")
    await stage.save("everyone's", "")

    async def listed(query: str) -> list[str]:
        return [row["text"] for row in (await stage.http.get(f"{path}{query}")).json()["data"]]

    assert await listed("") == ["everyone's", "mine"], "no user: all partitions, for an administrator"
    assert await listed("?userId=") == ["everyone's"], "an empty one: the general partition"
    for query in (
        "?userId=%20",
        "?userId=%09",
        "?userId=%00",
        "?user_id=a",
        "?userId=a&agent_id=a",
        "?userId=a&userId=b",
    ):
        assert code(await stage.http.get(f"{path}{query}")) == INVALID
    for user in (" ", "\t", "\u200b", None, 7, ["a"], {"id": "a"}):
        assert code(await stage.http.post(path, json={"text": "x", "userId": user})) == INVALID
    turn = f"{stage.path}/turn/memories/search"
    assert (await stage.http.post(turn, json={"query": "mine", "userId": None})).json() == {"data": []}
    assert code(await stage.http.post(turn, json={"query": "mine", "userId": ""})) == INVALID


async def test_iso_006_a_user_is_no_prefix_and_no_pattern_of_another(stage: Stage) -> None:
    users = ("foobar", "foo_r", "fooXr", "foo%", "foo.", "foo*", "foo/bar")
    for user in users:
        await stage.save(f"memory of {user}", user)
        await stage.client.blocks.put("user", "USER", owner=user, text=f"block of {user}")
    for user in ("foo", "f", "foo_", "fo%", "%", "*", "foo/"):
        assert await stage.texts(user_id=user) == []
        assert await stage.found("memory", user) == []
        assert (await stage.client.blocks.list("user", owner=user)).data == ()
    for user in users:
        assert await stage.texts(user_id=user) == [f"memory of {user}"]
        assert [block.text for block in (await stage.client.blocks.list("user", owner=user)).data] == [
            f"block of {user}"
        ]


@pytest.mark.parametrize("scope", ["user", "shared"])
async def test_iso_008_an_owner_that_nobody_knows_has_nothing(stage: Stage, scope: str) -> None:
    await stage.save("mine", "test_user")
    await stage.client.blocks.put(scope, "USER", owner="test_user", text="mine")  # type: ignore[arg-type]
    assert await stage.found("mine", "test_user1") == []
    for owner in ("test_user1", "test_use", "Test_user", "test_user.md"):
        answer = await stage.http.get(f"/v1/blocks/{scope}/USER", params={"owner": owner})
        assert code(answer) == (404, "not_found")


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
async def test_iso_009_what_a_request_says_and_nobody_reads_is_refused(endpoint: Endpoint[Any]) -> None:
    async with open_stage("inproc://") as stage:
        path = address(endpoint, stage)
        answer = await stage.http.request(endpoint.method, path, params={"filters": "user_id"})
        assert code(answer) == INVALID if endpoint.needs_key else answer.status_code in (200, 400)
        if endpoint.body is not NoBody:
            body = {"query": "Where do i live", "filters": {"user_id": "b"}}
            assert code(await stage.http.request(endpoint.method, path, json=body)) == INVALID


async def test_iso_009_a_users_filter_is_minded(stage: Stage) -> None:
    await stage.save("i live in USA", "a")
    await stage.save("i live in france", "b")
    assert await stage.found("Where do i live", "a") == ["i live in USA"]
    assert await stage.texts(user_id="b", search="live") == ["i live in france"]


async def test_iso_013_an_empty_list_of_partitions_is_nothing(stage: Stage) -> None:
    store, id = stage.house.services.stores.memories, MemoryId(await stage.save("mine"))
    assert await store.memory(stage.pool, id, partitions=()) is None
    assert await store.rows(stage.pool, partitions=(), limit=9) == []
    assert await store.rows(stage.pool, partitions=(), limit=9, web="mine") == []
    assert await store.ranked(stage.pool, "mine", partitions=(), limit=9) == []
    assert await store.count(stage.pool, partitions=()) == 0
    assert not await store.delete_memory(stage.pool, id, partitions=())
    assert await stage.texts() == ["mine"]


def names_a_user(struct: type[msgspec.Struct]) -> bool:
    return "user_id" in struct.__struct_fields__


@pytest.mark.parametrize(
    "endpoint",
    [one for one in ENDPOINTS if one.for_user and (names_a_user(one.body) or names_a_user(one.query))],
    ids=lambda endpoint: endpoint.name,
)
async def test_iso_015_a_body_does_not_override_the_credential(endpoint: Endpoint[Any]) -> None:
    async with open_stage("inproc://") as stage:
        secret = (await stage.client.keys.create(name="alice", user_id="alice")).secret
        texts = {"name": "x", "text": "x", "message": "x", "prompt": "x", "query": "x", "memoryId": IDS["memoryId"],
                 "block": "USER", "edit": {"action": "add", "content": "x"}}  # fmt: skip
        body: dict[str, Any] = {name: texts[name] for name in endpoint.body.__struct_encode_fields__ if name in texts}
        if "messages" in endpoint.body.__struct_encode_fields__:
            said = {"text": "x", "speaker": "x", "at": "2026-05-08T10:00:00Z"}
            body |= {"sessionId": "s", "messages": [said]}
        sent: dict[str, Any] = {}
        if endpoint.body is not NoBody:
            sent["json"] = body | ({"userId": "bob"} if names_a_user(endpoint.body) else {})
        if names_a_user(endpoint.query):
            sent["params"] = {"userId": "bob"}
        async with stage.house.client(secret) as alice, stage.house.user("alice") as limited:
            for caller in (alice, limited):
                answer = await caller.request(endpoint.method, address(endpoint, stage), **sent)
                assert code(answer) == (403, "user_mismatch")
        assert stage.house.turns.turns == []


async def test_iso_018_no_blank_is_a_user(stage: Stage) -> None:
    edit = {"block": "USER", "edit": {"action": "add", "content": "x"}}
    runtime, _ = stage.runtime()
    for user in ("", " ", "\t", "\u00a0", "\u200b", "null\x00"):
        for path, body in (
            (f"{stage.path}/context", {}),
            (f"{stage.path}/turn", {}),
            (f"{stage.path}/turn/blocks/edit", edit),
            (f"{stage.path}/turn/memories/save", {"text": "x"}),
            (f"{stage.path}/sessions", {"message": "x"}),
            ("/api/chat", {"message": "x"}),
        ):
            assert code(await stage.http.post(path, json=body | {"userId": user})) == INVALID
        with pytest.raises(InvalidInput):
            await runtime.run("hi", agent_id=stage.agent, user_id=user)


async def test_iso_018_null_is_no_user_and_has_no_block_and_no_tool_for_one(stage: Stage) -> None:
    declared = (await stage.http.post(f"{stage.path}/turn", json={"userId": None})).json()
    assert [block["key"] for block in declared["blocks"]] == ["MEMORY"]
    assert "USER" not in await stage.prompt(None)
    refused = await stage.tool("memory_block", None, action="add", block="USER", content="x")
    assert refused["error"]["code"] == "validation_failed"


async def test_iso_020_what_is_read_by_its_id_is_checked_like_a_search(stage: Stage) -> None:
    house, other = stage.house, await stage.house.agent()
    id = await stage.save("mine")
    await house.services.sessions.open(stage.turn(session="s1"))
    held = await stage.tool("memory_block", action="add", block="MEMORY", content="x")
    waiting = (await stage.client.review.list()).data[0].id
    assert held["held"]
    for caller in (house.client(house.their_key), house.user("bob")):
        async with caller as stranger:
            for method, path in (
                *((method, f"{stage.path}/memories/{id}") for method in ("GET", "DELETE")),
                *((method, f"{stage.path}/sessions/s1") for method in ("GET", "DELETE")),
                ("GET", f"{stage.path}/sessions/s1/messages"),
                ("GET", f"/v1/review/{waiting}"),
                ("POST", f"/v1/review/{waiting}/approve"),
            ):
                answer = await stranger.request(method, path)
                assert code(answer) in ((404, "not_found"), (403, "forbidden")), path
    assert code(await stage.http.get(f"/v1/agents/{other}/memories/{id}")) == (404, "not_found")
    assert code(await stage.http.get(f"/v1/agents/{other}/sessions/s1")) == (404, "not_found")
    assert await stage.texts() == ["mine"]


async def test_iso_022_what_is_missing_never_becomes_the_default(stage: Stage) -> None:
    await stage.client.memories.create(ASSISTANT, text="the default's", user_id="maya")
    theirs = await stage.house.agent(tenant=THEIRS)
    for agent in ("ag_missing", theirs, "Assistant", "assistant "):
        chat = await stage.http.post("/api/chat", json={"message": "hi", "agentId": agent, "userId": "maya"})
        turn = await stage.http.post(f"/v1/agents/{agent}/context", json={"userId": "maya"})
        rows = await stage.http.get(f"/v1/agents/{agent}/memories")
        assert {answer.status_code for answer in (chat, turn, rows)} <= {400, 404}
        assert "the default's" not in chat.text + turn.text + rows.text
    answer = await stage.http.post(f"{stage.path}/context", json={"userId": "maya", "version": 9})
    assert code(answer) == (404, "agent_version_not_found")
    assert stage.house.turns.turns == []


async def test_iso_024_every_verb_finds_a_thing_at_one_address(stage: Stage) -> None:
    async with stage.house.user("u") as mine:
        for caller in (stage.http, mine):
            block: dict[str, Any] = {"url": "/v1/blocks/user/USER", "params": {"owner": "u"}}
            assert (await caller.put(**block, json={"text": "one"})).status_code == 200
            assert (await caller.get(**block)).json()["text"] == "one"
            edit = {"edit": {"action": "add", "content": "two"}}
            assert (await caller.patch(**block, json=edit)).json()["block"]["text"] == "one\n§\ntwo"
            assert (await caller.delete(**block)).status_code == 204
            assert (await caller.get(**block)).status_code == 404
            made = await caller.post(f"{stage.path}/memories", json={"text": "x", "userId": "u"})
            address = made.headers["Location"]
            assert (await caller.get(address)).json() == made.json()
            assert (await caller.patch(address, json={"text": "y"})).json()["memory"]["userId"] == "u"
            assert (await caller.delete(address)).status_code == 204


async def test_iso_025_prompt_search_list_and_reading_see_the_same_rows(stage: Stage) -> None:
    users = ("maya", "max", "", "may")
    ids = {user: await stage.save(f"note of <{user}>", user) for user in users}
    visible = {"note of <maya>", "note of <>"}
    assert set(await stage.found("note")) == visible
    assert {row for row in await stage.texts() if json.dumps(row).strip('"') in await stage.prompt()} == visible
    for user, id in ids.items():
        answer = await stage.tool("get_memory", memory_id=id)
        assert ("error" not in answer) == (user in ("maya", ""))
    async with stage.house.user("maya") as mine:
        rows = (await mine.get(f"{stage.path}/memories")).json()["data"]
    assert [row["userId"] for row in rows] == ["maya"], "an administrator's list has no general rows for a user"
    stranger = Pool(TenantId(THEIRS), AgentId(stage.agent))
    assert await stage.house.services.stores.memories.rows(stranger, partitions=None, limit=9) == []
