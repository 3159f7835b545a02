"""Histories of memories."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from wellkept.contract.memory_store import MemoryStore
from wellkept.model.directory import Once
from wellkept.model.memories import Memory, Partitions, Pool, PoolRules
from wellkept.model.text import etag_of
from wellkept.testing.histories.twins import Refused, Twins
from wellkept.testing.memory_rows import everything
from wellkept.testing.samples import OTHER_TENANT, a_memory, a_pool, at, memory_id_of

T = TypeVar("T")

POOLS = (a_pool(), a_pool("ag_other"), a_pool(tenant=OTHER_TENANT))
TEXTS = ("tea", "Tea", "green tea", "ERR-4092-B", "\u5999 tea")

pools = st.sampled_from(POOLS)
users = st.sampled_from(["", "maya", "Maya"])
views = st.sampled_from([None, None, (), ("",), ("", "maya"), ("Maya",)])
numbers = st.integers(1, 12)
texts = st.sampled_from(TEXTS)
uses = st.dictionaries(numbers, st.integers(-9, 60), max_size=3)
rules = st.builds(PoolRules, cap=st.integers(2, 5), per_user_reserve=st.integers(0, 2))
keys = st.sampled_from([None, None, ("k1", "f1"), ("k1", "f2"), ("k2", "f1")])
etags = st.sampled_from([None, None, *map(etag_of, TEXTS)])
queries = st.sampled_from(["tea", "tea -green", '"green tea"', "4092", "err or tea", "-tea", "\u5999", "!"])


class MemoryHistory(Twins):
    """Memories are created in full pools, touched, updated, deleted, purged, listed and searched for."""

    contract = MemoryStore

    def ask_memories(self, work: Callable[[MemoryStore], Awaitable[T]]) -> T | Refused:
        return self.ask(MemoryStore, work)

    @rule(
        pool=pools,
        user=users,
        text=texts,
        pinned=st.booleans(),
        late=st.integers(-9, 9),
        rules=rules,
        unless_in=st.sampled_from([(), (), ("",), ("", "maya")]),
        touched=uses,
        key=keys,
        number=st.sampled_from([None, None, None, 1, 2]),
    )
    def create(
        self,
        pool: Pool,
        user: str,
        text: str,
        pinned: bool,
        late: int,
        rules: PoolRules,
        unless_in: tuple[str, ...],
        touched: dict[int, int],
        key: tuple[str, str] | None,
        number: int | None,
    ) -> None:
        now = self.tick()
        memory = a_memory(number or now, text, user=user, pool=pool, created=now + late, pinned=pinned)
        noted = {memory_id_of(one): at(when) for one, when in touched.items()}
        once = Once(operation="memories.create", key=key[0], fingerprint=key[1]) if key else None
        self.ask_memories(
            lambda store: store.create(memory, rules=rules, unless_in=unless_in, touched=noted, once=once)
        )

    @rule(
        pool=pools,
        number=numbers,
        view=views,
        text=st.sampled_from([None, *TEXTS]),
        pinned=st.sampled_from([None, True, False]),
        expect=etags,
    )
    def update(
        self, pool: Pool, number: int, view: Partitions, text: str | None, pinned: bool | None, expect: str | None
    ) -> None:
        when = at(self.tick())
        memory = memory_id_of(number)
        self.ask_memories(
            lambda store: store.update(pool, memory, partitions=view, at=when, text=text, pinned=pinned, expect=expect)
        )

    @rule(pool=pools, number=numbers, view=views, expect=etags)
    def delete(self, pool: Pool, number: int, view: Partitions, expect: str | None) -> None:
        self.ask_memories(lambda store: store.delete_memory(pool, memory_id_of(number), partitions=view, expect=expect))

    @rule(pool=pools, touched=uses)
    def touch(self, pool: Pool, touched: dict[int, int]) -> None:
        self.ask_memories(
            lambda store: store.touch(pool, {memory_id_of(one): at(when) for one, when in touched.items()})
        )

    @rule(pool=pools)
    def purge(self, pool: Pool) -> None:
        self.ask_memories(lambda store: store.purge_pool(pool))

    @rule(pool=pools, view=views, number=numbers)
    def read(self, pool: Pool, view: Partitions, number: int) -> None:
        self.ask_memories(lambda store: store.memory(pool, memory_id_of(number), partitions=view))

    @rule(pool=pools, view=views)
    def count(self, pool: Pool, view: Partitions) -> None:
        self.ask_memories(lambda store: store.count(pool, partitions=view))

    @rule(pool=pools, view=views, limit=st.integers(1, 3), web=st.none() | queries)
    def page(self, pool: Pool, view: Partitions, limit: int, web: str | None) -> None:
        self.ask_memories(lambda store: everything(store, pool, partitions=view, limit=limit, web=web))

    @rule(pool=pools, view=views, limit=st.integers(1, 3), query=queries)
    def search(self, pool: Pool, view: Partitions, limit: int, query: str) -> None:
        self.ask_memories(lambda store: store.ranked(pool, query, partitions=view, limit=limit))

    @invariant()
    def they_keep_the_same(self) -> None:
        self.compare(MemoryStore, _all_rows)


async def _all_rows(store: MemoryStore) -> list[list[Memory]]:
    return [await store.rows(pool, partitions=None, limit=99) for pool in POOLS]
