"""Whose a store is: the tenant that server and command line share, or the library's."""

import asyncio
from pathlib import Path

import wellkept
from command_line import say
from wellkept.compose.assemble import assemble
from wellkept.compose.first_start import start
from wellkept.compose.stores import open_stores


def test_whoever_comes_first_makes_the_tenant() -> None:
    say("memories", "add", "likes tea")
    made = say("memories", "list", "--json").json["data"][0]
    assert made["tenantId"].startswith("ten_")
    assert say("agents", "list", "--json").json["data"][0]["id"] == "assistant"
    say("memories", "add", "likes coffee")
    assert {row["tenantId"] for row in say("memories", "list", "--json").json["data"]} == {made["tenantId"]}


def test_what_a_program_keeps_is_seen_in_its_tenant(tmp_path: Path) -> None:
    """A library declares its agents in code: they are in no directory."""
    url = f"sqlite:///{tmp_path}/library.db"

    async def program() -> None:
        async with wellkept.open(url) as memory:
            turn = memory.turn(agent="support", user_id="user-42")
            await turn.memory.save_memory(turn.turn, "likes heliotrope")

    asyncio.run(program())
    store = ("--store", url, "--agent", "support")
    rows = say("memories", "list", "--json", *store).json["data"]
    assert [(row["tenantId"], row["text"]) for row in rows] == [("default", "likes heliotrope")]
    assert say("memories", "add", "likes teal", *store).code == 0
    assert len(say("memories", "list", "--json", *store).json["data"]) == 2
    assert say("agents", "list", "--json", "--store", url).json["data"] == []


def test_a_tenant_can_be_named() -> None:
    say("memories", "add", "likes tea")
    assert say("memories", "list", "--json", "--tenant", "default").json["data"] == []
    say("memories", "add", "the library's", "--tenant", "default")
    assert len(say("memories", "list", "--json", "--tenant", "default").json["data"]) == 1
    assert len(say("memories", "list", "--json").json["data"]) == 1
    assert say("memories", "list", "--tenant", "ten_other").code == 0


async def test_a_second_start_finds_what_the_first_made() -> None:
    services = assemble(await open_stores("inproc://first-start"))
    first, second = await start(services), await start(services)
    assert first.secret is not None
    assert second.secret is None
    assert first.tenant == second.tenant
    assert (await services.keys.authenticate(first.secret)).tenant == first.tenant
    # A key that was revoked was there: nobody gets a new one by starting again.
    (key,) = await services.keys.list(first.tenant)
    await services.keys.revoke(first.tenant, key.id)
    assert (await start(services)).secret is None


async def test_many_starts_at_once_make_one_of_each() -> None:
    services = assemble(await open_stores("inproc://many-starts"))
    started = await asyncio.gather(*(start(services) for _ in range(9)))
    assert len({each.tenant for each in started}) == 1
    assert len([each for each in started if each.secret]) == 1
    assert len(await services.keys.list(started[0].tenant)) == 1
    assert len((await services.agents.list(started[0].tenant)).data) == 1
