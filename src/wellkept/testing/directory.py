"""What every directory keeps: `DirectoryContract`."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import pytest
from msgspec.structs import replace

from wellkept.contract.block_store import BlockStore
from wellkept.contract.directory import Directory
from wellkept.contract.memory_store import MemoryStore
from wellkept.contract.passage_store import PassageStore
from wellkept.contract.review_store import ReviewStore
from wellkept.contract.session_store import SessionStore
from wellkept.model.agents import AgentConfig, AgentRecord
from wellkept.model.blocks import BlockSpec, WorkingMemorySpec
from wellkept.model.directory import ApiKey, Holdings, Once, Tenant
from wellkept.model.errors import AlreadyExists, Conflict, IdempotencyMismatch, InvalidInput, NotFound
from wellkept.model.ids import DEFAULT_TENANT, AgentId, TenantId
from wellkept.model.memories import MemorySettings, PoolRules
from wellkept.model.pages import Position
from wellkept.testing.agent_deletion import SUPPORT, AgentDeletionContract
from wellkept.testing.racing import in_tasks, in_threads
from wellkept.testing.samples import (
    OTHER_TENANT,
    a_block,
    a_change,
    a_memory,
    a_passage,
    a_session,
    a_write,
    an_agent,
    an_owner,
    at,
    becomes,
    new,
)

OpenAgain = Callable[[], Awaitable[Directory]]
AtOnce = Callable[[Sequence[Callable[[], Awaitable[Tenant]]]], Awaitable[list[Tenant]]]

ONCE = Once(operation="agents.create", key="k1", fingerprint="f1")
FULL_CONFIG = AgentConfig(
    name="Support \u5ba2\u670d",
    model="openai:gpt-5.2",
    instructions="Be kind.\r\n\u2028\ttwice",
    tools=("memory",),
    memory_injection_enabled=True,
    working_memory=WorkingMemorySpec(
        auto_load=(BlockSpec("user", "USER", template="- name:", char_limit=99, description="who", write="review"),),
        default_char_limit=500,
        scan_for_injection=False,
        on_missing_user="session",
    ),
    memories=MemorySettings(pool_cap=7, per_user_reserve=2, general_write="open", injection_words=1),
    metadata={"team": "blue", "\u00fc": ""},
)


def an_api_key(
    number: int, *, tenant: TenantId = DEFAULT_TENANT, name: str | None = None, when: float = 0, user: str = ""
) -> ApiKey:
    """Make an API key, created `when` seconds after the start."""
    return ApiKey(
        id=f"key_{number:016d}",
        tenant=tenant,
        name=f"key {number}" if name is None else name,
        hash=f"{number:064x}",
        hint="wk_abc",
        created_at=at(when),
        user_id=user,
    )


class DirectoryContract(AgentDeletionContract):
    """Each obligation of `Directory`; see `wellkept.testing` for the fixtures."""

    # ---- tenants and keys

    async def test_tenants_are_listed_oldest_first(self, store: Directory) -> None:
        later = Tenant(id=TenantId("ten_a"), name="A", created_at=at(2))
        sooner = Tenant(id=TenantId("ten_b"), name="B", created_at=at(1))
        assert await store.put_tenant(later) is True
        assert await store.put_tenant(sooner) is True
        assert await store.put_tenant(replace(later, name="other")) is False
        assert [tenant for tenant in await store.tenants() if tenant.id != DEFAULT_TENANT] == [sooner, later]

    @pytest.mark.parametrize("at_once", [in_tasks, in_threads])
    async def test_of_many_first_tenants_there_is_one(self, store: Directory, at_once: AtOnce) -> None:
        offers = [
            Tenant(id=TenantId(f"ten_{number}"), name="Default", created_at=at(9 - number)) for number in range(8)
        ]
        given = await at_once([partial(store.first_tenant, offer) for offer in offers])
        assert [tenant.id for tenant in given] == [tenant.id for tenant in await store.tenants()] * len(offers)

    async def test_the_first_tenant_is_the_oldest(self, store: Directory) -> None:
        for id, when in (("ten_a", 2), ("ten_b", 1)):
            await store.put_tenant(Tenant(id=TenantId(id), name="", created_at=at(when)))
        offer = Tenant(id=TenantId("ten_c"), name="", created_at=at(0))
        assert (await store.first_tenant(offer)).id == "ten_b"
        assert len(await store.tenants()) == 2

    async def test_what_a_store_keeps_is_counted_by_tenant(self, store: Directory) -> None:
        assert await store.holdings() == {}
        await store.add_agent(an_agent())
        await store.add_agent(an_agent("ag_other"))
        await store.add_agent(an_agent(tenant=OTHER_TENANT))
        counted = {DEFAULT_TENANT: Holdings(agents=2), OTHER_TENANT: Holdings(agents=1)}
        if isinstance(store, BlockStore) and isinstance(store, MemoryStore):
            await store.put(a_block("x"), expect=None, change=a_change())
            await store.create(a_memory(1), rules=PoolRules())
            counted[DEFAULT_TENANT] = Holdings(agents=2, blocks=1, memories=1)
        if isinstance(store, PassageStore):
            stranger = an_owner(tenant=TenantId("ten_passages_alone"))
            await store.put_passages(stranger, new(*(a_passage(number, owner=stranger) for number in range(3))))
            counted[stranger.tenant] = Holdings(passages=3)
        if isinstance(store, SessionStore) and isinstance(store, ReviewStore):
            await store.open(a_session())
            await store.hold(a_write(1), most=9)
            counted[DEFAULT_TENANT] = replace(counted[DEFAULT_TENANT], sessions=1, held=1)
        assert await store.holdings() == counted

    async def test_a_key_is_found_by_its_hash(self, store: Directory) -> None:
        await self._with_tenants(store)
        key = an_api_key(1, name="laptop \u00fc", user="maya")
        await store.add_key(key, most=9)
        assert await store.find_key(key.hash) == key
        assert await store.keys(DEFAULT_TENANT) == [key]
        for unknown in ("", key.hash[:-1], key.hash.upper() + "x", key.id):
            assert await store.find_key(unknown) is None

    async def test_a_revoked_key_is_not_found_but_listed(self, store: Directory) -> None:
        await self._with_tenants(store)
        key = an_api_key(1)
        await store.add_key(key, most=9)
        assert await store.revoke_key(DEFAULT_TENANT, key.id, at=at(5)) is True
        assert await store.revoke_key(DEFAULT_TENANT, key.id, at=at(6)) is False
        assert await store.find_key(key.hash) is None
        assert await store.keys(DEFAULT_TENANT) == [replace(key, revoked_at=at(5))]

    async def test_a_live_keys_name_is_taken_in_its_tenant(self, store: Directory) -> None:
        await self._with_tenants(store)
        await store.add_key(an_api_key(1, name="ci"), most=9)
        with pytest.raises(AlreadyExists):
            await store.add_key(an_api_key(2, name="ci"), most=9)
        assert await store.find_key(an_api_key(2).hash) is None
        await store.add_key(an_api_key(3, name="ci", tenant=OTHER_TENANT), most=9)
        await store.add_key(an_api_key(4, name="CI"), most=9)
        await store.revoke_key(DEFAULT_TENANT, an_api_key(1).id, at=at(5))
        await store.add_key(an_api_key(5, name="ci"), most=9)

    async def test_a_tenant_has_as_many_live_keys_as_it_may(self, store: Directory) -> None:
        await self._with_tenants(store)
        await store.add_key(an_api_key(1), most=2)
        await store.add_key(an_api_key(2), most=2)
        with pytest.raises(Conflict):
            await store.add_key(an_api_key(3), most=2)
        await store.add_key(an_api_key(4, tenant=OTHER_TENANT), most=2)
        await store.revoke_key(DEFAULT_TENANT, an_api_key(1).id, at=at(5))
        await store.add_key(an_api_key(5), most=2)
        assert await store.find_key(an_api_key(3).hash) is None

    async def test_of_many_keys_at_once_as_many_are_added_as_may_be(
        self, store: Directory, open_again: OpenAgain
    ) -> None:
        await self._with_tenants(store)

        async def add(using: Directory, number: int) -> bool:
            try:
                await using.add_key(an_api_key(number), most=3)
            except Conflict:
                return False
            return True

        other = await open_again()
        added = await in_tasks([partial(add, store if n % 2 else other, n) for n in range(12)])
        added += await in_threads([partial(add, store, n) for n in range(12, 15)])
        assert added.count(True) == 3
        assert len(await store.keys(DEFAULT_TENANT)) == 3

    async def test_keys_are_listed_newest_first_and_belong_to_their_tenant(self, store: Directory) -> None:
        await self._with_tenants(store)
        for number, when in ((1, 5), (2, 9), (3, 5)):
            await store.add_key(an_api_key(number, when=when), most=9)
        await store.add_key(an_api_key(4, tenant=OTHER_TENANT), most=9)
        assert [key.id[-1] for key in await store.keys(DEFAULT_TENANT)] == ["2", "3", "1"]
        assert await store.revoke_key(OTHER_TENANT, an_api_key(1).id, at=at(9)) is False
        assert await store.revoke_key(DEFAULT_TENANT, "key_none", at=at(9)) is False
        assert await store.find_key(an_api_key(1).hash) is not None

    # ---- agents

    async def test_an_agent_comes_back_with_its_first_version(self, store: Directory) -> None:
        agent = an_agent(user="maya", when=0.000001, config=FULL_CONFIG)
        assert await store.add_agent(agent) == agent
        assert await store.agent(DEFAULT_TENANT, agent.id) == agent
        version = await store.version(DEFAULT_TENANT, agent.id, 1)
        assert version is not None
        assert (version.tenant, version.agent, version.version) == (DEFAULT_TENANT, agent.id, 1)
        assert (version.config, version.created_at) == (FULL_CONFIG, agent.created_at)
        with pytest.raises(AlreadyExists):
            await store.add_agent(replace(agent, config=AgentConfig(name="other")))
        others = [an_agent(f"ag_{name}", config=AgentConfig(name=name)) for name in ("a", "z")]
        for other in others:
            await store.add_agent(other)
        for known in (agent, *others):
            assert await store.agent(DEFAULT_TENANT, known.id) == known

    async def test_what_belongs_to_one_tenant_is_not_found_by_another(self, store: Directory) -> None:
        await store.add_agent(an_agent())
        assert await store.agent(OTHER_TENANT, SUPPORT) is None
        assert await store.version(OTHER_TENANT, SUPPORT, 1) is None
        assert await store.versions(OTHER_TENANT, SUPPORT, before=None, limit=9) == []
        assert await store.agents(OTHER_TENANT, limit=9) == []
        with pytest.raises(NotFound):
            await store.add_version(OTHER_TENANT, SUPPORT, becomes(AgentConfig(name="x")), at=at(9))
        with pytest.raises(NotFound):
            await store.set_status(OTHER_TENANT, SUPPORT, "disabled", at=at(9))
        assert await store.delete_agent(OTHER_TENANT, SUPPORT) is False
        other = an_agent(tenant=OTHER_TENANT, config=AgentConfig(name="theirs"))
        await store.add_agent(other)
        assert await store.agent(DEFAULT_TENANT, SUPPORT) == an_agent()
        assert await store.agent(OTHER_TENANT, SUPPORT) == other

    async def test_agents_are_listed_newest_first_in_pages(self, store: Directory) -> None:
        for name, when, user in (("ag_c", 1, ""), ("ag_a", 2, "maya"), ("ag_b", 1, "maya"), ("ag_d", 0, "May")):
            await store.add_agent(an_agent(name, when=when, user=user))

        async def listed(after: Position | None = None, *, limit: int = 9, user: str | None = None) -> list[str]:
            return [agent.id for agent in await store.agents(DEFAULT_TENANT, limit=limit, after=after, user=user)]

        assert await listed() == ["ag_a", "ag_c", "ag_b", "ag_d"]
        assert await listed(limit=2) == ["ag_a", "ag_c"]
        assert await listed(Position(at(1), "ag_c")) == ["ag_b", "ag_d"]
        assert await listed(user="maya") == ["ag_a", "ag_b"]
        assert await listed(user="") == ["ag_c"]
        assert await listed(Position(at(2), "ag_a"), user="maya", limit=1) == ["ag_b"]

    async def test_a_version_once_made_never_changes(self, store: Directory) -> None:
        first = an_agent(config=FULL_CONFIG)
        await store.add_agent(first)
        second = await store.add_version(DEFAULT_TENANT, SUPPORT, becomes(AgentConfig(name="two")), at=at(2))
        assert second == replace(first, version=2, config=AgentConfig(name="two"), updated_at=at(2))
        await store.add_version(
            DEFAULT_TENANT, SUPPORT, becomes(AgentConfig(name="two")), at=at(3)
        )  # equal, and yet a version
        with pytest.raises(InvalidInput):
            await store.add_version(DEFAULT_TENANT, SUPPORT, lambda config: replace(config, name=""), at=at(9))
        versions = await store.versions(DEFAULT_TENANT, SUPPORT, before=None, limit=9)
        assert [(version.version, version.config.name, version.created_at) for version in versions] == [
            (3, "two", at(3)),
            (2, "two", at(2)),
            (1, FULL_CONFIG.name, at(0)),
        ]
        assert versions[2].config == FULL_CONFIG
        assert await store.versions(DEFAULT_TENANT, SUPPORT, before=3, limit=1) == [versions[1]]
        assert await store.versions(DEFAULT_TENANT, SUPPORT, before=1, limit=9) == []
        assert await store.version(DEFAULT_TENANT, SUPPORT, 2) == versions[1]
        for missing in (0, 4, -1):
            assert await store.version(DEFAULT_TENANT, SUPPORT, missing) is None
        with pytest.raises(NotFound):
            await store.add_version(DEFAULT_TENANT, AgentId("ag_none"), becomes(AgentConfig(name="x")), at=at(9))

    async def test_racing_updates_number_versions_without_gaps(self, store: Directory, open_again: OpenAgain) -> None:
        await store.add_agent(an_agent())

        def update(directory: Directory, number: int) -> Callable[[], Awaitable[AgentRecord]]:
            config = AgentConfig(name=f"v{number}")
            return lambda: directory.add_version(DEFAULT_TENANT, SUPPORT, becomes(config), at=at(number))

        other = await open_again()
        made = await in_tasks([update(store if n % 2 else other, n) for n in range(10)])
        made += await in_threads([update(store, n) for n in range(10, 14)])
        assert sorted(record.version for record in made) == list(range(2, 16))
        for record in made:
            version = await store.version(DEFAULT_TENANT, SUPPORT, record.version)
            assert version is not None
            assert version.config == record.config
        if other is not store:
            await other.close()

    async def test_racing_updates_each_change_their_own_part(self, store: Directory, open_again: OpenAgain) -> None:
        await store.add_agent(an_agent())

        def update(directory: Directory, number: int) -> Callable[[], Awaitable[AgentRecord]]:
            def revise(config: AgentConfig) -> AgentConfig:
                return replace(config, metadata={**config.metadata, f"part{number}": "changed"})

            return lambda: directory.add_version(DEFAULT_TENANT, SUPPORT, revise, at=at(number))

        other = await open_again()
        await in_tasks([update(store if n % 2 else other, n) for n in range(10)])
        await in_threads([update(store, n) for n in range(10, 14)])
        agent = await store.agent(DEFAULT_TENANT, SUPPORT)
        assert agent is not None
        assert len(agent.config.metadata) == 14
        if other is not store:
            await other.close()

    async def test_an_agent_is_disabled_and_enabled(self, store: Directory) -> None:
        await store.add_agent(an_agent())
        disabled = await store.set_status(DEFAULT_TENANT, SUPPORT, "disabled", at=at(5))
        assert (disabled.status, disabled.version) == ("disabled", 1)
        assert await store.agent(DEFAULT_TENANT, SUPPORT) == disabled
        updated = await store.add_version(DEFAULT_TENANT, SUPPORT, becomes(AgentConfig(name="x")), at=at(6))
        assert updated.status == "disabled"
        enabled = await store.set_status(DEFAULT_TENANT, SUPPORT, "active", at=at(7))
        assert (enabled.status, enabled.updated_at) == ("active", at(7))
        assert await store.set_status(DEFAULT_TENANT, SUPPORT, "active", at=at(8)) == enabled
        assert await store.agent(DEFAULT_TENANT, SUPPORT) == enabled
        with pytest.raises(NotFound):
            await store.set_status(DEFAULT_TENANT, AgentId("ag_none"), "disabled", at=at(5))

    # ---- once

    async def test_the_same_key_again_answers_with_the_first_agent(self, store: Directory) -> None:
        first = await store.add_agent(an_agent("ag_one"), once=ONCE)
        assert await store.add_agent(an_agent("ag_two", when=9), once=ONCE) == first
        with pytest.raises(IdempotencyMismatch):
            await store.add_agent(an_agent("ag_three"), once=replace(ONCE, fingerprint="f2"))
        assert [agent.id for agent in await store.agents(DEFAULT_TENANT, limit=9)] == ["ag_one"]
        theirs = await store.add_agent(an_agent("ag_four", tenant=OTHER_TENANT), once=ONCE)
        assert theirs.tenant == OTHER_TENANT
        assert (await store.add_agent(an_agent("ag_five"), once=replace(ONCE, operation="other"))).id == "ag_five"

    async def test_a_key_whose_agent_is_gone_says_so(self, store: Directory) -> None:
        await store.add_agent(an_agent("ag_one"), once=ONCE)
        await store.delete_agent(DEFAULT_TENANT, AgentId("ag_one"))
        with pytest.raises(NotFound):
            await store.add_agent(an_agent("ag_two"), once=ONCE)
        assert await store.agents(DEFAULT_TENANT, limit=9) == []

    async def test_a_call_that_failed_does_not_use_its_key_up(self, store: Directory) -> None:
        await store.add_agent(an_agent())
        with pytest.raises(AlreadyExists):
            await store.add_agent(an_agent(), once=ONCE)
        assert (await store.add_agent(an_agent("ag_new"), once=ONCE)).id == "ag_new"

    async def test_of_many_calls_with_one_key_one_agent_comes(self, store: Directory) -> None:
        added = await in_tasks([partial(store.add_agent, an_agent(f"ag_{n}"), once=ONCE) for n in range(10)])
        assert len({agent.id for agent in added}) == 1
        assert len(await store.agents(DEFAULT_TENANT, limit=99)) == 1

    # ---- the rest

    async def test_it_is_ready(self, store: Directory) -> None:
        await store.ready()

    async def _with_tenants(self, store: Directory) -> None:
        for tenant in (DEFAULT_TENANT, OTHER_TENANT):
            await store.put_tenant(Tenant(id=tenant, name=tenant, created_at=at()))
