"""What is stored is what was said: once, unaltered, and no longer when it was taken back."""

from datetime import datetime
from typing import Any

import pytest

from house import OURS
from stage import INVALID, Stage, code
from wellkept.model.blocks import BlockSpec, WorkingMemorySpec
from wellkept.model.errors import AlreadyExists, InvalidInput
from wellkept.model.memories import PoolRules
from wellkept.testing.samples import a_memory

DOG = "My dog's name is Rex.\nHe is a beagle, seven years old, and afraid of the vacuum cleaner."


async def test_truth_062_the_same_again_is_the_one_that_is_there(stage: Stage) -> None:
    first = await stage.tool("save_memory", text=DOG)
    again = await stage.tool("save_memory", text=DOG)
    assert (again["changed"], again["memory"]["id"]) == (False, first["id"])
    assert await stage.texts() == [DOG]
    for _ in range(2):
        await stage.tool("memory_block", action="add", block="USER", content=DOG)
    assert (await stage.client.blocks.get("user", "USER", owner="maya")).text == DOG


@pytest.mark.parametrize("id", ["mem_0000000000000000", "mem_1", "", "1", "' OR 1=1 --", None, 7])
async def test_truth_064_an_id_that_the_model_made_up_changes_nothing(stage: Stage, id: object) -> None:
    await stage.save(DOG)
    named = {"memory_id": id}
    runtime, played = stage.runtime(
        [("get_memory", named), ("update_memory", named | {"text": "x"}), ("delete_memory", named)]
    )
    async with runtime:
        result = await runtime.run("go", agent_id=stage.agent, user_id="maya")
    assert (result.text, result.memory_changes) == ("done", ())
    assert {told["error"]["code"] for told in played.told} <= {"not_found", "validation_failed"}
    assert await stage.texts() == [DOG]


async def test_truth_065_a_change_leaves_what_it_does_not_name(stage: Stage) -> None:
    id = (await stage.client.memories.create(stage.agent, text="a", user_id="maya", pinned=True)).memory.id
    assert (await stage.client.memories.update(stage.agent, id, text="b")).memory.pinned
    assert (await stage.client.memories.update(stage.agent, id, pinned=False)).memory.text == "b"
    before = await stage.client.agents.update(stage.agent, metadata={"category": "x", "priority": "1"})
    after = await stage.client.agents.update(stage.agent, instructions="Be kind.")
    for name in ("name", "model", "tools", "memory_injection_enabled", "working_memory", "memories", "metadata"):
        assert getattr(after, name) == getattr(before, name), name


async def test_truth_067_every_count_is_of_the_same_rows(stage: Stage) -> None:
    ids = [await stage.save(f"note {n}", user) for n in range(3) for user in ("maya", "max", "")]
    for id in ids[:4]:
        await stage.client.memories.delete(stage.agent, id)
    stores = stage.house.services.stores
    counts = {
        len(await stage.texts()),
        len(await stage.texts(search="note")),
        await stores.memories.count(stage.pool),
        (await stores.directory.holdings())[OURS].memories,
    }
    assert counts == {5}
    receipt = (await stage.client.context.render(stage.agent, user_id="maya")).receipt
    rendered = {piece.id for piece in receipt.pieces if piece.kind == "memory"}
    found = await stage.client.turns.search_memories(stage.agent, "note", user_id="maya", limit=20)
    assert rendered == {each.memory.id for each in found.data}


async def test_truth_068_an_id_is_never_used_for_something_else(stage: Stage) -> None:
    store = stage.house.services.stores.memories
    await store.create(a_memory(1, "first", user="maya", pool=stage.pool), rules=PoolRules())
    with pytest.raises(AlreadyExists):
        await store.create(a_memory(1, "second", user="max", pool=stage.pool), rules=PoolRules())
    assert await stage.texts(user_id="maya") == ["first"]
    assert await stage.texts(user_id="max") == []


async def test_truth_069_done_twice_is_done_once(stage: Stage) -> None:
    for _ in range(2):
        await stage.client.blocks.replace("user", "USER", owner="maya", content="> a\n### b\n| c")
        agent = await stage.client.agents.update(stage.agent, metadata={"a": "{'a': 'b'}"})
    assert agent.metadata == {"a": "{'a': 'b'}"}
    assert (await stage.client.blocks.get("user", "USER", owner="maya")).text == "> a\n### b\n| c"
    await stage.save(await stage.prompt())  # what was rendered, stored and rendered again, is itself
    assert [await stage.texts(), await stage.prompt()] == [await stage.texts(), await stage.prompt()]


async def test_truth_070_what_is_only_alike_is_kept(stage: Stage) -> None:
    alike = ["likes tea", "likes tea.", "Likes tea", "likes  tea", "likes tea ", "likes the tea", "dislikes tea"]
    for text in alike:
        assert (await stage.tool("save_memory", text=text))["changed"], text
    assert sorted(await stage.texts()) == sorted(alike)


async def test_truth_072_what_was_corrected_is_found_nowhere(stage: Stage) -> None:
    id = await stage.save("the code is 4711")
    await stage.tool("update_memory", memory_id=id, text="the code is 1147")
    assert await stage.found("4711") == []
    assert await stage.texts(search="4711") == []
    assert "4711" not in await stage.prompt()
    assert await stage.found("1147") == ["the code is 1147"]
    await stage.tool("delete_memory", memory_id=id)
    assert await stage.found("code") == []
    assert "1147" not in await stage.prompt()
    assert (await stage.tool("update_memory", memory_id=id, text="back"))["error"]["code"] == "not_found"


@pytest.mark.parametrize("scope", ["user", "agent", "shared"])
async def test_truth_075_no_two_blocks_have_one_name(stage: Stage, scope: str) -> None:
    twice = [{"scope": "user", "key": "USER"}, {"scope": scope, "key": "USER"}]
    for method, path, body in (("POST", "/v1/agents", {"name": "x"}), ("PUT", stage.path, {})):
        answer = await stage.http.request(method, path, json=body | {"workingMemory": {"autoLoad": twice}})
        assert code(answer) == INVALID
    with pytest.raises(InvalidInput):
        WorkingMemorySpec(auto_load=(BlockSpec("user", "USER"), BlockSpec(scope, "USER")))  # type: ignore[arg-type]


async def test_truth_077_a_block_over_a_lowered_limit_can_be_used_and_shrunk(stage: Stage) -> None:
    long = "\n§\n".join(f"fact {n}" for n in range(50))
    await stage.client.blocks.put("user", "USER", owner="maya", text=long)
    spec = WorkingMemorySpec(auto_load=(BlockSpec("user", "USER", char_limit=60),))
    await stage.client.agents.update(stage.agent, working_memory=spec)
    assert "fact 0" in await stage.prompt()
    refused = await stage.tool("memory_block", action="add", block="USER", content="more")
    assert (refused["error"]["code"], refused["error"]["limit"]) == ("over_limit", 60)
    for n in range(45):
        assert (await stage.tool("memory_block", action="remove", block="USER", match=f"fact {n}"))["changed"], n
        long = (await stage.client.blocks.get("user", "USER", owner="maya")).text
        if n == 10:
            assert len(long) > 60
    assert (await stage.tool("memory_block", action="add", block="USER", content="more"))["changed"]


async def test_truth_079_what_changes_nothing_leaves_every_date_and_what_changes_stamps_it(stage: Stage) -> None:
    async def dates() -> list[datetime]:
        block = await stage.client.blocks.get("user", "USER", owner="maya")
        agent = await stage.client.agents.get(stage.agent)
        memory = (await stage.client.memories.get(stage.agent, id)).memory
        return [block.updated_at, agent.updated_at, memory.updated_at]

    async def write(text: str, **more: Any) -> None:
        await stage.client.blocks.put("user", "USER", owner="maya", text=text)
        await stage.client.memories.update(stage.agent, id, text=text)

    id = await stage.save("one")
    await write("one")
    before = await dates()
    await write("one")
    await stage.client.agents.enable(stage.agent)
    await stage.prompt()
    await stage.found("one")
    await stage.house.services.memories.flush()
    assert await dates() == before
    await write("two")
    await stage.client.agents.update(stage.agent, name="two")
    assert all(new > old for new, old in zip(await dates(), before, strict=True))
