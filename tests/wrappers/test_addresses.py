"""Wrappers by their URLs: nested, and what is wrong with one."""

from datetime import timedelta
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

import wellkept
from wellkept.compose.stores import open_block_store, open_stores, schemes
from wellkept.contract.block_store import BlockStore
from wellkept.model.errors import Misconfigured, NoRoute, NotSupported, StoreFailed, UnknownStore
from wellkept.stores.inproc import InprocStore
from wellkept.testing.samples import a_block, a_change, a_key
from wellkept.wrappers import routed
from wellkept.wrappers.routed import Routed
from wellkept.wrappers.tiered import Tiered


def test_wrappers_are_schemes_too() -> None:
    assert {"routed", "tiered", "sqlite"} <= set(schemes())
    assert "envelope" not in schemes()
    assert "address" not in schemes()


async def test_a_routed_store_of_a_tiered_store(tmp_path: Path) -> None:
    sqlite = f"sqlite:///{tmp_path / 'a & b.db'}?timeout=5".replace(" ", "%20").replace("&", "%26")
    inner = f"tiered://?{urlencode({'cache': 'inproc://nested', 'durable': sqlite, 'ttl': '5', 'timeout': '1.5'})}"
    store = await open_block_store(f"routed://?{urlencode({'user': inner, 'default': f'files://{tmp_path}/files'})}")
    await store.put(a_block("1"), expect=None, change=a_change())
    await store.put(a_block("2", key=a_key(scope="agent")), expect=None, change=a_change())
    await store.close()
    assert (tmp_path / "a & b.db").exists()
    assert [path.read_text() for path in (tmp_path / "files" / "agent").rglob("*.md")] == ["2"]


async def test_a_store_of_everything_may_have_its_blocks_behind_a_wrapper(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/wellkept.db"
    stores = await open_stores(url, blocks_url=f"tiered://?cache=inproc://&durable={quote(url, safe='')}")
    try:
        assert isinstance(stores.blocks, Tiered)
        await stores.blocks.put(a_block("1"), expect=None, change=a_change())
    finally:
        await stores.close()
    async with wellkept.open(url) as memory:
        assert memory.services is not None
        assert await memory.services.stores.blocks.get(a_key()) == a_block("1")


async def test_the_times_of_a_tiered_store_are_those_of_its_url() -> None:
    store = await open_block_store("tiered://?cache=inproc://&durable=inproc://&ttl=5&timeout=1.5")
    assert isinstance(store, Tiered)
    assert (store._cached._ttl, store._cached._timeout) == (timedelta(seconds=5), 1.5)


async def test_an_equal_url_is_opened_once() -> None:
    opened: list[str] = []

    async def open_store(url: str) -> BlockStore:
        opened.append(url)
        return InprocStore()

    await routed.open("routed://?user=inproc://&agent=inproc://&shared=inproc://x", open_store)
    assert opened == ["inproc://", "inproc://x"]


async def test_equal_urls_are_one_store() -> None:
    store = await open_block_store("routed://?user=inproc://&agent=inproc://&shared=inproc://x")
    await store.put(a_block("1"), expect=None, change=a_change())
    assert isinstance(store, Routed)
    assert list(store._routes.each()) == ["user+agent", "shared"]


async def test_a_url_without_a_default_opens_and_says_no_route_at_the_first_use() -> None:
    store = await open_block_store("routed://?agent=inproc://")
    with pytest.raises(NoRoute):
        await store.get(a_key())


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("routed://", "names no store"),
        ("routed://?", "names no store"),
        ("routed://?users=inproc://", "the options are user, agent, shared, default"),
        ("routed://?user=", "it is empty"),
        ("routed://?user=inproc://&user=inproc://", "it is there twice"),
        ("routed://host?user=inproc://", "only options may follow"),
        ("routed://?user=sqlite:///a.db?timeout=5&synchronous=normal", "a & inside an inner URL is written %26"),
        ("tiered://?cache=inproc://", "'durable', problem='it is missing'"),
        ("tiered://?durable=inproc://", "'cache', problem='it is missing'"),
        ("tiered://?cache=inproc://&durable=inproc://&ttl=soon", "must be a number of seconds"),
        ("tiered://?cache=inproc://&durable=inproc://&ttl=0", "ttl.*above 0"),
        ("tiered://?cache=inproc://&durable=inproc://&timeout=nan", "timeout.*above 0"),
        ("tiered://?cache=inproc://&durable=inproc://#x", "only options may follow"),
    ],
)
async def test_what_is_wrong_with_a_url_is_told(url: str, told: str) -> None:
    with pytest.raises(Misconfigured, match=told):
        await open_block_store(url)


@pytest.mark.parametrize("url", ["routed://?default={inner}", "tiered://?cache=inproc://&durable={inner}"])
async def test_an_inner_store_that_is_not_known_is_told(url: str) -> None:
    with pytest.raises(UnknownStore) as caught:
        await open_block_store(url.format(inner="mysql://x"))
    assert caught.value.facts["scheme"] == "mysql"
    assert caught.value.facts["known"] == ", ".join(f"{name}://" for name in schemes())


@pytest.mark.parametrize(
    "url", ["routed://?user=inproc://first&default={bad}", "tiered://?durable=inproc://first&cache={bad}"]
)
async def test_a_second_store_that_cannot_be_opened_closes_the_first(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[InprocStore] = []

    async def close(store: InprocStore) -> None:
        closed.append(store)

    monkeypatch.setattr(InprocStore, "close", close)
    (tmp_path / "taken.db").mkdir()
    with pytest.raises(StoreFailed):
        await open_block_store(url.format(bad=f"sqlite:///{tmp_path / 'taken.db'}"))
    assert len(closed) == 1


async def test_a_wrapper_keeps_blocks_alone() -> None:
    with pytest.raises(NotSupported, match="MemoryStore"):
        await open_stores("routed://?default=inproc://")
