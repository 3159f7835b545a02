"""Agents with their versions, where their configuration comes from, and API keys."""

import asyncio
import re

import pytest

from service_house import AGENT, NAMES, NOTES, POOL, House, key, turn
from wellkept.contract.block_store import BlockStore
from wellkept.model.agents import AgentConfig
from wellkept.model.directory import Once
from wellkept.model.edits import Add
from wellkept.model.errors import (
    AgentDisabled,
    AgentVersionNotFound,
    AlreadyExists,
    Conflict,
    InvalidCursor,
    InvalidInput,
    NotFound,
    StoreUnavailable,
    Unauthorized,
)
from wellkept.model.ids import DEFAULT_TENANT, AgentId, SessionId, TenantId
from wellkept.model.pages import Position
from wellkept.rules.cursor import encode, fingerprint
from wellkept.services.agent_source import AgentSource, DeclaredSource, DirectorySource, ResolvedAgent
from wellkept.services.agents import Agents
from wellkept.services.new_ids import new_id
from wellkept.services.recall import Recall
from wellkept.stores.inproc import InprocStore
from wellkept.testing.recall_stage import said
from wellkept.testing.samples import a_block, a_change, an_owner, becomes

T = DEFAULT_TENANT
OTHER = TenantId("other")
CONFIG = AgentConfig(name="Helper")


class TestAgents:
    async def test_versions_count_up_and_never_change(self, house: House) -> None:
        first = await house.agents.create(T, CONFIG)
        assert re.fullmatch(r"ag_[0-9A-Za-z]{16}", first.id)
        second = await house.agents.update(T, first.id, becomes(AgentConfig(name="Renamed")))
        third = await house.agents.update(T, first.id, becomes(AgentConfig(name="Renamed")))
        assert (first.version, second.version, third.version) == (1, 2, 3)
        assert (await house.agents.get(T, first.id)).config.name == "Renamed"
        assert (await house.agents.version(T, first.id, 1)).config.name == "Helper"
        with pytest.raises(AgentVersionNotFound):
            await house.agents.version(T, first.id, 4)
        page = await house.agents.versions(T, first.id, limit=2)
        assert [version.version for version in page.data] == [3, 2]
        rest = await house.agents.versions(T, first.id, limit=2, cursor=page.next_cursor)
        assert ([version.version for version in rest.data], rest.next_cursor) == ([1], None)

    async def test_a_cursor_that_was_made_up_is_refused(self, house: House) -> None:
        await house.agent()
        forged = encode(Position(house.clock.now(), "x"), filter=fingerprint("versions", T, AGENT))
        with pytest.raises(InvalidCursor):
            await house.agents.versions(T, AGENT, cursor=forged)

    async def test_another_tenants_agent_is_not_there(self, house: House) -> None:
        await house.agent()
        for call in (
            house.agents.get(OTHER, AGENT),
            house.agents.update(OTHER, AGENT, becomes(CONFIG)),
            house.agents.version(OTHER, AGENT, 1),
            house.agents.versions(OTHER, AGENT),
            house.agents.disable(OTHER, AGENT),
            house.agents.enable(OTHER, AGENT),
            house.agents.delete(OTHER, AGENT),
        ):
            with pytest.raises(NotFound):
                await call
        assert (await house.agents.list(OTHER)).data == ()

    async def test_lists_are_of_a_user_or_of_all(self, house: House) -> None:
        for number, user in enumerate(("maya", "", "maya")):
            house.clock.advance(1)
            await house.agents.create(T, CONFIG, user_id=user, id=f"agent {number}")
        page = await house.agents.list(T, limit=2)
        assert [agent.id for agent in page.data] == ["agent 2", "agent 1"]
        rest = await house.agents.list(T, limit=2, cursor=page.next_cursor)
        assert [agent.id for agent in rest.data] == ["agent 0"]
        assert [agent.id for agent in (await house.agents.list(T, user_id="maya")).data] == ["agent 2", "agent 0"]
        with pytest.raises(InvalidCursor):
            await house.agents.list(T, cursor=page.next_cursor, user_id="maya")

    async def test_the_same_request_again_makes_no_second_agent(self, house: House) -> None:
        once = Once(operation="agents.create", key="k", fingerprint="f")
        first, again = [await house.agents.create(T, CONFIG, once=once) for _ in range(2)]
        assert again == first
        with pytest.raises(AlreadyExists):
            await house.agents.create(T, CONFIG, id=first.id)
        for bad in ("", " x", "a\nb"):
            with pytest.raises(InvalidInput):
                await house.agents.create(T, CONFIG, id=bad)

    async def test_concurrent_updates_each_get_a_number(self, house: House) -> None:
        await house.agent()
        made = await asyncio.gather(*(house.agents.update(T, AGENT, becomes(CONFIG)) for _ in range(10)))
        assert sorted(agent.version for agent in made) == list(range(2, 12))

    async def test_deleting_takes_all_that_is_the_agents_and_nothing_else(self, house: House) -> None:
        await house.agent(NAMES, NOTES)
        await house.memory.edit_block(turn(None), "MEMORY", Add("note"))
        await house.memory.edit_block(turn("maya", "s"), "USER", Add("mine"))
        await house.memory.edit_block(turn("maya", "s"), "MEMORY", Add("held"))
        await house.memory.save_memory(turn(), "likes tea")
        await house.sessions.open(turn("maya", "s"))
        await house.agents.delete(T, AGENT)
        assert await house.store.get(key("MEMORY", "agent", AGENT)) is None
        assert await house.store.get(key()) is not None
        assert await house.store.count(POOL) == 0
        assert await house.sessions.check(turn("sam", "s")) is None
        assert (await house.review.list(T)).data == ()
        assert house.kinds()[-1] == "agent_deleted"
        with pytest.raises(NotFound):
            await house.agents.delete(T, AGENT)

    async def test_blocks_memories_and_passages_elsewhere_go_too(self, house: House) -> None:
        await house.agent(NOTES)
        blocks: BlockStore = InprocStore()
        memories = InprocStore()
        kept = House(store=memories)
        await kept.memories.create(POOL, user_id="", text="x")
        passages = InprocStore()
        owner = an_owner(agent=AGENT)
        await Recall(passages).ingest(owner, SessionId("s1"), [said("x")])
        await House(store=blocks).blocks.put(key("MEMORY", "agent", AGENT), "note")
        agents = Agents(house.store, blocks=blocks, memories=memories, passages=passages, clock=house.clock)
        await agents.delete(T, AGENT)
        assert await blocks.get(key("MEMORY", "agent", AGENT)) is None
        assert await memories.count(POOL) == 0
        assert await passages.passage_ids(owner) == frozenset()

    async def test_what_a_turn_writes_elsewhere_while_its_agent_is_deleted_goes_too(self) -> None:
        blocks, elsewhere = InprocStore(), House(store=InprocStore())

        class Slow(InprocStore):
            async def delete_agent(self, tenant: TenantId, agent: AgentId) -> bool:
                await blocks.put(a_block(key=key("MEMORY", "agent", AGENT)), expect=None, change=a_change())
                await elsewhere.memories.create(POOL, user_id="", text="x")
                return await super().delete_agent(tenant, agent)

        house = House(store=Slow())
        await house.agent(NOTES)
        agents = Agents(house.store, blocks=blocks, memories=elsewhere.store, passages=InprocStore(), clock=house.clock)
        await agents.delete(T, AGENT)
        assert await blocks.get(key("MEMORY", "agent", AGENT)) is None
        assert await elsewhere.store.count(POOL) == 0

    async def test_an_agent_whose_blocks_cannot_go_stays(self, house: House) -> None:
        class Failing(InprocStore):
            async def purge(self, tenant: TenantId, scope: object, owner: str) -> int:
                raise StoreUnavailable

        await house.agent(NOTES)
        agents = Agents(house.store, blocks=Failing(), memories=house.store, passages=house.store, clock=house.clock)
        with pytest.raises(StoreUnavailable):
            await agents.delete(T, AGENT)
        assert await house.agents.get(T, AGENT)


class TestSources:
    async def test_the_directory_knows_its_agents(self, house: House) -> None:
        await house.agent(NAMES)
        await house.agent(NOTES)
        source = DirectorySource(house.store)
        newest, older = await source.resolve(T, AGENT, None), await source.resolve(T, AGENT, 1)
        assert (newest.version, older.version) == (2, 1)
        assert older.config.working_memory is not None
        assert older.config.working_memory.auto_load == (NAMES,)
        with pytest.raises(AgentVersionNotFound):
            await source.resolve(T, AGENT, 9)
        with pytest.raises(NotFound):
            await source.resolve(OTHER, AGENT, None)
        await house.agents.disable(T, AGENT)
        with pytest.raises(AgentDisabled):
            await source.resolve(T, AGENT, 1)
        await house.agents.enable(T, AGENT)
        await source.resolve(T, AGENT, 1)

    async def test_a_fallback_is_any_agent_that_is_not_known(self, house: House) -> None:
        source = DirectorySource(house.store, fallback=CONFIG)
        agent = await source.resolve(T, AgentId("any"), None)
        assert (agent.id, agent.version, agent.config) == ("any", 1, CONFIG)
        with pytest.raises(AgentVersionNotFound):
            await source.resolve(T, AgentId("any"), 2)

    async def test_declared_agents_come_first(self, house: House) -> None:
        await house.agent()
        declared = {AgentId("own"): ResolvedAgent(id=AgentId("own"), version=1, config=CONFIG)}
        source: AgentSource = DeclaredSource(declared, DirectorySource(house.store))
        assert (await source.resolve(T, AgentId("own"), None)).config == CONFIG
        assert (await source.resolve(T, AGENT, None)).id == AGENT
        with pytest.raises(AgentVersionNotFound):
            await source.resolve(T, AgentId("own"), 2)
        with pytest.raises(NotFound):
            await DeclaredSource(declared, None).resolve(T, AGENT, None)


class TestKeys:
    async def test_a_key_is_known_until_it_is_revoked(self, house: House) -> None:
        made, secret = await house.keys.create(T, "laptop", user_id="maya")
        assert re.fullmatch(r"wk_[0-9A-Za-z]{40}", secret)
        assert re.fullmatch(r"key_[0-9A-Za-z]{16}", made.id)
        assert (made.user_id, secret.startswith(made.hint)) == ("maya", True)
        assert secret not in repr(await house.keys.list(T))
        assert await house.keys.authenticate(secret) == made
        with pytest.raises(NotFound):
            await house.keys.revoke(OTHER, made.id)
        await house.keys.revoke(T, made.id)
        with pytest.raises(Unauthorized):
            await house.keys.authenticate(secret)
        with pytest.raises(NotFound):
            await house.keys.revoke(T, made.id)

    @pytest.mark.parametrize("secret", ["", "wk_", "wk_é", "\ud800", "x" * 100_000])
    async def test_what_is_no_key_is_nobodys(self, house: House, secret: str) -> None:
        with pytest.raises(Unauthorized):
            await house.keys.authenticate(secret)

    async def test_names_are_taken_once_and_keys_are_few(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("wellkept.services.keys.MAX_KEYS", 2)
        first, _ = await house.keys.create(T, "one")
        with pytest.raises(AlreadyExists):
            await house.keys.create(T, "one")
        await house.keys.create(T, "two")
        with pytest.raises(Conflict):
            await house.keys.create(T, "three")
        await house.keys.revoke(T, first.id)
        await house.keys.create(T, "three")
        for name, user in [("", ""), ("x\ny", ""), ("four", " x")]:
            with pytest.raises(InvalidInput):
                await house.keys.create(T, name, user_id=user)


def test_ids_do_not_repeat() -> None:
    assert len({new_id("mem_") for _ in range(10_000)}) == 10_000
