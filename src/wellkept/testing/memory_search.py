"""The part of `MemoryStoreContract` about both searches.

A store is held here to use the rules (`wellkept.rules.lexical`, `wellkept.rules.rank`) on the right rows, in the right
order, from the right place. What the rules find is held by tables of their own.
"""

import pytest

from wellkept.contract.memory_store import MemoryStore
from wellkept.testing.memory_rows import everything, fill
from wellkept.testing.samples import AWKWARD_TEXTS, OTHER_TENANT, a_memory, a_pool, at, memory_id_of

TEXTS = {
    1: "Prefers heliotrope accents in generated reports.",
    2: "The CAT sat on the mat",
    3: "Deploy failed with ERR-4092-B",
    4: "mail maya@example.com about the cat",
    5: "\u6211\u559c\u6b22\u7d2b\u8272",
}

WEB = {
    "heliotrope": [1],
    "HELIOTROPE": [1],
    "cat": [4, 2],
    "the cat": [4, 2],
    '"the cat sat"': [2],
    '"cat the"': [],
    "cat -sat": [4],
    "heliotrope or mat": [2, 1],
    "maya@example.com": [4],
    "helio": [],
    "dog": [],
    "-sat": [5, 4, 3, 1],
    "": [],
    "   ": [],
    "...": [],
}

RANKED = {
    "heliotrope": 1,
    "which accents does she prefer?": 1,
    "4092": 3,
    "helio": 1,
    "maya@example.com": 4,
    "\u7d2b\u8272": 5,
}

NOT_QUERIES = ["'", '"', '"unbalanced', "\\", "%", "*", "AND", "NOT x", "a:b", "(((", "C++", "-", "- -", "\u00a7", "!!"]


async def _samples(store: MemoryStore) -> None:
    await fill(store, *(a_memory(number, text) for number, text in TEXTS.items()))


class SearchContract:
    """The obligations about searching."""

    @pytest.mark.parametrize(("query", "found"), WEB.items(), ids=map(repr, WEB))
    async def test_mode_web_finds_what_matches_newest_first(
        self, store: MemoryStore, query: str, found: list[int]
    ) -> None:
        await _samples(store)
        rows = await store.rows(a_pool(), partitions=None, limit=9, web=query)
        assert [int(row.id[4:]) for row in rows] == found

    async def test_mode_web_goes_on_from_a_place(self, store: MemoryStore) -> None:
        await fill(store, *(a_memory(number, "tea" if number % 2 else "coffee") for number in range(10)))
        rows = await everything(store, limit=2, web="tea")
        assert [int(row.id[4:]) for row in rows] == [9, 7, 5, 3, 1]

    @pytest.mark.parametrize(("query", "found"), RANKED.items(), ids=map(repr, RANKED))
    async def test_mode_ranked_finds_it_first(self, store: MemoryStore, query: str, found: int) -> None:
        await _samples(store)
        results = await store.ranked(a_pool(), query, partitions=None, limit=9)
        assert [result.memory.id for result in results][:1] == [memory_id_of(found)]
        assert [result.score for result in results] == sorted((result.score for result in results), reverse=True)
        assert all(result.score > 0 and result.parts for result in results)

    async def test_mode_ranked_gives_the_best_up_to_a_limit_and_ties_newest_first(self, store: MemoryStore) -> None:
        await fill(store, *(a_memory(number, "green tea") for number in (1, 3, 2)), a_memory(9, "black coffee"))
        results = await store.ranked(a_pool(), "green tea", partitions=None, limit=9)
        assert [int(result.memory.id[4:]) for result in results] == [3, 2, 1]
        assert len(await store.ranked(a_pool(), "green tea", partitions=None, limit=2)) == 2
        assert await store.ranked(a_pool(), "zeppelin", partitions=None, limit=9) == []

    async def test_both_modes_see_the_given_partitions_alone(self, store: MemoryStore) -> None:
        await fill(store, *(a_memory(number, "tea", user=user) for number, user in enumerate(["", "maya", "sam"])))
        await fill(store, *(a_memory(number, "milk", user=user) for number, user in ((5, ""), (6, "maya"))))
        await fill(store, a_memory(7, "tea", pool=a_pool("ag_other")))
        await fill(store, a_memory(8, "tea", pool=a_pool(tenant=OTHER_TENANT)))
        for partitions, numbers in ((("", "maya"), [1, 0]), (("sam",), [2]), ((), []), (None, [2, 1, 0])):
            rows = await store.rows(a_pool(), partitions=partitions, limit=9, web="tea")
            ranked = await store.ranked(a_pool(), "tea", partitions=partitions, limit=9)
            assert [int(row.id[4:]) for row in rows] == numbers
            assert [int(found.memory.id[4:]) for found in ranked] == numbers

    async def test_a_partition_that_is_named_twice_is_read_once(self, store: MemoryStore) -> None:
        await fill(store, *(a_memory(number, "tea", user=user) for number, user in enumerate(["", "maya", "maya"])))
        twice = ("maya", "", "maya")
        rows = await store.rows(a_pool(), partitions=twice, limit=9)
        matching = await store.rows(a_pool(), partitions=twice, limit=9, web="tea")
        ranked = await store.ranked(a_pool(), "tea", partitions=twice, limit=9)
        assert [int(row.id[4:]) for row in rows] == [2, 1, 0]
        assert (matching, [found.memory for found in ranked]) == (rows, rows)
        assert await store.count(a_pool(), partitions=twice) == 3

    async def test_both_modes_see_the_text_as_it_is_now(self, store: MemoryStore) -> None:
        await _samples(store)
        assert await store.ranked(a_pool(), "heliotrope", partitions=None, limit=9)
        updated = await store.update(a_pool(), memory_id_of(1), partitions=None, at=at(9), text="Prefers mauve.")
        for query, found in (("heliotrope", []), ("mauve", [updated])):
            assert await store.rows(a_pool(), partitions=None, limit=9, web=query) == found
            ranked = await store.ranked(a_pool(), query, partitions=None, limit=9)
            assert [result.memory for result in ranked] == found

    @pytest.mark.parametrize("query", [*AWKWARD_TEXTS.values(), *NOT_QUERIES], ids=lambda query: ascii(query)[:30])
    async def test_any_string_is_a_query(self, store: MemoryStore, query: str) -> None:
        await _samples(store)
        await store.rows(a_pool(), partitions=None, limit=9, web=query)
        await store.ranked(a_pool(), query, partitions=None, limit=9)
