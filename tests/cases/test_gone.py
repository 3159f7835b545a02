"""What was deleted is gone: from every list, every count and every search; and may come again."""

import pytest

from homes import KEEP_EVERYTHING
from house import OURS
from stage import Stage
from wellkept.model.ids import SessionId
from wellkept.model.sessions import SessionKey
from wellkept.model.text import etag_of


async def test_gone_124_what_was_deleted_is_in_no_count_and_no_list(stage: Stage) -> None:
    await stage.client.memories.delete(stage.agent, await stage.save("heliotrope"))
    await stage.client.blocks.put("user", "USER", owner="maya", text="heliotrope")
    await stage.client.blocks.delete("user", "USER", owner="maya")
    await stage.client.turns.run(stage.agent, "heliotrope", user_id="maya", session_id="s1")
    await stage.client.turns.delete_session(stage.agent, "s1")
    held = await stage.tool("memory_block", action="add", block="MEMORY", content="heliotrope")
    assert held["held"]
    await stage.client.review.reject((await stage.client.review.list()).data[0].id)
    holdings = (await stage.house.services.stores.directory.holdings())[OURS]
    assert (holdings.blocks, holdings.memories, holdings.sessions, holdings.held) == (0, 0, 0, 0)
    for path in (
        f"{stage.path}/memories",
        f"{stage.path}/memories?search=heliotrope",
        f"{stage.path}/sessions",
        "/v1/blocks?scope=user&owner=maya",
        "/v1/review",
    ):
        assert (await stage.http.get(path)).json()["data"] == []
    assert "heliotrope" not in await stage.prompt()


async def test_gone_125_what_was_deleted_may_come_again(stage: Stage) -> None:
    client = stage.client
    for _ in range(3):
        told = await stage.tool("save_memory", text="likes tea")
        assert told["changed"]
        assert await stage.found("tea") == ["likes tea"]
        await stage.tool("delete_memory", memory_id=told["id"])
        await client.blocks.put("user", "USER", owner="maya", text="x", only_new=True)
        await client.blocks.delete("user", "USER", owner="maya")
        key = await client.keys.create(name="ci")
        await client.keys.revoke(key.key.id)
        await client.turns.run(stage.agent, "hi", user_id="maya", session_id="s1")
        assert (await client.turns.session(stage.agent, "s1")).length == 2
        await client.turns.delete_session(stage.agent, "s1")
    await client.turns.run(stage.agent, "hi", user_id="max", session_id="s1")  # nobody's name was left on it
    stored = await stage.house.services.sessions.get(SessionKey(OURS, stage.pool.agent, SessionId("s1")))
    assert stored.user == "max"


@pytest.mark.parametrize("place", KEEP_EVERYTHING, indirect=True)
async def test_gone_127_a_deletion_says_who_when_and_what(stage: Stage) -> None:
    etag = (await stage.client.blocks.put("user", "USER", owner="maya", text="x")).block.etag
    await stage.client.blocks.delete("user", "USER", owner="maya")
    newest = (await stage.client.blocks.history("user", "USER", owner="maya")).data[0]
    assert (newest.text, newest.actor, newest.etag_before, newest.etag_after) == (None, "admin", etag, None)
    assert newest.at.tzinfo is not None


async def test_gone_127_every_change_says_who_when_and_what(stage: Stage) -> None:
    id = await stage.save("likes tea")
    await stage.tool("update_memory", memory_id=id, text="likes coffee")
    await stage.client.memories.delete(stage.agent, id)
    await stage.client.blocks.put("user", "USER", owner="maya", text="x")
    await stage.client.blocks.delete("user", "USER", owner="maya")
    entries = [entry async for entry in stage.client.audit.iter(user_id="maya")][::-1]
    tea, coffee, x = (etag_of(text) for text in ("likes tea", "likes coffee", "x"))
    assert [(entry.action, entry.actor.role, entry.etag_before, entry.etag_after) for entry in entries] == [
        ("memory.created", "admin_key", None, tea),
        ("memory.updated", "user_turn", tea, coffee),
        ("memory.deleted", "admin_key", coffee, None),
        ("block.written", "admin_key", None, x),
        ("block.deleted", "admin_key", x, None),
    ]
    assert [entry.target for entry in entries] == [id, id, id, "USER", "USER"]
    assert all(entry.at.tzinfo for entry in entries)
    assert "tea" not in (await stage.http.get("/v1/audit")).text


async def test_gone_128_a_deleted_agent_leaves_nothing_of_its_own(stage: Stage) -> None:
    await stage.save("heliotrope")
    await stage.client.blocks.put("agent", "MEMORY", owner=stage.agent, text="heliotrope")
    await stage.client.blocks.put("user", "USER", owner="maya", text="the user's")
    await stage.client.turns.run(stage.agent, "heliotrope", user_id="maya", session_id="s1")
    await stage.tool("memory_block", action="add", block="MEMORY", content="heliotrope, too")
    await stage.client.agents.delete(stage.agent)
    holdings = (await stage.house.services.stores.directory.holdings())[OURS]
    assert (holdings.memories, holdings.sessions, holdings.held) == (0, 0, 0)
    assert [row.text for row in (await stage.client.blocks.list("user", owner="maya")).data] == ["the user's"]
    assert (await stage.client.blocks.list("agent", owner=stage.agent)).data == ()
