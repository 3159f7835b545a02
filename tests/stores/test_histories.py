"""Random histories: every store tells the story that a plain dictionary tells."""

import asyncio
import importlib
import shutil
import tempfile
from collections.abc import Callable, Coroutine
from typing import ClassVar, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from msgspec.structs import replace

from store_places import placed
from wellkept.contract.block_store import ANY, BlockStore, Expect
from wellkept.contract.capability import Capability
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.blocks import Block
from wellkept.model.errors import Conflict, NotFound
from wellkept.model.ids import DEFAULT_TENANT, MemoryId
from wellkept.model.keys import SCOPES, BlockKey, Scope
from wellkept.model.memories import Memory, Partitions, Pool, PoolRules
from wellkept.rules.evict import Candidate, excess, victims
from wellkept.testing.memory_rows import everything
from wellkept.testing.samples import OTHER_TENANT, a_block, a_change, a_key, a_memory, a_pool, at

T = TypeVar("T")

SHORT = settings(
    max_examples=25,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class History(RuleBasedStateMachine):
    """A store of its own for each history, driven from code that does not wait."""

    template: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.mkdtemp()
        url = placed(self.template, self.folder)
        module = importlib.import_module(f"wellkept.stores.{url.partition(':')[0]}")
        self.store = self.run(module.open(url))
        self.time = 0

    def run(self, work: Coroutine[object, object, T]) -> T:
        return self.runner.run(work)

    def tick(self) -> int:
        self.time += 1
        return self.time

    def teardown(self) -> None:
        self.run(self.store.close())
        self.runner.close()
        shutil.rmtree(self.folder)


addresses = st.builds(
    a_key,
    st.sampled_from(["K", "k", "K.md"]),
    owner=st.sampled_from(["a", "A", "a/b"]),
    scope=st.sampled_from(SCOPES),
    tenant=st.sampled_from([DEFAULT_TENANT, OTHER_TENANT]),
)
block_texts = st.sampled_from(["", "x", "x\n", "x\r\n", "\ufeffx", "\u00a7"])
expectations = st.sampled_from(["any", "any", "right", "right", "none", "stale"])


class BlockHistory(History):
    """Blocks, beside a dictionary by key and a list of texts by key."""

    store: BlockStore

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[BlockKey, Block] = {}
        self.past: dict[BlockKey, list[str | None]] = {}

    def expect(self, key: BlockKey, kind: str) -> Expect:
        stored = self.model.get(key)
        named = {"any": ANY, "none": None, "right": stored.etag if stored else None, "stale": "0" * 64}
        return named[kind]

    def allowed(self, key: BlockKey, text: str | None, expect: Expect) -> bool:
        stored = self.model.get(key)
        same = (stored.text if stored else None) == text
        return same or expect is ANY or expect == (stored.etag if stored else None)

    def change(self, key: BlockKey, block: Block | None) -> bool:
        stored = self.model.get(key)
        if (stored.text if stored else None) == (block.text if block else None):
            return False
        self.past.setdefault(key, []).append(block.text if block else None)
        self.model.pop(key, None)
        if block:
            self.model[key] = block
        return True

    @rule(key=addresses, text=block_texts, kind=expectations, edit=st.booleans())
    def write(self, key: BlockKey, text: str, kind: str, edit: bool) -> None:
        block, expect = a_block(text, key=key, when=self.tick()), self.expect(key, kind)
        change = a_change(when=self.time)
        work = (
            self.store.edit(key, lambda _: text, expect=expect, change=change)
            if edit
            else self.store.put(block, expect=expect, change=change)
        )
        if not self.allowed(key, text, expect):
            with pytest.raises(Conflict):
                self.run(work)
            return
        edited = self.run(work)
        assert edited.changed == self.change(key, block)
        assert edited.block == self.model[key]

    @rule(key=addresses, kind=expectations)
    def delete(self, key: BlockKey, kind: str) -> None:
        expect = self.expect(key, kind)
        work = self.store.delete(key, expect=expect, change=a_change(when=self.tick()))
        if self.allowed(key, None, expect):
            assert self.run(work) == self.change(key, None)
        else:
            with pytest.raises(Conflict):
                self.run(work)

    @rule(key=addresses)
    def purge(self, key: BlockKey) -> None:
        def is_of(other: BlockKey) -> bool:
            return (other.tenant, other.scope, other.owner) == (key.tenant, key.scope, key.owner)

        assert self.run(self.store.purge(key.tenant, key.scope, key.owner)) == sum(map(is_of, self.model))
        self.model = {other: block for other, block in self.model.items() if not is_of(other)}
        self.past = {other: texts for other, texts in self.past.items() if not is_of(other)}

    @rule(key=addresses)
    def read(self, key: BlockKey) -> None:
        assert self.run(self.store.get(key)) == self.model.get(key)
        if Capability.HISTORY in self.store.capabilities:
            revisions = self.run(self.store.revisions(key))
            assert [revision.text for revision in reversed(revisions)] == self.past.get(key, [])

    @rule(tenant=st.sampled_from([DEFAULT_TENANT, OTHER_TENANT]), scope=st.sampled_from(SCOPES))
    def look(self, tenant: str, scope: Scope) -> None:
        for owner in ("a", "A", "a/b"):
            listed = self.run(self.store.blocks(a_key(tenant=tenant).tenant, scope, owner))
            expected = [key for key in self.model if (key.tenant, key.scope, key.owner) == (tenant, scope, owner)]
            assert listed == [self.model[key] for key in sorted(expected)]

    @invariant()
    def everything_is_there(self) -> None:
        keys = sorted(self.model)
        assert self.run(self.store.get_many(keys)) == [self.model[key] for key in keys]


pools = st.sampled_from([a_pool(), a_pool("ag_other"), a_pool(tenant=OTHER_TENANT)])
users = st.sampled_from(["", "maya", "Maya"])
views = st.sampled_from([None, (), ("",), ("", "maya"), ("Maya",)])
numbers = st.integers(1, 12)
pool_rules = st.builds(PoolRules, cap=st.integers(2, 5), per_user_reserve=st.integers(0, 2))


class MemoryHistory(History):
    """Memories, beside a dictionary of dictionaries."""

    store: MemoryStore

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[Pool, dict[MemoryId, Memory]] = {}

    def rows(self, pool: Pool, partitions: Partitions) -> list[Memory]:
        rows = self.model.get(pool, {}).values()
        seen = [row for row in rows if partitions is None or row.user_id in partitions]
        return sorted(seen, key=lambda row: (row.created_at, row.id), reverse=True)

    def seen(self, pool: Pool, number: int, partitions: Partitions) -> Memory | None:
        return next((row for row in self.rows(pool, partitions) if row.id == a_memory(number).id), None)

    @rule(
        pool=pools,
        user=users,
        text=st.sampled_from(["tea", "Tea", "coffee"]),
        pinned=st.booleans(),
        late=st.integers(-9, 9),
        rules=pool_rules,
        unless_in=st.sampled_from([(), (), ("",), ("", "maya")]),
        touched=st.dictionaries(numbers, st.integers(0, 40), max_size=3),
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
    ) -> None:
        number = self.tick()
        memory = a_memory(number, text, user=user, pool=pool, created=number + late, pinned=pinned)
        uses = {a_memory(n).id: at(when) for n, when in touched.items()}
        created = self.run(self.store.create(memory, rules=rules, unless_in=unless_in, touched=uses))
        rows = self.model.setdefault(pool, {})
        twins = [row for row in rows.values() if row.user_id in unless_in and row.text == text]
        if twins:
            assert (created.changed, created.evicted) == (False, ())
            assert created.memory in twins
            assert (created.memory.user_id == user) == (user in {row.user_id for row in twins})
            return
        for name, when in uses.items():
            if name in rows:
                rows[name] = replace(rows[name], last_accessed_at=max(when, rows[name].last_accessed_at))
        gone = victims(
            [Candidate(row.pinned, row.last_accessed_at, row.created_at, row.id, row.user_id) for row in rows.values()],
            rules=rules,
            need=excess(len(rows), rules),
            joining=user,
        )
        assert (created.memory, created.changed, created.evicted) == (memory, True, gone)
        for name in gone:
            del rows[name]
        rows[memory.id] = memory

    @rule(
        pool=pools,
        number=numbers,
        partitions=views,
        text=st.sampled_from([None, "tea", "milk"]),
        pinned=st.sampled_from([None, True, False]),
    )
    def update(self, pool: Pool, number: int, partitions: Partitions, text: str | None, pinned: bool | None) -> None:
        when = at(self.tick())
        work = self.store.update(pool, a_memory(number).id, partitions=partitions, at=when, text=text, pinned=pinned)
        row = self.seen(pool, number, partitions)
        if row is None:
            with pytest.raises(NotFound):
                self.run(work)
            return
        after = replace(row, text=text or row.text, pinned=row.pinned if pinned is None else pinned)
        changed = after != row
        after = replace(after, last_accessed_at=when, updated_at=when if changed else row.updated_at)
        assert self.run(work) == after
        self.model[pool][row.id] = after

    @rule(pool=pools, number=numbers, partitions=views)
    def delete(self, pool: Pool, number: int, partitions: Partitions) -> None:
        row = self.seen(pool, number, partitions)
        work = self.store.delete_memory(pool, a_memory(number).id, partitions=partitions)
        assert self.run(work) == (row is not None)
        if row:
            del self.model[pool][row.id]

    @rule(pool=pools, touched=st.dictionaries(numbers, st.integers(-9, 60), max_size=4))
    def touch(self, pool: Pool, touched: dict[int, int]) -> None:
        self.run(self.store.touch(pool, {a_memory(number).id: at(when) for number, when in touched.items()}))
        for number, when in touched.items():
            row = self.seen(pool, number, None)
            if row:
                self.model[pool][row.id] = replace(row, last_accessed_at=max(row.last_accessed_at, at(when)))

    @rule(pool=pools)
    def purge(self, pool: Pool) -> None:
        assert self.run(self.store.purge_pool(pool)) == len(self.model.pop(pool, {}))

    @rule(pool=pools, partitions=views, number=numbers, limit=st.integers(1, 3), web=st.sampled_from([None, "tea"]))
    def read(self, pool: Pool, partitions: Partitions, number: int, limit: int, web: str | None) -> None:
        assert self.run(self.store.memory(pool, a_memory(number).id, partitions=partitions)) == self.seen(
            pool, number, partitions
        )
        rows = self.rows(pool, partitions)
        assert self.run(self.store.count(pool, partitions=partitions)) == len(rows)
        found = self.run(everything(self.store, pool, partitions=partitions, limit=limit, web=web))
        assert found == [row for row in rows if web is None or row.text.lower() == web]

    @invariant()
    def everything_is_there(self) -> None:
        for pool in self.model:
            assert self.run(self.store.rows(pool, partitions=None, limit=99)) == self.rows(pool, None)


def told_by(kind: type[History], template: str) -> Callable[[], History]:
    """Make the kind of history that opens a store by `template`, each time in a fresh place."""
    return type(kind.__name__, (kind,), {"template": template})


class TestBlocks:
    """Blocks, on every store."""

    def test_tell_the_dictionarys_story(self, opened_by: str) -> None:
        run_state_machine_as_test(told_by(BlockHistory, opened_by), settings=SHORT)


class TestMemories:
    """Memories, where they are kept."""

    @staticmethod
    def runs_on(kind: type[BlockStore]) -> bool:
        return issubclass(kind, MemoryStore)

    def test_tell_the_dictionarys_story(self, opened_by: str) -> None:
        run_state_machine_as_test(told_by(MemoryHistory, opened_by), settings=SHORT)
