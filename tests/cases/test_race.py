"""Many at once: nobody's write is lost, and nothing is half done."""

import asyncio

import pytest

from house import OURS
from stage import Stage, code


async def test_race_029_many_tool_calls_of_one_answer_all_take_effect(stage: Stage) -> None:
    adds = [("memory_block", {"action": "add", "block": "USER", "content": f"fact {n:02}"}) for n in range(20)]
    saves = [("save_memory", {"text": f"memory {n:02}"}) for n in range(20)]
    runtime, played = stage.runtime([*adds, *saves])
    async with runtime:
        result = await runtime.run("go", agent_id=stage.agent, user_id="maya", session_id="s1")
    assert [told["changed"] for told in played.told] == [True] * 40
    assert len(result.memory_changes) == 40
    block = await stage.client.blocks.get("user", "USER", owner="maya")
    assert sorted(block.text.split("\n§\n")) == [f"fact {n:02}" for n in range(20)]
    assert sorted(await stage.texts()) == [f"memory {n:02}" for n in range(20)]


async def test_race_029_many_requests_of_one_block_all_take_effect(stage: Stage) -> None:
    await asyncio.gather(
        *(stage.client.blocks.add("shared", "TEAM", owner="o", content=f"fact {n:02}") for n in range(20))
    )
    block = await stage.client.blocks.get("shared", "TEAM", owner="o")
    assert sorted(block.text.split("\n§\n")) == [f"fact {n:02}" for n in range(20)]


async def test_race_033_a_fact_of_another_session_survives_an_edit(stage: Stage) -> None:
    tools = await stage.tools()
    await tools["memory_block"].call({"action": "add", "block": "USER", "content": "name: Sam"})
    seen = await tools["memory_block"].call({"action": "view", "block": "USER"})
    etag = (await stage.client.blocks.get("user", "USER", owner="maya")).etag
    await stage.tool("memory_block", action="add", block="USER", content="plan: gold")  # another session
    await tools["memory_block"].call({"action": "replace", "block": "USER", "content": "name: Max", "match": "Sam"})
    stale = await stage.http.put(
        "/v1/blocks/user/USER",
        params={"owner": "maya"},
        json={"text": seen["content"]},
        headers={"If-Match": f'"{etag}"'},
    )
    assert code(stale) == (412, "precondition_failed")
    assert (await stage.client.blocks.get("user", "USER", owner="maya")).text == "name: Max\n§\nplan: gold"


# The same mistake in another room: an update of an agent read the whole of it, and wrote the whole of it.
async def test_race_033_two_changes_of_an_agent_both_stay(stage: Stage) -> None:
    client, agent = stage.client, stage.agent
    for round in range(5):
        await asyncio.gather(
            client.agents.update(agent, name=f"N{round}"),
            client.agents.update(agent, instructions=f"I{round}"),
            client.agents.update(agent, metadata={"round": str(round)}),
        )
        stored = await client.agents.get(agent)
        assert (stored.name, stored.instructions, stored.metadata) == (f"N{round}", f"I{round}", {"round": str(round)})
    assert stored.version == 16


@pytest.mark.parametrize("what", ["block", "memory"])
async def test_race_034_a_stale_write_is_a_conflict_that_names_what_is_there(stage: Stage, what: str) -> None:
    if what == "block":
        await stage.client.blocks.put("user", "USER", owner="maya", text="now")
        path, params, method = "/v1/blocks/user/USER", {"owner": "maya"}, "PUT"
    else:
        path, params, method = f"{stage.path}/memories/{await stage.save('now')}", {}, "PATCH"
    etag = (await stage.http.get(path, params=params)).headers["ETag"]
    answer = await stage.http.request(method, path, params=params, json={"text": "x"}, headers={"If-Match": '"old"'})
    assert code(answer) == (412, "precondition_failed")
    assert f'"{answer.json()["error"]["details"]["etag"]}"' == answer.headers["ETag"] == etag


async def test_race_035_of_many_who_replace_one_text_one_wins(stage: Stage) -> None:
    etag = (await stage.client.blocks.put("user", "USER", owner="maya", text="first")).block.etag
    writes = [stage.client.blocks.put("user", "USER", owner="maya", text=f"n{n}", if_match=etag) for n in range(8)]
    answers = await asyncio.gather(*writes, return_exceptions=True)
    winners = [answer for answer in answers if not isinstance(answer, BaseException)]
    assert len(winners) == 1
    assert (await stage.client.blocks.get("user", "USER", owner="maya")).text == winners[0].block.text


async def test_race_038_an_agent_goes_whole_and_its_neighbour_stays_whole(stage: Stage) -> None:
    other = await stage.house.agent()
    for n in range(30):
        await stage.save(f"old {n}")
    await stage.client.blocks.put("agent", "MEMORY", owner=stage.agent, text="old")
    writes = [stage.client.memories.create(other, text=f"n{n}") for n in range(20)]
    await asyncio.gather(stage.client.agents.delete(stage.agent), *writes)
    assert len([row async for row in stage.client.memories.iter(other)]) == 20
    for path in ("memories", "turn/memories/save"):
        assert code(await stage.http.post(f"{stage.path}/{path}", json={"text": "x"})) == (404, "not_found")
    holdings = await stage.house.services.stores.directory.holdings()
    assert holdings[OURS].memories == 20
    assert await stage.house.services.stores.blocks.blocks(OURS, "agent", stage.agent) == []
