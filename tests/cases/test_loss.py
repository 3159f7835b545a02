"""Nothing is lost, and nothing fails without saying so."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx2
import pytest

import wellkept
from homes import KEEP_EVERYTHING
from house import OURS
from stage import CONFIG, Stage, code, open_stage
from wellkept.compose.assemble import assemble
from wellkept.compose.stores import open_stores
from wellkept.model.directory import ApiKey
from wellkept.model.edits import Add
from wellkept.model.errors import AlreadyExists
from wellkept.model.ids import DEFAULT_TENANT, AgentId
from wellkept.model.keys import BlockKey
from wellkept.model.memories import Pool, PoolRules
from wellkept.testing.samples import a_memory

BLOCK = {"url": "/v1/blocks/user/USER", "params": {"owner": "maya"}}


async def test_loss_042_opening_deletes_nothing(place: tuple[str, str | None]) -> None:
    url, blocks = place
    pool = Pool(DEFAULT_TENANT, AgentId("support"))
    key = BlockKey(tenant=DEFAULT_TENANT, scope="user", owner="maya", key="USER")
    if url == "inproc://":
        url = "inproc://cases"  # shared by its name, as a file is by its path, while it is open
    keeper = await open_stores(url, blocks_url=blocks)
    for start in range(1, 4):
        services = assemble(await open_stores(url, blocks_url=blocks))
        await services.blocks.edit(key, Add(f"start {start}"))
        await services.memories.create(pool, user_id="maya", text=f"start {start}")
        assert len((await services.blocks.get(key)).text.split("\n§\n")) == start
        assert len((await services.memories.list(pool)).data) == start
        await services.close()
    await keeper.close()


async def test_loss_044_an_answer_shows_what_was_written(stage: Stage) -> None:
    text = "I like strawberry."
    made = (await stage.client.memories.create(stage.agent, text=text, user_id="maya")).memory
    assert (await stage.client.memories.get(stage.agent, made.id)).memory == made
    told = await stage.tool("save_memory", text="I like tea.")
    assert (told["changed"], (await stage.tool("get_memory", memory_id=told["id"]))["memory"]["text"]) == (
        True,
        "I like tea.",
    )
    assert sorted(await stage.texts()) == [text, "I like tea."]
    for nothing in ("", " ", "\u200b", "\n\t", "\u3164"):
        assert code(await stage.http.post(f"{stage.path}/memories", json={"text": nothing})) == (
            400,
            "validation_failed",
        )
        assert "error" in await stage.tool("save_memory", text=nothing)


async def test_loss_048_a_store_that_fails_is_never_an_empty_answer(tmp_path: Path) -> None:
    async with open_stage(f"sqlite:///{tmp_path}/w.db") as stage:
        id = await stage.save("mine")
        await stage.client.blocks.put("user", "USER", owner="maya", text="mine")
        key = await stage.house.services.keys.authenticate(stage.house.key)
        stage.house.services.keys.authenticate = still(key)  # type: ignore[method-assign]  # else it fails before
        await stage.house.services.stores.close()
        user = {"userId": "maya"}
        asked: list[httpx2.Response] = [
            await stage.http.get(f"{stage.path}/memories"),
            await stage.http.get(f"{stage.path}/memories", params={"search": "mine"}),
            await stage.http.get(f"{stage.path}/memories", params={"search": "mine", "mode": "ranked"}),
            await stage.http.get(f"{stage.path}/memories/{id}"),
            await stage.http.get(**BLOCK),
            await stage.http.get("/v1/blocks", params={"scope": "user", "owner": "maya"}),
            await stage.http.post(f"{stage.path}/context", json=user),
            await stage.http.post(f"{stage.path}/turn/memories/search", json=user | {"query": "mine"}),
            await stage.http.get(f"{stage.path}/sessions"),
            await stage.http.get("/v1/agents"),
            await stage.http.get("/v1/keys"),
            await stage.http.get("/v1/review"),
        ]
        assert [code(answer) for answer in asked] == [(503, "closed")] * len(asked)


def still(key: ApiKey) -> Callable[[str], Awaitable[ApiKey]]:
    async def authenticate(secret: str) -> ApiKey:
        return key

    return authenticate


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Melanie painted a lake sunrise in 2022.", "When did Melanie paint a sunrise?"),
        ("The support line is open till six.", "until when is the support line open?"),
        ("Invoices go to billing@example.com", "Where do I send my invoices to?"),
    ],
)
async def test_loss_050_a_question_finds_what_answers_it(stage: Stage, text: str, query: str) -> None:
    for n in range(5):
        await stage.save(f"Something else, number {n}.")
    await stage.save(text)
    assert (await stage.found(query))[0] == text
    assert (await stage.texts(search=query, mode="ranked"))[0] == text


async def test_loss_052_what_changes_nothing_says_so(stage: Stage) -> None:
    blocks, owner = stage.client.blocks, {"owner": "maya"}
    assert (await blocks.put("user", "USER", text="tea", **owner)).changed
    assert not (await blocks.put("user", "USER", text="tea", **owner)).changed
    assert not (await blocks.add("user", "USER", content="tea", **owner)).changed
    assert not (await blocks.replace("user", "USER", content="tea", match="te", **owner)).changed
    for arguments in ({"action": "add", "content": "tea"}, {"action": "replace", "content": "tea"}):
        assert (await stage.tool("memory_block", block="USER", **arguments))["changed"] is False
    saved = await stage.tool("save_memory", text="likes tea")
    assert (await stage.tool("save_memory", text="likes tea"))["changed"] is False
    assert (await stage.tool("update_memory", memory_id=saved["id"], text="likes tea"))["changed"] is False
    assert (await stage.tool("delete_memory", memory_id=saved["id"]))["changed"] is True
    assert (await stage.tool("delete_memory", memory_id=saved["id"]))["changed"] is False


async def test_loss_053_what_is_there_is_not_overwritten_unasked(stage: Stage) -> None:
    await stage.http.put(**BLOCK, json={"text": "a day's notes"})
    answer = await stage.http.put(**BLOCK, json={"text": "x"}, headers={"If-None-Match": "*"})
    assert code(answer) == (412, "precondition_failed")
    assert (await stage.http.get(**BLOCK)).json()["text"] == "a day's notes"
    with pytest.raises(AlreadyExists):
        await stage.house.services.agents.create(OURS, CONFIG, id="assistant")


@pytest.mark.parametrize("place", KEEP_EVERYTHING, indirect=True)
async def test_loss_053_what_was_overwritten_can_be_had_again(stage: Stage) -> None:
    for text in ("a day's notes", "x"):
        await stage.http.put(**BLOCK, json={"text": text})
    await stage.client.blocks.delete("user", "USER", owner="maya")
    restored = await stage.client.blocks.restore("user", "USER", owner="maya", number=1)
    assert restored.block.text == "a day's notes"


async def test_loss_054_a_file_that_is_saved_again_stays_known(tmp_path: Path) -> None:
    async with open_stage(f"sqlite:///{tmp_path}/w.db", f"files://{tmp_path}/blocks") as stage:
        await stage.http.put(**BLOCK, json={"text": "line one\nline two"})
        [file] = list((tmp_path / "blocks").rglob("USER.md"))
        for rewritten in ("line one\nline two", "line one\nline two\n", "another text"):
            other = file.with_suffix(".swp")
            other.write_text(rewritten, encoding="utf-8")
            other.replace(file)  # as an editor saves
            assert (await stage.http.get(**BLOCK)).json()["text"] == rewritten
            assert [row.key for row in (await stage.client.blocks.list("user", owner="maya")).data] == ["USER"]
            assert rewritten.splitlines()[0] in await stage.prompt()


async def test_loss_055_what_was_written_is_found_and_what_was_deleted_is_not(stage: Stage) -> None:
    text = "the token of this run is SMOKE-14806012"
    for save in range(2):
        id = await stage.save(text)
        for query in ("SMOKE-14806012", "14806012", "smoke"):
            assert await stage.found(query) == [text], save
        assert await stage.texts(search="SMOKE-14806012") == [text]
        assert text in await stage.prompt()
        await stage.client.memories.delete(stage.agent, id)
        for query in ("SMOKE-14806012", "14806012", "smoke"):
            assert await stage.found(query) == []
        assert await stage.texts(search="SMOKE-14806012") == []
        assert text not in await stage.prompt()


async def test_loss_058_others_rows_take_no_place_among_the_found(stage: Stage) -> None:
    for n in range(30):
        await stage.save("heliotrope heliotrope heliotrope", f"user {n}")
    mine = [f"long ago somebody said {n} times that a heliotrope may grow here" for n in range(2)]
    for text in mine:
        await stage.save(text)
    found = await stage.client.turns.search_memories(stage.agent, "heliotrope", user_id="maya", limit=2)
    assert {each.memory.text for each in found.data} == set(mine)
    for mode in ("web", "ranked"):
        page = await stage.client.memories.list(stage.agent, user_id="maya", search="heliotrope", mode=mode, limit=2)
        assert {row.text for row in page.data} == set(mine)


@pytest.mark.parametrize("place", KEEP_EVERYTHING, indirect=True)
async def test_loss_059_a_deletion_stops_at_no_page(stage: Stage) -> None:
    store, rules = stage.house.services.stores.memories, PoolRules(cap=2_000)
    rows = [a_memory(n, user=f"user {n % 3}", pool=stage.pool) for n in range(1_001)]
    await asyncio.gather(*(store.create(row, rules=rules) for row in rows))
    assert len(await stage.texts(limit=100)) == 1_001
    await stage.client.agents.delete(stage.agent)
    assert await store.count(stage.pool) == 0


async def test_loss_042_a_store_needs_nothing_but_its_address(tmp_path: Path) -> None:
    for _ in range(2):
        async with wellkept.open(f"sqlite:///{tmp_path}/new/memory.db") as memory:
            turn = memory.turn(agent="support", user_id="maya")
            await memory.memory.save_memory(turn.turn, "likes tea")
            assert "likes tea" in (await turn.context()).text
