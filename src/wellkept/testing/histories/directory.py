"""Histories of tenants, keys and agents."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from msgspec.structs import replace

from wellkept.contract.directory import Directory
from wellkept.model.agents import AgentConfig, AgentRecord, AgentStatus
from wellkept.model.directory import Once, Tenant
from wellkept.model.ids import DEFAULT_TENANT, AgentId, TenantId
from wellkept.model.pages import Position
from wellkept.testing.directory import an_api_key
from wellkept.testing.histories.twins import Refused, Twins
from wellkept.testing.samples import OTHER_TENANT, an_agent, at

T = TypeVar("T")

TENANTS = (DEFAULT_TENANT, OTHER_TENANT)

tenants = st.sampled_from(TENANTS)
agents = st.sampled_from([AgentId("ag_a"), AgentId("ag_A"), AgentId("ag_b")])
users = st.sampled_from(["", "maya"])
names = st.sampled_from(["one", "One", "two"])
times = st.integers(0, 5)
numbers = st.integers(1, 6)
keys = st.sampled_from([None, None, ("k1", "f1"), ("k1", "f2"), ("k2", "f1")])


class DirectoryHistory(Twins):
    """Tenants come; keys are added and revoked; agents come, change, are disabled and go."""

    contract = Directory

    def ask_directory(self, work: Callable[[Directory], Awaitable[T]]) -> T | Refused:
        return self.ask(Directory, work)

    @rule(tenant=tenants, name=names, when=times, first=st.booleans())
    def add_tenant(self, tenant: TenantId, name: str, when: int, first: bool) -> None:
        new = Tenant(id=tenant, name=name, created_at=at(when))
        if first:
            self.ask_directory(lambda store: store.first_tenant(new))
        else:
            self.ask_directory(lambda store: store.put_tenant(new))

    @rule(tenant=tenants, name=names, when=times, user=users, most=st.integers(1, 3))
    def add_key(self, tenant: TenantId, name: str, when: int, user: str, most: int) -> None:
        key = an_api_key(self.tick(), tenant=tenant, name=name, when=when, user=user)
        self.ask_directory(lambda store: store.add_key(key, most=most))

    @rule(tenant=tenants, number=st.integers(1, 50))
    def revoke_key(self, tenant: TenantId, number: int) -> None:
        when, key = at(self.tick()), an_api_key(number).id
        self.ask_directory(lambda store: store.revoke_key(tenant, key, at=when))

    @rule(number=st.integers(1, 50))
    def find_key(self, number: int) -> None:
        self.ask_directory(lambda store: store.find_key(an_api_key(number).hash))

    @rule(tenant=tenants, agent=agents, user=users, when=times, key=keys)
    def add_agent(self, tenant: TenantId, agent: str, user: str, when: int, key: tuple[str, str] | None) -> None:
        once = Once(operation="agents.create", key=key[0], fingerprint=key[1]) if key else None
        record = an_agent(agent, tenant=tenant, user=user, when=when)
        self.ask_directory(lambda store: store.add_agent(record, once=once))

    @rule(tenant=tenants, agent=agents, word=st.sampled_from(["", "be brief"]))
    def add_version(self, tenant: TenantId, agent: AgentId, word: str) -> None:
        def revise(config: AgentConfig) -> AgentConfig:
            return replace(config, instructions=config.instructions[:20] + word)

        when = at(self.tick())
        self.ask_directory(lambda store: store.add_version(tenant, agent, revise, at=when))

    @rule(tenant=tenants, agent=agents, status=st.sampled_from(["active", "disabled"]))
    def set_status(self, tenant: TenantId, agent: AgentId, status: AgentStatus) -> None:
        when = at(self.tick())
        self.ask_directory(lambda store: store.set_status(tenant, agent, status, at=when))

    @rule(tenant=tenants, agent=agents)
    def delete_agent(self, tenant: TenantId, agent: AgentId) -> None:
        self.ask_directory(lambda store: store.delete_agent(tenant, agent))

    @rule(tenant=tenants, agent=agents, number=numbers)
    def read_version(self, tenant: TenantId, agent: AgentId, number: int) -> None:
        self.ask_directory(lambda store: store.version(tenant, agent, number))

    @rule(tenant=tenants, agent=agents, before=st.none() | numbers, limit=st.integers(1, 3))
    def look_back(self, tenant: TenantId, agent: AgentId, before: int | None, limit: int) -> None:
        self.ask_directory(lambda store: store.versions(tenant, agent, before=before, limit=limit))

    @rule(tenant=tenants, limit=st.integers(1, 3), when=st.none() | times, agent=agents, user=st.none() | users)
    def page(self, tenant: TenantId, limit: int, when: int | None, agent: str, user: str | None) -> None:
        after = None if when is None else Position(at(when), agent)
        self.ask_directory(lambda store: store.agents(tenant, limit=limit, after=after, user=user))

    @invariant()
    def they_keep_the_same(self) -> None:
        self.compare(Directory, lambda store: store.tenants())
        self.compare(Directory, lambda store: store.holdings())
        self.compare(Directory, _all_of_both)


async def _all_of_both(store: Directory) -> list[object]:
    return [await _all_of(store, tenant) for tenant in TENANTS]


async def _all_of(store: Directory, tenant: TenantId) -> tuple[list[object], list[AgentRecord | None]]:
    records = await store.agents(tenant, limit=99)
    return [*await store.keys(tenant), *records], [await store.agent(tenant, record.id) for record in records]
