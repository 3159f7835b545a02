"""Histories of blocks."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from wellkept.contract.block_store import ANY, BlockStore, Expect
from wellkept.contract.capability import Capability
from wellkept.model.blocks import Block
from wellkept.model.ids import DEFAULT_TENANT, TenantId
from wellkept.model.keys import SCOPES, BlockKey, Scope
from wellkept.testing.histories.twins import Refused, Twins
from wellkept.testing.samples import OTHER_TENANT, a_block, a_change, a_key

T = TypeVar("T")

OWNERS = ("a", "A", "a/b")
KEYS = ("K", "k", "K.md")

tenants = st.sampled_from([DEFAULT_TENANT, OTHER_TENANT])
scopes = st.sampled_from(SCOPES)
owners = st.sampled_from(OWNERS)
addresses = st.builds(a_key, st.sampled_from(KEYS), owner=owners, scope=scopes, tenant=tenants)
texts = st.sampled_from(["", "x", "x\n", "x\r\n", "\ufeffx", "\u00a7"])
expectations = st.sampled_from(["any", "any", "right", "right", "none", "stale"])


class BlockHistory(Twins):
    """Blocks are written, edited, deleted, purged and read; and their revisions, where both keep them."""

    contract = BlockStore

    def __init__(self) -> None:
        super().__init__()
        self.keys: set[BlockKey] = set()

    def ask_blocks(self, work: Callable[[BlockStore], Awaitable[T]]) -> T | Refused:
        return self.ask(BlockStore, work)

    def expect(self, key: BlockKey, kind: str) -> Expect:
        """Name what a write expects: with `right` the etag of what is stored."""
        if kind != "right":
            return {"any": ANY, "none": None, "stale": "0" * 64}[kind]
        stored = self.compare(BlockStore, lambda store: store.get(key))
        return stored.etag if isinstance(stored, Block) else None

    @rule(key=addresses, text=texts, kind=expectations)
    def put(self, key: BlockKey, text: str, kind: str) -> None:
        self.keys.add(key)
        expect, when = self.expect(key, kind), self.tick()
        block = a_block(text, key=key, when=when)
        self.ask_blocks(lambda store: store.put(block, expect=expect, change=a_change(when=when)))

    @rule(key=addresses, more=texts, kind=expectations)
    def edit(self, key: BlockKey, more: str, kind: str) -> None:
        self.keys.add(key)
        expect, change = self.expect(key, kind), a_change(when=self.tick(), actor="user_turn", session="s1")
        self.ask_blocks(
            lambda store: store.edit(
                key, lambda stored: more + (stored.text[:3] if stored else ""), expect=expect, change=change
            )
        )

    @rule(key=addresses, kind=expectations)
    def delete(self, key: BlockKey, kind: str) -> None:
        expect, change = self.expect(key, kind), a_change(when=self.tick())
        self.ask_blocks(lambda store: store.delete(key, expect=expect, change=change))

    @rule(tenant=tenants, scope=scopes, owner=owners)
    def purge(self, tenant: TenantId, scope: Scope, owner: str) -> None:
        self.ask_blocks(lambda store: store.purge(tenant, scope, owner))

    @rule(tenant=tenants, scope=scopes, owner=owners)
    def look(self, tenant: TenantId, scope: Scope, owner: str) -> None:
        self.ask_blocks(lambda store: store.blocks(tenant, scope, owner))

    @rule(key=addresses, before=st.sampled_from([None, 1, 2, 3, 9]), limit=st.integers(1, 4))
    def look_back(self, key: BlockKey, before: int | None, limit: int) -> None:
        if all(isinstance(store, BlockStore) and Capability.HISTORY in store.capabilities for store in self.pair):
            self.ask_blocks(lambda store: store.revisions(key, before=before, limit=limit))

    @invariant()
    def they_keep_the_same(self) -> None:
        keys = sorted(self.keys)
        self.compare(BlockStore, lambda store: store.get_many(keys))
