"""What goes with a deleted agent: `AgentDeletionContract`, a part of `wellkept.testing.directory`."""

from collections.abc import Awaitable, Callable
from typing import Final

import pytest

from wellkept.contract.block_store import ANY, BlockStore
from wellkept.contract.capability import Capability
from wellkept.contract.directory import Directory
from wellkept.contract.memory_store import MemoryStore
from wellkept.contract.passage_store import PassageStore
from wellkept.contract.review_store import ReviewStore
from wellkept.contract.session_store import SessionStore
from wellkept.model.agents import AgentConfig
from wellkept.model.directory import Once
from wellkept.model.errors import NotFound
from wellkept.model.ids import DEFAULT_TENANT, AgentId, TenantId
from wellkept.model.memories import Pool, PoolRules
from wellkept.model.passages import PassageStamp
from wellkept.testing.racing import in_tasks, in_threads
from wellkept.testing.samples import (
    OTHER_TENANT,
    a_block,
    a_change,
    a_key,
    a_memory,
    a_passage,
    a_pool,
    a_session,
    a_session_key,
    a_vector,
    a_write,
    an_agent,
    an_owner,
    at,
    becomes,
    new,
)

SUPPORT: Final = AgentId("ag_support")

Writes = list[Callable[[], Awaitable[object]]]


class AgentDeletionContract:
    """What a directory forgets with an agent, and what it leaves."""

    async def test_a_deleted_agent_is_gone_and_leaves_the_others(self, store: Directory) -> None:
        others = [an_agent("ag_other"), an_agent(tenant=OTHER_TENANT)]
        for agent in (an_agent(), *others):
            await store.add_agent(agent)
        await store.add_version(DEFAULT_TENANT, SUPPORT, becomes(AgentConfig(name="two")), at=at(2))
        assert await store.delete_agent(DEFAULT_TENANT, SUPPORT) is True
        assert await store.delete_agent(DEFAULT_TENANT, SUPPORT) is False
        assert await store.agent(DEFAULT_TENANT, SUPPORT) is None
        assert await store.versions(DEFAULT_TENANT, SUPPORT, before=None, limit=9) == []
        for agent in others:
            assert await store.agent(agent.tenant, agent.id) == agent
        again = an_agent(when=9)
        assert await store.add_agent(again) == again
        assert len(await store.versions(DEFAULT_TENANT, SUPPORT, before=None, limit=9)) == 1

    async def test_a_deleted_agents_pool_and_blocks_go_with_it(self, store: Directory) -> None:
        others = [a_pool("ag_other"), a_pool(tenant=OTHER_TENANT)]
        mine = a_key("MEMORY", owner="ag_support", scope="agent")
        kept = [
            a_key("MEMORY", owner="ag_support", scope="user"),
            a_key("MEMORY", owner="ag_support", scope="shared"),
            a_key("MEMORY", owner="ag_other", scope="agent"),
            a_key("MEMORY", owner="ag_support", scope="agent", tenant=OTHER_TENANT),
        ]
        await store.add_agent(an_agent())
        if isinstance(store, MemoryStore):
            for pool in (a_pool(), *others):
                await store.create(a_memory(1, user="maya", pool=pool), rules=PoolRules())
        if isinstance(store, BlockStore):
            for key in (mine, *kept):
                await store.put(a_block(key=key), expect=None, change=a_change())
        await store.delete_agent(DEFAULT_TENANT, SUPPORT)
        if isinstance(store, MemoryStore):
            assert await store.count(a_pool()) == 0
            assert [await store.count(pool) for pool in others] == [1, 1]
        if isinstance(store, BlockStore):
            assert await store.get(mine) is None
            assert await store.get_many(kept) == [a_block(key=key) for key in kept]

    async def test_a_deleted_agents_sessions_and_held_writes_go_with_it(self, store: Directory) -> None:
        others = [("ag_other", DEFAULT_TENANT), ("ag_support", OTHER_TENANT)]
        await store.add_agent(an_agent())
        if isinstance(store, SessionStore):
            for agent, tenant in (("ag_support", DEFAULT_TENANT), *others):
                await store.open(a_session(agent=agent, tenant=tenant))
                claimed = a_session_key(agent=agent, tenant=tenant)
                assert await store.claim(claimed, "turn 1", at=at(1), until=at(9))
        if isinstance(store, ReviewStore):
            for number, (agent, tenant) in enumerate([("ag_support", DEFAULT_TENANT), *others]):
                await store.hold(a_write(number, agent=agent, tenant=tenant), most=9)
        await store.delete_agent(DEFAULT_TENANT, SUPPORT)
        if isinstance(store, SessionStore):
            assert await store.session(a_session_key()) is None
            for agent, tenant in others:
                assert await store.session(a_session_key(agent=agent, tenant=tenant)) is not None
                assert not await store.claim(a_session_key(agent=agent, tenant=tenant), "turn 2", at=at(2), until=at(9))
            await store.add_agent(an_agent(when=9))
            assert await store.claim(a_session_key(), "turn 2", at=at(2), until=at(9))
        if isinstance(store, ReviewStore):
            assert await store.held_write(DEFAULT_TENANT, a_write(0).id) is None
            assert len(await store.held(DEFAULT_TENANT, limit=9)) == 1
            assert len(await store.held(OTHER_TENANT, limit=9)) == 1

    async def test_a_deleted_agents_passages_go_with_it(self, store: Directory) -> None:
        others = [an_owner(agent="ag_other"), an_owner(tenant=OTHER_TENANT)]
        mine = [an_owner(), an_owner("sam")]
        await store.add_agent(an_agent())
        if isinstance(store, PassageStore):
            for owner in (*mine, *others):
                await store.put_passages(owner, new(a_passage(1, owner=owner), vector=a_vector()))
        await store.delete_agent(DEFAULT_TENANT, SUPPORT)
        if isinstance(store, PassageStore):
            assert [await store.stamp(owner) for owner in mine] == [PassageStamp()] * 2
            assert [await store.passage_ids(owner) for owner in mine] == [frozenset()] * 2
            assert [len(await store.passage_ids(owner)) for owner in others] == [1, 1]
            counted = await store.count_passages(DEFAULT_TENANT)
            assert (counted.passages, counted.vectors) == (1, {a_vector().model: 1})

    async def test_a_deleted_agents_idempotency_keys_go_with_it(self, store: Directory) -> None:
        once = Once(operation="memories.create", key="k1", fingerprint="f1")
        others = [a_pool("ag_other"), a_pool(tenant=OTHER_TENANT)]
        await store.add_agent(an_agent())
        if isinstance(store, MemoryStore):
            for pool in (a_pool(), *others):
                await store.create(a_memory(1, pool=pool), rules=PoolRules(), once=once)
        await store.delete_agent(DEFAULT_TENANT, SUPPORT)
        await store.add_agent(an_agent(when=9))
        if isinstance(store, MemoryStore):
            assert (await store.create(a_memory(2), rules=PoolRules(), once=once)).changed
            for pool in others:
                assert not (await store.create(a_memory(2, pool=pool), rules=PoolRules(), once=once)).changed

    async def test_nothing_is_written_for_a_deleted_agent(self, store: Directory) -> None:
        await store.add_agent(an_agent())
        for write in writes_for(store, SUPPORT, 1):
            await write()
        await store.delete_agent(DEFAULT_TENANT, SUPPORT)
        for write in writes_for(store, SUPPORT, 2):
            with pytest.raises(NotFound):
                await write()
        await assert_nothing_is_left(store)

    async def test_whom_nobody_deleted_may_be_written_for(self, store: Directory) -> None:
        await store.add_agent(an_agent())
        await store.delete_agent(DEFAULT_TENANT, SUPPORT)
        never_added = AgentId("ag_of_a_program")
        assert await store.delete_agent(DEFAULT_TENANT, never_added) is False
        for write in writes_for(store, never_added, 1):
            await write()
        for write in writes_for(store, SUPPORT, 2, tenant=OTHER_TENANT):
            await write()
        if isinstance(store, BlockStore):
            for scope in ("user", "shared"):  # whose owner is a user, whatever the name
                key = a_key("MEMORY", owner="ag_support", scope=scope)
                assert (await store.put(a_block(key=key), expect=None, change=a_change())).changed

    async def test_an_agent_that_was_added_again_is_written_for(self, store: Directory) -> None:
        await store.add_agent(an_agent())
        await store.delete_agent(DEFAULT_TENANT, SUPPORT)
        await store.add_agent(an_agent(when=9))
        for write in writes_for(store, SUPPORT, 1):
            await write()

    @pytest.mark.parametrize("at_once", [in_tasks, in_threads], ids=["tasks", "threads"])
    async def test_what_is_written_while_its_agent_is_deleted_goes_or_is_refused(
        self, store: Directory, at_once: Callable[[Writes], Awaitable[list[object]]]
    ) -> None:
        async def delete() -> bool:
            return await store.delete_agent(DEFAULT_TENANT, SUPPORT)

        for attempt in range(6):
            await store.add_agent(an_agent(when=attempt))
            before, after = [
                [or_refused(write) for number in (first, first + 1) for write in writes_for(store, SUPPORT, number)]
                for first in (1, 3)
            ]
            assert True in await at_once([*before, delete, *after])
            await assert_nothing_is_left(store)


def writes_for(store: Directory, agent: AgentId, number: int, *, tenant: TenantId = DEFAULT_TENANT) -> Writes:
    """Give a write of each kind that makes something of the agent's."""
    writes: Writes = []
    if isinstance(store, MemoryStore):
        memory = a_memory(number, pool=Pool(tenant, agent))
        writes.append(lambda: store.create(memory, rules=PoolRules(), once=a_once(number)))
    if isinstance(store, BlockStore):
        key = a_key(f"B{number}", owner=agent, scope="agent", tenant=tenant)
        other = a_key(f"E{number}", owner=agent, scope="agent", tenant=tenant)
        writes.append(lambda: store.put(a_block(key=key), expect=ANY, change=a_change()))
        writes.append(lambda: store.edit(other, lambda _: "x", change=a_change()))
    if isinstance(store, SessionStore):
        session = a_session(f"s{number}", agent=agent, tenant=tenant)
        writes.append(lambda: store.open(session))
        writes.append(lambda: store.claim(session.key, "a turn", at=at(1), until=at(9)))
    if isinstance(store, ReviewStore):
        held = a_write(number, agent=agent, tenant=tenant)
        writes.append(lambda: store.hold(held, most=99))
    if isinstance(store, PassageStore):
        owner = an_owner(agent=agent, tenant=tenant)
        said = new(a_passage(number, owner=owner))
        writes.append(lambda: store.put_passages(owner, said))
    return writes


def a_once(number: int) -> Once:
    """Give an idempotency key."""
    return Once(operation="memories.create", key=f"k{number}", fingerprint="f")


def or_refused(write: Callable[[], Awaitable[object]]) -> Callable[[], Awaitable[object]]:
    """Write, or be told that the agent is gone."""

    async def attempt() -> object:
        try:
            await write()
        except NotFound:
            return "refused"
        return "written"

    return attempt


async def assert_nothing_is_left(store: Directory) -> None:
    """Look for what the agent of these tests had, also where no list shows it."""
    assert await store.holdings() == {}
    for number in range(5):
        key = a_key(f"B{number}", owner=SUPPORT, scope="agent")
        if isinstance(store, BlockStore) and Capability.HISTORY in store.capabilities:
            assert await store.revisions(key) == []
    await store.add_agent(an_agent(when=99))
    if isinstance(store, SessionStore):
        for number in range(5):
            claimed = a_session_key(f"s{number}")
            assert await store.claim(claimed, "another", at=at(2), until=at(9))
    if isinstance(store, MemoryStore):
        assert (await store.create(a_memory(9), rules=PoolRules(), once=a_once(1))).changed
    await store.delete_agent(DEFAULT_TENANT, SUPPORT)
