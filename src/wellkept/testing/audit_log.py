"""What every audit log keeps: `AuditLogContract`."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import get_args

import pytest
from msgspec.structs import replace

from wellkept.contract.audit_log import AuditLog
from wellkept.contract.directory import Directory
from wellkept.model.audit import Actor, ActorRole, AuditAction, AuditEntry, AuditFilter
from wellkept.model.ids import DEFAULT_TENANT, AgentId, SessionId, TenantId
from wellkept.model.pages import Position
from wellkept.testing.racing import in_tasks, in_threads
from wellkept.testing.samples import OTHER_TENANT, an_agent, an_entry, at, memory_id_of

OpenAgain = Callable[[], Awaitable[AuditLog]]

ANY = AuditFilter()
SUPPORT = AgentId("ag_support")
IDS = ["maya", "a/b", "a:b", "MAYA", "\u7528\u62371", "e\u0301", "\u00e9", "%", "_", "x" * 256]


async def numbers(
    log: AuditLog,
    which: AuditFilter = ANY,
    *,
    tenant: TenantId = DEFAULT_TENANT,
    limit: int = 99,
    after: Position | None = None,
) -> list[int]:
    """Give the numbers of the entries that a log has."""
    return [int(entry.id[4:]) for entry in await log.noted(tenant, which=which, limit=limit, after=after)]


class AuditLogContract:
    """Each obligation of `AuditLog`; see `wellkept.testing` for the fixtures."""

    @pytest.mark.parametrize("action", get_args(AuditAction))
    async def test_an_entry_comes_back(self, store: AuditLog, action: AuditAction) -> None:
        bare = an_entry(1, action=action, when=0.000001)
        full = replace(
            bare,
            id=an_entry(2).id,
            agent_id=SUPPORT,
            user_id="maya",
            session_id=SessionId("s/1"),
            scope="user",
            owner="maya",
            target="USER",
            etag_before="a" * 64,
            etag_after="b" * 64,
            version=7,
            count=2,
            memories=(memory_id_of(1), memory_id_of(2)),
        )
        await store.note([bare, full])
        assert await store.noted(DEFAULT_TENANT, which=ANY, limit=9) == [full, bare]

    @pytest.mark.parametrize("role", get_args(ActorRole))
    async def test_an_actor_comes_back(self, store: AuditLog, role: ActorRole) -> None:
        entries = [
            replace(an_entry(number), actor=actor)
            for number, actor in enumerate([Actor(role=role), Actor(role=role, key_id="key_1", user_id="a/b")])
        ]
        await store.note(entries)
        assert await store.noted(DEFAULT_TENANT, which=ANY, limit=9) == entries[::-1]

    async def test_an_entry_is_found_by_its_own_tenant_only(self, store: AuditLog) -> None:
        await store.note([an_entry(1, agent=SUPPORT, user="maya")])
        await store.note([an_entry(2, tenant=OTHER_TENANT, agent=SUPPORT, user="maya")])
        for which in (ANY, AuditFilter(agent_id=SUPPORT), AuditFilter(user_id="maya")):
            assert await numbers(store, which) == [1]
            assert await numbers(store, which, tenant=OTHER_TENANT) == [2]

    async def test_noting_again_changes_nothing(self, store: AuditLog) -> None:
        await store.note([an_entry(1, user="maya"), an_entry(2)])
        await store.note([an_entry(1, user="max"), an_entry(3)])
        assert await numbers(store) == [3, 2, 1]
        assert await numbers(store, AuditFilter(user_id="maya")) == [1]
        assert await numbers(store, AuditFilter(user_id="max")) == []

    @pytest.mark.parametrize("which", [ANY, AuditFilter(agent_id=SUPPORT), AuditFilter(user_id="maya")], ids=repr)
    async def test_entries_are_listed_newest_first_in_pages(self, store: AuditLog, which: AuditFilter) -> None:
        for number, when in ((3, 1), (1, 2), (2, 1), (4, 0)):
            await store.note([an_entry(number, when=when, agent=SUPPORT, user="maya")])
        assert await numbers(store, which) == [1, 3, 2, 4]
        assert await numbers(store, which, limit=2) == [1, 3]
        third = an_entry(3, when=1)
        place = Position(third.at, third.id)
        assert await numbers(store, which, after=place) == [2, 4]
        await store.note([an_entry(9, when=9, agent=SUPPORT, user="maya")])
        assert await numbers(store, which, after=place) == [2, 4], "none is skipped or repeated"

    async def test_filters_are_exact_and_go_together(self, store: AuditLog) -> None:
        other = AgentId("ag_Support")
        await store.note([
            an_entry(1, agent=SUPPORT, user="maya"),
            an_entry(2, agent=SUPPORT, user="max", action="memory.deleted"),
            an_entry(3, agent=other, user="maya", action="memory.deleted"),
            an_entry(4, agent=SUPPORT, user="maya", action="memory.deleted"),
            an_entry(5),
        ])  # fmt: skip
        assert await numbers(store, AuditFilter(agent_id=SUPPORT)) == [4, 2, 1]
        assert await numbers(store, AuditFilter(user_id="maya")) == [4, 3, 1]
        assert await numbers(store, AuditFilter(action="memory.deleted")) == [4, 3, 2]
        assert await numbers(store, AuditFilter(agent_id=SUPPORT, user_id="maya")) == [4, 1]
        assert await numbers(store, AuditFilter(agent_id=SUPPORT, action="memory.deleted")) == [4, 2]
        assert await numbers(store, AuditFilter(user_id="maya", action="memory.deleted")) == [4, 3]
        whole = AuditFilter(agent_id=SUPPORT, user_id="maya", action="memory.deleted", since=at(0), until=at(1))
        assert await numbers(store, whole) == [4]

    @pytest.mark.parametrize("which", [ANY, AuditFilter(agent_id=SUPPORT), AuditFilter(user_id="maya")], ids=repr)
    async def test_a_span_begins_with_its_first_instant_and_ends_before_its_last(
        self, store: AuditLog, which: AuditFilter
    ) -> None:
        await store.note([an_entry(number, when=number, agent=SUPPORT, user="maya") for number in range(5)])
        tick = timedelta(microseconds=1)
        assert await numbers(store, replace(which, since=at(2))) == [4, 3, 2]
        assert await numbers(store, replace(which, since=at(2) + tick)) == [4, 3]
        assert await numbers(store, replace(which, until=at(2))) == [1, 0]
        assert await numbers(store, replace(which, until=at(2) + tick)) == [2, 1, 0]
        assert await numbers(store, replace(which, since=at(1), until=at(3))) == [2, 1]
        assert await numbers(store, replace(which, since=at(3), until=at(1))) == []
        second, fourth = an_entry(2, when=2), an_entry(4, when=4)
        until = replace(which, until=at(3))
        assert await numbers(store, until, after=Position(second.at, second.id)) == [1, 0]
        assert await numbers(store, until, after=Position(fourth.at, fourth.id)) == [2, 1, 0]

    async def test_ids_are_compared_exactly(self, store: AuditLog) -> None:
        await store.note([
            an_entry(number, agent=AgentId(id), user=IDS[-1 - number]) for number, id in enumerate(IDS)
        ])  # fmt: skip
        for number, id in enumerate(IDS):
            assert await numbers(store, AuditFilter(agent_id=AgentId(id))) == [number]
            assert await numbers(store, AuditFilter(user_id=id)) == [len(IDS) - 1 - number]

    async def test_nothing_is_lost_when_many_note_at_once(self, store: AuditLog, open_again: OpenAgain) -> None:
        other = await open_again()
        works = [
            partial(log.note, [an_entry(2 * number, when=number), an_entry(2 * number + 1, when=number)])
            for number, log in enumerate([store, other] * 8)
        ]
        await in_threads(works[:8])
        await in_tasks(works[8:])
        for log in (store, other):
            assert await numbers(log) == [*reversed(range(32))]
        if other is not store:
            await other.close()

    async def test_deleting_an_agent_leaves_its_entries(self, store: AuditLog) -> None:
        entry: AuditEntry = an_entry(1, agent=SUPPORT)
        await store.note([entry])
        if isinstance(store, Directory):
            await store.add_agent(an_agent())
            await store.delete_agent(DEFAULT_TENANT, SUPPORT)
        assert await store.noted(DEFAULT_TENANT, which=ANY, limit=9) == [entry]
