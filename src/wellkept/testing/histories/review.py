"""Histories of held writes."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from wellkept.contract.review_store import ReviewStore
from wellkept.model.ids import DEFAULT_TENANT, TenantId
from wellkept.model.pages import Position
from wellkept.model.review import HeldWrite
from wellkept.testing.histories.twins import Refused, Twins
from wellkept.testing.samples import OTHER_TENANT, a_write, at

T = TypeVar("T")

TENANTS = (DEFAULT_TENANT, OTHER_TENANT)

tenants = st.sampled_from(TENANTS)
agents = st.sampled_from(["ag_a", "ag_A"])
numbers = st.integers(1, 12)
holders = st.sampled_from(["one", "other"])
times = st.integers(0, 5)


class ReviewHistory(Twins):
    """Writes are held, claimed, given back and taken."""

    contract = ReviewStore

    def ask_review(self, work: Callable[[ReviewStore], Awaitable[T]]) -> T | Refused:
        return self.ask(ReviewStore, work)

    @rule(tenant=tenants, agent=agents, when=times, most=st.integers(1, 3))
    def hold(self, tenant: TenantId, agent: str, when: int, most: int) -> None:
        write = a_write(self.tick(), agent=agent, tenant=tenant, when=when, session="s1")
        self.ask_review(lambda store: store.hold(write, most=most))

    @rule(tenant=tenants, number=numbers, holder=holders, when=times, long=st.integers(0, 3))
    def claim(self, tenant: TenantId, number: int, holder: str, when: int, long: int) -> None:
        write = a_write(number).id
        self.ask_review(lambda store: store.claim_held(tenant, write, holder, at=at(when), until=at(when + long)))

    @rule(tenant=tenants, number=numbers, holder=holders)
    def release(self, tenant: TenantId, number: int, holder: str) -> None:
        self.ask_review(lambda store: store.release_held(tenant, a_write(number).id, holder))

    @rule(tenant=tenants, number=numbers)
    def take(self, tenant: TenantId, number: int) -> None:
        self.ask_review(lambda store: store.take(tenant, a_write(number).id))

    @rule(tenant=tenants, number=numbers)
    def read(self, tenant: TenantId, number: int) -> None:
        self.ask_review(lambda store: store.held_write(tenant, a_write(number).id))

    @rule(tenant=tenants, number=numbers, when=st.none() | times, limit=st.integers(1, 3))
    def page(self, tenant: TenantId, number: int, when: int | None, limit: int) -> None:
        after = None if when is None else Position(at(when), a_write(number).id)
        self.ask_review(lambda store: store.held(tenant, limit=limit, after=after))

    @invariant()
    def they_keep_the_same(self) -> None:
        self.compare(ReviewStore, _all_of_both)


async def _all_of_both(store: ReviewStore) -> list[list[HeldWrite]]:
    return [await store.held(tenant, limit=99) for tenant in TENANTS]
