"""Histories of audit logs."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from wellkept.contract.audit_log import AuditLog
from wellkept.model.audit import AuditAction, AuditEntry, AuditFilter
from wellkept.model.ids import DEFAULT_TENANT, AgentId, TenantId
from wellkept.model.pages import Position
from wellkept.testing.histories.twins import Refused, Twins
from wellkept.testing.samples import OTHER_TENANT, an_entry, at

T = TypeVar("T")

TENANTS = (DEFAULT_TENANT, OTHER_TENANT)

tenants = st.sampled_from(TENANTS)
agents = st.sampled_from([None, AgentId("ag_a"), AgentId("ag_A")])
users = st.sampled_from([None, "maya", "Maya"])
actions = st.sampled_from(["memory.created", "memory.deleted"])
times = st.none() | st.integers(0, 5)
some = st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True)


class AuditHistory(Twins):
    """Entries are noted, some of them again, and looked for."""

    contract = AuditLog

    def ask_log(self, work: Callable[[AuditLog], Awaitable[T]]) -> T | Refused:
        return self.ask(AuditLog, work)

    @rule(tenant=tenants, numbers=some, when=st.integers(0, 5), agent=agents, user=users, action=actions)
    def note(
        self, tenant: TenantId, numbers: list[int], when: int, agent: AgentId | None, user: str, action: AuditAction
    ) -> None:
        entries = [
            an_entry(number, tenant=tenant, when=when, agent=agent, user=user, action=action) for number in numbers
        ]
        self.ask_log(lambda log: log.note(entries))

    @rule(
        tenant=tenants,
        agent=agents,
        user=users,
        action=st.none() | actions,
        since=times,
        until=times,
        after=times,
        number=st.integers(1, 9),
        limit=st.integers(1, 4),
    )
    def look(
        self,
        tenant: TenantId,
        agent: AgentId | None,
        user: str | None,
        action: AuditAction | None,
        since: int | None,
        until: int | None,
        after: int | None,
        number: int,
        limit: int,
    ) -> None:
        which = AuditFilter(
            agent_id=agent,
            user_id=user,
            action=action,
            since=None if since is None else at(since),
            until=None if until is None else at(until),
        )
        place = None if after is None else Position(at(after), an_entry(number).id)
        self.ask_log(lambda log: log.noted(tenant, which=which, limit=limit, after=place))

    @invariant()
    def they_keep_the_same(self) -> None:
        self.compare(AuditLog, _all_of_both)


async def _all_of_both(log: AuditLog) -> list[list[AuditEntry]]:
    return [await log.noted(tenant, which=AuditFilter(), limit=999) for tenant in TENANTS]
