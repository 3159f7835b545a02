"""The part of `MemoryStoreContract` about creating: room in the pool, twins, and keys that make a call happen once."""

from collections.abc import Awaitable, Callable
from functools import partial
from itertools import chain

import pytest
from msgspec.structs import replace

from wellkept.contract.memory_store import MemoryStore
from wellkept.model.directory import Once
from wellkept.model.errors import AlreadyExists, IdempotencyMismatch, NotFound
from wellkept.model.memories import MemoryCreated, PoolRules
from wellkept.testing.memory_rows import ROOMY, everything, fill, numbers
from wellkept.testing.racing import in_tasks, in_threads
from wellkept.testing.samples import OTHER_TENANT, a_memory, a_pool, at, memory_id_of

OpenAgain = Callable[[], Awaitable[MemoryStore]]

THREE = PoolRules(cap=3)
ONCE = Once(operation="memories.create", key="k1", fingerprint="f1")


def _left(created: MemoryCreated) -> list[int]:
    return [int(memory[4:]) for memory in created.evicted]


class PoolContract:
    """The obligations about creating memories."""

    # ---- room

    async def test_nothing_leaves_while_there_is_room(self, store: MemoryStore) -> None:
        for number in range(3):
            created = await store.create(a_memory(number), rules=THREE)
            assert (created.changed, created.evicted) == (True, ())
        assert await numbers(store) == [2, 1, 0]

    async def test_the_least_recently_used_leaves_a_full_pool(self, store: MemoryStore) -> None:
        await fill(store, a_memory(1, used=7), a_memory(2, used=5), a_memory(3, used=6))
        assert _left(await store.create(a_memory(8), rules=THREE)) == [2]
        assert _left(await store.create(a_memory(9), rules=THREE)) == [3]
        assert await numbers(store) == [9, 8, 1]
        assert await store.memory(a_pool(), memory_id_of(2), partitions=None) is None

    async def test_ties_go_by_creation_and_then_by_id(self, store: MemoryStore) -> None:
        rows = (a_memory(number, created=made, used=9) for number, made in ((4, 1), (3, 2), (2, 1), (1, 2)))
        await fill(store, *rows)
        assert _left(await store.create(a_memory(9, used=0), rules=PoolRules(cap=1))) == [2, 4, 1, 3]

    async def test_pinned_rows_leave_last_and_do_leave(self, store: MemoryStore) -> None:
        await fill(store, a_memory(1, pinned=True), a_memory(2, pinned=True), a_memory(3), a_memory(4))
        assert _left(await store.create(a_memory(9, pinned=True), rules=PoolRules(cap=2))) == [3, 4, 1]
        assert _left(await store.create(a_memory(10), rules=PoolRules(cap=2))) == [2]
        assert await numbers(store) == [10, 9]

    async def test_the_new_row_never_leaves(self, store: MemoryStore) -> None:
        await fill(store, *(a_memory(number, pinned=True) for number in range(10, 13)), rules=THREE)
        created = await store.create(a_memory(1, created=-99, used=-99), rules=THREE)
        assert _left(created) == [10]
        assert await numbers(store) == [12, 11, 1]
        assert _left(await store.create(a_memory(2), rules=PoolRules(cap=1))) == [1, 11, 12]
        assert await numbers(store) == [2]

    async def test_a_lowered_cap_takes_as_many_as_needed(self, store: MemoryStore) -> None:
        await fill(store, *map(a_memory, range(10)))
        assert _left(await store.create(a_memory(99), rules=THREE)) == list(range(8))
        assert await numbers(store) == [99, 9, 8]

    async def test_the_cap_counts_all_partitions_of_one_pool_alone(self, store: MemoryStore) -> None:
        await fill(store, a_memory(1, user="maya"), a_memory(2, user="sam"), a_memory(3), rules=THREE)
        others = [a_pool("ag_other"), a_pool(tenant=OTHER_TENANT)]
        await fill(store, *(a_memory(7, pool=pool) for pool in others), rules=THREE)
        assert _left(await store.create(a_memory(4, user="sam"), rules=THREE)) == [1]
        for pool in others:
            assert await numbers(store, pool) == [7]

    async def test_a_partition_within_its_reserve_is_spared_while_another_is_over(self, store: MemoryStore) -> None:
        rules = PoolRules(cap=4, per_user_reserve=2)
        await fill(store, a_memory(1, user="maya"), a_memory(2), *(a_memory(n, user="sam") for n in (3, 4)))
        # With the new one sam has three: over the reserve, which neither maya nor the general partition is.
        assert _left(await store.create(a_memory(5, user="sam"), rules=rules)) == [3]
        # Nobody is over: the plain order.
        assert _left(await store.create(a_memory(6, user="maya"), rules=rules)) == [1]
        assert await numbers(store) == [6, 5, 4, 2]

    async def test_a_partition_of_exactly_its_reserve_is_within_it(self, store: MemoryStore) -> None:
        rules = PoolRules(cap=4, per_user_reserve=2)
        await fill(store, *(a_memory(n, user="maya") for n in (1, 2)), *(a_memory(n, user="sam") for n in (3, 4)))
        assert _left(await store.create(a_memory(5, user="sam"), rules=rules)) == [3]

    async def test_a_row_that_leaves_no_longer_counts_in_its_partition(self, store: MemoryStore) -> None:
        rules = PoolRules(cap=5, per_user_reserve=2)
        await fill(store, *(a_memory(n, user="sam") for n in (1, 2, 3)), *(a_memory(n, user="maya") for n in (4, 5, 6)))
        # The first of sam's leaves him two, which are his reserve: the next is maya's.
        assert _left(await store.create(a_memory(7), rules=rules)) == [1, 4]

    async def test_uses_are_noted_before_a_victim_is_chosen(self, store: MemoryStore) -> None:
        await fill(store, *map(a_memory, range(1, 4)))
        touched = {memory_id_of(1): at(50), memory_id_of(3): at(0), memory_id_of(77): at(50)}
        assert _left(await store.create(a_memory(9), rules=THREE, touched=touched)) == [2]
        rows = {int(row.id[4:]): row.last_accessed_at for row in await everything(store)}
        assert rows == {9: at(9), 3: at(3), 1: at(50)}

    async def test_a_failed_insert_brings_the_evicted_back(self, store: MemoryStore) -> None:
        await fill(store, *map(a_memory, range(1, 4)))
        before = await everything(store)
        with pytest.raises(AlreadyExists):
            await store.create(
                a_memory(3, "another text"), rules=PoolRules(cap=1), touched={memory_id_of(1): at(50)}, once=ONCE
            )
        assert await everything(store) == before
        created = await store.create(a_memory(4), rules=ROOMY, once=ONCE)  # The key was not used up.
        assert created.changed

    async def test_creates_at_once_never_exceed_the_cap(self, store: MemoryStore) -> None:
        await fill(store, *map(a_memory, range(3)), rules=THREE)
        works = [partial(store.create, a_memory(number), rules=THREE) for number in range(10, 30)]
        created = await in_tasks(works)
        await self._is_in_bounds(store, created, had=3)

    async def test_creates_from_threads_never_exceed_the_cap(self, store: MemoryStore, open_again: OpenAgain) -> None:
        async def five(thread: int) -> list[MemoryCreated]:
            mine = store if thread == 0 else await open_again()
            created = [
                await mine.create(a_memory(10 * thread + number, user=f"u{number}"), rules=THREE) for number in range(5)
            ]
            if mine is not store:
                await mine.close()
            return created

        created = await in_threads([partial(five, thread) for thread in range(4)])
        await self._is_in_bounds(store, [*chain.from_iterable(created)], had=0)

    async def _is_in_bounds(self, store: MemoryStore, created: list[MemoryCreated], *, had: int) -> None:
        gone = [memory for one in created for memory in one.evicted]
        assert await store.count(a_pool()) == 3
        assert len(gone) == len(set(gone)) == had + len(created) - 3
        assert not {row.id for row in await everything(store)} & set(gone)

    # ---- when clocks jump

    async def test_uses_in_the_future_neither_close_the_pool_nor_hide_new_rows(self, store: MemoryStore) -> None:
        await fill(store, *map(a_memory, range(1, 4)))
        await store.touch(a_pool(), {memory_id_of(number): at(10**8 + number) for number in range(1, 4)})
        for number in range(10, 13):
            await store.create(a_memory(number), rules=THREE)
            assert (await numbers(store))[0] == number
            assert await store.count(a_pool()) == 3
        # A change stamps the row with the clock as it is now, and its turn comes again.
        await store.update(a_pool(), memory_id_of(3), partitions=None, at=at(20), text="changed")
        await store.create(a_memory(13, used=30), rules=THREE)
        assert 3 in _left(await store.create(a_memory(14, used=31), rules=THREE))

    async def test_rows_of_a_clock_that_ran_ahead_or_back_stay_reachable(self, store: MemoryStore) -> None:
        await fill(store, a_memory(1, created=10**8), a_memory(2), a_memory(3, created=-(10**8)), a_memory(4))
        assert await numbers(store) == [1, 4, 2, 3]
        for number in (1, 3):
            updated = await store.update(a_pool(), memory_id_of(number), partitions=None, at=at(5), text="changed")
            assert (updated.text, updated.updated_at) == ("changed", at(5))
            assert await store.delete_memory(a_pool(), memory_id_of(number), partitions=None) is True
        assert await numbers(store) == [4, 2]

    # ---- twins

    async def test_a_text_that_is_there_already_is_not_stored_twice(self, store: MemoryStore) -> None:
        await fill(store, *(a_memory(number, "tea" if number == 2 else None, user="maya") for number in range(1, 4)))
        before = await everything(store)
        created = await store.create(a_memory(9, "tea", user="maya"), rules=PoolRules(cap=1), unless_in=("maya",))
        assert (created.memory, created.changed, created.evicted) == (before[1], False, ())
        assert await everything(store) == before

    async def test_only_the_named_partitions_are_looked_at(self, store: MemoryStore) -> None:
        await fill(store, a_memory(1, "tea", user="sam"), a_memory(2, "tea", pool=a_pool("ag_other")))
        assert (await store.create(a_memory(3, "tea"), rules=ROOMY, unless_in=("", "maya"))).changed
        assert (await store.create(a_memory(4, "tea"), rules=ROOMY)).changed
        assert (await store.create(a_memory(5, "tea", user="maya"), rules=ROOMY, unless_in=("maya",))).changed

    async def test_the_rows_own_partition_comes_first_then_the_order_given(self, store: MemoryStore) -> None:
        await fill(store, a_memory(1, "tea"), a_memory(2, "tea", user="sam"), a_memory(3, "tea", user="maya"))

        async def found(user: str, *unless_in: str) -> int:
            created = await store.create(a_memory(9, "tea", user=user), rules=ROOMY, unless_in=unless_in)
            assert not created.changed
            return int(created.memory.id[4:])

        assert await found("maya", "", "sam", "maya") == 3
        assert await found("kim", "sam", "", "maya") == 2
        assert await found("kim", "", "sam") == 1

    @pytest.mark.parametrize("other", ["Tea", "tea ", "te\u0301a", "t\u00e9a", "tea\n", "\ufefftea", "tea\u200b"])
    async def test_a_text_that_only_looks_the_same_is_another(self, store: MemoryStore, other: str) -> None:
        await fill(store, a_memory(1, "tea"), a_memory(2, "t\u00e9a" if other == "te\u0301a" else "te\u0301a"))
        assert (await store.create(a_memory(3, other), rules=ROOMY, unless_in=("",))).changed

    async def test_of_many_creates_of_one_text_one_row_comes(self, store: MemoryStore) -> None:
        created = await in_tasks(
            [partial(store.create, a_memory(n, "tea"), rules=ROOMY, unless_in=("",)) for n in range(10)]
        )
        assert sum(one.changed for one in created) == 1
        assert len({one.memory.id for one in created}) == 1
        assert await store.count(a_pool()) == 1

    # ---- once

    async def test_the_same_key_again_answers_with_the_first_row(self, store: MemoryStore) -> None:
        first = await store.create(a_memory(1, "tea"), rules=THREE, once=ONCE)
        again = await store.create(a_memory(2, "tea"), rules=THREE, once=ONCE)
        assert first.changed
        assert (again.memory, again.changed, again.evicted) == (first.memory, False, ())
        updated = await store.update(a_pool(), first.memory.id, partitions=None, at=at(9), text="coffee")
        assert (await store.create(a_memory(3, "tea"), rules=PoolRules(cap=1), once=ONCE)).memory == updated
        assert await numbers(store) == [1]

    async def test_the_same_key_with_another_request_is_refused(self, store: MemoryStore) -> None:
        await store.create(a_memory(1), rules=ROOMY, once=ONCE)
        with pytest.raises(IdempotencyMismatch):
            await store.create(a_memory(2), rules=ROOMY, once=replace(ONCE, fingerprint="f2"))
        assert await numbers(store) == [1]

    async def test_a_key_whose_row_is_gone_says_so(self, store: MemoryStore) -> None:
        await store.create(a_memory(1), rules=ROOMY, once=ONCE)
        await store.delete_memory(a_pool(), memory_id_of(1), partitions=None)
        with pytest.raises(NotFound):
            await store.create(a_memory(2), rules=ROOMY, once=ONCE)
        assert await numbers(store) == []

    async def test_a_key_is_of_its_pool_and_operation(self, store: MemoryStore) -> None:
        await store.create(a_memory(1), rules=ROOMY, once=ONCE)
        for pool in (a_pool("ag_other"), a_pool(tenant=OTHER_TENANT)):
            assert (await store.create(a_memory(2, pool=pool), rules=ROOMY, once=ONCE)).changed
        for once in (replace(ONCE, operation="other"), replace(ONCE, key="K1")):
            assert (await store.create(a_memory(3 + len(once.operation)), rules=ROOMY, once=once)).changed

    async def test_a_key_remembers_a_twin_too(self, store: MemoryStore) -> None:
        await fill(store, a_memory(1, "tea"))
        twin = await store.create(a_memory(2, "tea"), rules=ROOMY, unless_in=("",), once=ONCE)
        assert (twin.memory, twin.changed) == (a_memory(1, "tea"), False)
        updated = await store.update(a_pool(), twin.memory.id, partitions=None, at=at(9), text="no twin any more")
        again = await store.create(a_memory(3, "tea"), rules=ROOMY, unless_in=("",), once=ONCE)
        assert (again.memory, again.changed) == (updated, False)

    async def test_of_many_calls_with_one_key_one_row_comes(self, store: MemoryStore) -> None:
        created = await in_tasks([partial(store.create, a_memory(n), rules=ROOMY, once=ONCE) for n in range(10)])
        assert sum(one.changed for one in created) == 1
        assert len({one.memory.id for one in created}) == 1
        assert await store.count(a_pool()) == 1
