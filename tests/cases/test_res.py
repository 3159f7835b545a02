"""Time, resources and the network: little of each, and nothing waits for what it does not need."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

import wellkept
from stage import Stage, code, open_stage
from wellkept.runtime.agent import Agent, Memories, WorkingMemory
from wellkept.runtime.runtime import Runtime


async def test_res_112_who_gives_up_leaves_a_store_that_works(stage: Stage) -> None:
    id = await stage.save("kept")
    for _ in range(20):
        tasks = [
            asyncio.create_task(stage.texts()),
            asyncio.create_task(stage.client.blocks.add("user", "USER", owner="maya", content="x")),
            asyncio.create_task(stage.client.memories.update(stage.agent, id, text="kept")),
        ]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    async with asyncio.timeout(5):
        assert await stage.texts() == ["kept"]
        await stage.client.blocks.put("user", "USER", owner="maya", text="usable")


async def test_res_113_the_first_use_may_be_many_at_once(tmp_path: Path) -> None:
    agent = Agent("support", model="offline", working_memory=WorkingMemory(), memories=Memories(inject=True))
    async with Runtime([agent], store=f"sqlite:///{tmp_path}/new.db") as runtime, asyncio.timeout(20):
        turns = [runtime.run(f"call me Sam{n}", user_id=f"u{n}", session_id=f"s{n}") for n in range(20)]
        results = await asyncio.gather(*turns)
    assert all(f"Sam{n}" in result.text for n, result in enumerate(results))


async def test_res_114_a_store_that_is_away_makes_no_process_restart(tmp_path: Path) -> None:
    async with open_stage(f"sqlite:///{tmp_path}/w.db") as stage:
        await stage.house.services.stores.close()
        async with stage.house.client("") as probe:
            assert (await probe.get("/live")).status_code == 200
            assert code(await probe.get("/ready")) == (503, "closed")


async def test_res_117_showing_memories_writes_little(tmp_path: Path) -> None:
    async with open_stage(f"sqlite:///{tmp_path}/w.db") as stage:
        await asyncio.gather(*(stage.save(f"note {n} " + "x" * 100) for n in range(500)))
        memory, turn = stage.house.services.memory, stage.turn()

        def size() -> int:
            return sum(file.stat().st_size for file in tmp_path.iterdir())

        async def shown(times: int) -> int:
            before = size()
            for _ in range(times):
                await memory.context(turn)
            await stage.house.services.memories.flush()
            return size() - before

        once = await shown(1)
        assert await shown(20) <= once + 2_000_000


async def test_res_119_nothing_is_sent_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def refuse(*address: Any, **_: Any) -> None:
        asked.append(address)
        raise OSError("no network here")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    url = f"sqlite:///{tmp_path}/w.db"
    async with wellkept.open(url) as memory:
        turn = memory.turn(agent="support", user_id="maya")
        await turn.context()
        for tool in turn.tools():
            if tool.name == "save_memory":
                await tool.call({"text": "likes tea"})
    agent = Agent("support", model="offline", working_memory=WorkingMemory(), memories=Memories(inject=True))
    async with Runtime([agent], store=url) as runtime:
        assert "Sam" in (await runtime.run("call me Sam", user_id="maya", session_id="s1")).text
    async with open_stage(url) as stage:
        await stage.save("x")
    assert asked == []
