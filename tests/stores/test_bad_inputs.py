"""Hostile owners, keys and texts: refused by the values before a store sees them, or kept apart and unchanged."""

import json
from pathlib import Path

import pytest

from wellkept.contract.block_store import BlockStore
from wellkept.contract.memory_store import MemoryStore
from wellkept.model.errors import InvalidInput
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.model.keys import BlockKey
from wellkept.model.memories import PoolRules
from wellkept.testing.samples import a_block, a_change, a_key, a_memory, a_pool

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "badinputs.jsonl").read_text(encoding="utf-8").splitlines()
]

REFUSED_OWNERS = frozenset(
    {"", " ", "\t", "\u200b", "\u2800", "\ufeff", "\u00a0", "a\0b", "a\nb", "alice\n", "a\rb", "a\x1bb", "a\x7fb"}
    | {"a\u2028b", "a\ud800b", "a ", "user-1 "}
)
"""What DESIGN says no user id may be, and whatever is longer than 256 characters. All others are good ids."""

NO_TEXTS = frozenset({"a\0b", "a\ud800b", "\udfff"})
"""What no block may be."""

NO_MEMORIES = NO_TEXTS | {"", "   ", "\u200b\u200b", "\u2028"}
"""What no memory may be, beside what is longer than 10,240 bytes."""


def rows(field: str) -> list[object]:
    return [pytest.param(row["value"], id=row["id"]) for row in ROWS if row["field"] == field]


def made(value: object) -> str:
    """Give the text that a row is about."""
    return value["repeat"] * value["times"] if isinstance(value, dict) else str(value)


def valid_key(**parts: str) -> BlockKey | None:
    try:
        return a_key(**parts)
    except InvalidInput:
        return None


@pytest.mark.parametrize("owner", rows("owner"))
def test_an_owner_is_refused_or_good(owner: str) -> None:
    assert (valid_key(owner=owner) is None) == (owner in REFUSED_OWNERS or len(owner) > 256)


@pytest.mark.parametrize("key", rows("key"))
def test_a_key_is_refused_or_good(key: str) -> None:
    plain = key.isascii() and 1 <= len(key) <= 64 and all(char.isalnum() or char in "_.-" for char in key)
    assert (valid_key(key=key) is None) == (not plain)


async def test_all_good_owners_and_keys_live_side_by_side(store: BlockStore) -> None:
    owners = {row["value"] for row in ROWS if row["field"] == "owner"}
    owners |= {owner for row in ROWS if row["field"] == "owner_pair" for owner in row["value"]}
    names = {row["value"] for row in ROWS if row["field"] == "key"}
    keys = [key for owner in sorted(owners, key=ascii) if (key := valid_key(owner=owner))]
    keys += [key for name in sorted(names, key=ascii) if (key := valid_key(key=name))]
    assert len(keys) > 90
    for number, key in enumerate(keys):
        assert await store.get(key) is None
        await store.put(a_block(str(number), key=key), expect=None, change=a_change())
    assert [block and block.text for block in await store.get_many(keys)] == [str(n) for n in range(len(keys))]
    assert await store.check() == []
    for key in keys:
        listed = await store.blocks(DEFAULT_TENANT, "user", key.owner)
        assert {block.key.owner for block in listed} == {key.owner}
        assert key in [block.key for block in listed]


@pytest.mark.parametrize("value", rows("text"))
async def test_a_blocks_text_is_refused_or_comes_back(store: BlockStore, value: object) -> None:
    text = made(value)
    if text in NO_TEXTS:
        with pytest.raises(InvalidInput):
            a_block(text)
        with pytest.raises(InvalidInput):
            await store.edit(a_key(), lambda _: text, change=a_change())
        assert await store.get(a_key()) is None
        return
    await store.put(a_block(text), expect=None, change=a_change())
    assert await store.get(a_key()) == a_block(text)


class TestMemories:
    """The same on the stores that keep memories."""

    @staticmethod
    def runs_on(kind: type[BlockStore]) -> bool:
        return issubclass(kind, MemoryStore)

    @pytest.mark.parametrize("value", rows("text"))
    async def test_a_memorys_text_is_refused_or_comes_back(self, store: MemoryStore, value: object) -> None:
        text = made(value)
        await store.create(a_memory(1), rules=PoolRules())
        if text in NO_MEMORIES or len(text.encode("utf-8", "replace")) > 10_240:
            with pytest.raises(InvalidInput):
                a_memory(2, text)
            with pytest.raises(InvalidInput):
                await store.update(a_pool(), a_memory(1).id, partitions=None, at=a_memory(1).created_at, text=text)
            assert await store.rows(a_pool(), partitions=None, limit=9) == [a_memory(1)]
            return
        await store.create(a_memory(2, text), rules=PoolRules())
        assert (await store.rows(a_pool(), partitions=None, limit=1))[0].text == text

    @pytest.mark.parametrize("query", rows("search"))
    async def test_any_search_is_answered(self, store: MemoryStore, query: str) -> None:
        await store.create(a_memory(1, "some text"), rules=PoolRules())
        await store.rows(a_pool(), partitions=None, limit=9, web=made(query))
        await store.ranked(a_pool(), made(query), partitions=None, limit=9)

    async def test_all_good_users_have_partitions_of_their_own(self, store: MemoryStore) -> None:
        owners = {row["value"] for row in ROWS if row["field"] == "owner"}
        owners |= {owner for row in ROWS if row["field"] == "owner_pair" for owner in row["value"]}
        users = [owner for owner in sorted(owners, key=ascii) if valid_key(owner=owner)]
        for number, user in enumerate(users):
            await store.create(a_memory(number, user=user), rules=PoolRules())
        for number, user in enumerate(users):
            assert await store.rows(a_pool(), partitions=(user,), limit=9) == [a_memory(number, user=user)]
