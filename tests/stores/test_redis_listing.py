"""A block that is there is listed: in every order of steps, whoever is killed between two of them."""

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement

import pytest

from redis_orders import Process, all_orders, play, some_orders
from redis_server import Server, serving
from wellkept.contract.block_store import ANY
from wellkept.model.errors import Conflict, StoreUnavailable
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.stores.redis import RedisStore, listing
from wellkept.stores.redis.address import parse
from wellkept.stores.redis.driver import link_to
from wellkept.stores.redis.keys import Keys, Owner
from wellkept.stores.redis.link import Link
from wellkept.stores.redis.listing import Listing
from wellkept.stores.redis.scripts import PUT, REMOVE, WITHDRAW
from wellkept.testing.samples import a_block, a_change, a_key

BLOCK, INDEX = "wm:user:maya:USER", "wm-index:user:maya"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("--appendonly", "no") as server:
        yield server


@pytest.fixture
async def link(server: Server):  # type: ignore[no-untyped-def]  # a fixture
    with server.client() as client:
        client.flushall()
    link = link_to(parse(server.url))
    yield link
    await link.close()


@pytest.fixture(autouse=True)
async def known_scripts(link: Link, server: Server) -> None:
    """Let the server know all scripts, so that the same step is one command in all orders."""
    await make(link)
    await purge(link)
    with server.client() as client:
        client.delete(BLOCK)


async def make(link: Link) -> None:
    try:
        await RedisStore(link, Keys()).put(a_block("made"), expect=None, change=a_change())
    except Conflict:
        return


async def overwrite(link: Link) -> None:
    await RedisStore(link, Keys()).put(a_block("overwritten"), expect=ANY, change=a_change())


async def delete(link: Link) -> None:
    await RedisStore(link, Keys()).delete(a_key(), change=a_change())


async def purge(link: Link) -> None:
    await RedisStore(link, Keys()).purge(DEFAULT_TENANT, "user", "maya")


async def look(link: Link) -> None:
    await RedisStore(link, Keys()).blocks(DEFAULT_TENANT, "user", "maya")


PROCESSES: dict[str, Process] = {
    "make": make,
    "overwrite": overwrite,
    "delete": delete,
    "purge": purge,
    "look": look,
}
BEGINNINGS = ["nothing", "a block", "a name without a block", "a mark"]


def rehearsal(link: Link, server: Server, processes: list[Process], beginning: str):  # type: ignore[no-untyped-def]
    """Give what plays one order from the beginning, and looks after each step and at the end."""
    raw = server.client(decode_responses=True)
    store = RedisStore(link, Keys())

    def begin() -> None:
        raw.delete(BLOCK, INDEX)
        if beginning == "a block":
            raw.hset(INDEX, "USER", "token")
            block = a_block("old")
            raw.hset(BLOCK, mapping={"text": block.text, "etag": block.etag, "at": "0"})
        elif beginning == "a name without a block":
            raw.hset(INDEX, "USER", "token")
        elif beginning == "a mark":
            raw.hset(BLOCK, "gone", "mark")
            raw.pexpire(BLOCK, 120_000)

    async def holds() -> None:
        if raw.hexists(BLOCK, "etag"):
            assert raw.hexists(INDEX, "USER"), "a block is not listed"
            assert raw.ttl(BLOCK) == -1, "a block would end by itself"

    async def run(choose: Callable[[int], int]) -> None:
        begin()
        await play(link, processes, choose, holds)
        listed = await store.blocks(DEFAULT_TENANT, "user", "maya")
        stored = await store.get(a_key())
        assert listed == ([stored] if stored else [])
        assert raw.exists(INDEX) == len(listed), "a name without a block is left"

    return run


@pytest.mark.parametrize("beginning", BEGINNINGS)
@pytest.mark.parametrize("names", list(combinations_with_replacement(PROCESSES, 2)), ids=" and ".join)
async def test_two_in_any_order(link: Link, server: Server, names: tuple[str, ...], beginning: str) -> None:
    run = rehearsal(link, server, [PROCESSES[name] for name in names], beginning)
    if {"purge", "look"} & set(names) and names[0] != names[1]:
        await some_orders(run, count=40, seed=1)
        return
    count = 0
    async for count in all_orders(run):
        if count == 150:
            break
    assert count > 10


@pytest.mark.parametrize("names", list(combinations_with_replacement(PROCESSES, 3)), ids=" and ".join)
async def test_three_in_many_orders(link: Link, server: Server, names: tuple[str, ...]) -> None:
    for number, beginning in enumerate(BEGINNINGS):
        run = rehearsal(link, server, [PROCESSES[name] for name in names], beginning)
        await some_orders(run, count=8, seed=number)


# ---- time: what comes too late changes nothing


async def test_a_writer_that_comes_long_after_it_asked_must_ask_again(link: Link) -> None:
    block = a_block()
    word, (mark, deadline) = await PUT.words(link, BLOCK, "-", block.etag, block.text, 0, "", 0)
    assert (word, mark) == ("announce", b"-")
    assert isinstance(deadline, bytes)
    late = int(deadline) - 61
    word, _ = await PUT.words(link, BLOCK, "-", block.etag, block.text, 0, "-", late)
    assert word == "announce"
    word, _ = await PUT.words(link, BLOCK, "-", block.etag, block.text, 0, "-", deadline.decode())
    assert word == "stored"


async def test_a_withdrawal_long_after_the_reading_takes_nothing_out(link: Link, server: Server) -> None:
    owner = Owner(DEFAULT_TENANT, "user", "maya")
    await Listing(link, Keys()).announce(a_key())
    (entry,) = await Listing(link, Keys()).entries(owner)
    assert await WITHDRAW.run(link, INDEX, entry.name, entry.token, int(entry.deadline) - 61) == 0
    assert await WITHDRAW.run(link, INDEX, entry.name, "another token", entry.deadline) == 0
    assert await WITHDRAW.run(link, INDEX, entry.name, entry.token, entry.deadline) == 1


async def test_a_mark_lasts_twice_as_long_as_any_deadline(link: Link, server: Server) -> None:
    await REMOVE.words(link, BLOCK, "mark", "-", "m")
    with server.client() as raw:
        assert 119 <= raw.ttl(BLOCK) <= 120
    (entry,) = [*await _announced(link)]
    with server.client() as raw:
        now, _ = raw.time()
    assert 59 <= int(entry.deadline) - now <= 60


async def _announced(link: Link):  # type: ignore[no-untyped-def]
    await Listing(link, Keys()).announce(a_key())
    return await Listing(link, Keys()).entries(Owner(DEFAULT_TENANT, "user", "maya"))


async def test_a_block_that_is_made_after_a_delete_has_no_end(link: Link, server: Server) -> None:
    store = RedisStore(link, Keys())
    for _ in range(3):
        await store.put(a_block(), expect=None, change=a_change())
        with server.client() as raw:
            assert raw.ttl(BLOCK) == -1
            assert set(raw.hkeys(BLOCK)) == {b"text", b"etag", b"at"}, "it looks deleted"
        await store.delete(a_key(), change=a_change())
        with server.client() as raw:
            assert raw.ttl(BLOCK) > 0
            assert not raw.exists(INDEX)


# ---- an index that was lost


async def test_check_lists_again_what_is_not_listed(link: Link, server: Server) -> None:
    store = RedisStore(link, Keys())
    await store.put(a_block(), expect=None, change=a_change())
    with server.client() as raw:
        raw.delete(INDEX)
    assert await store.blocks(DEFAULT_TENANT, "user", "maya") == []
    (line,) = await store.check()
    assert line.startswith(BLOCK)
    assert await store.check() == []
    assert await store.blocks(DEFAULT_TENANT, "user", "maya") == [a_block()]


async def test_a_write_lists_again_what_a_cluster_lost(link: Link, server: Server) -> None:
    link.apart = True
    store = RedisStore(link, Keys())
    await store.put(a_block(), expect=None, change=a_change())
    with server.client() as raw:
        raw.delete(INDEX)
    await store.put(a_block("new"), expect=ANY, change=a_change())
    assert [block.text for block in await store.blocks(DEFAULT_TENANT, "user", "maya")] == ["new"]


async def test_what_cannot_be_taken_out_of_an_index_fails_no_call(
    link: Link, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        async def run(self, *of: object, **how: object) -> None:
            raise StoreUnavailable(store="redis")

        words = run

    store = RedisStore(link, Keys())
    for _ in range(2):
        await store.put(a_block(), expect=ANY, change=a_change())
        with monkeypatch.context() as patch:
            patch.setattr(listing, "WITHDRAW", Failing())
            assert await store.delete(a_key(), change=a_change())
            patch.setattr(listing, "REMOVE", Failing())
            assert await store.blocks(DEFAULT_TENANT, "user", "maya") == []
    with server.client() as raw:
        assert raw.exists(INDEX)
    assert await store.blocks(DEFAULT_TENANT, "user", "maya") == []
    with server.client() as raw:
        assert not raw.exists(INDEX)


async def test_a_purge_finds_what_is_not_listed(link: Link, server: Server) -> None:
    store = RedisStore(link, Keys())
    await store.put(a_block(), expect=None, change=a_change())
    await store.put(a_block(key=a_key(owner="maya:x")), expect=None, change=a_change())
    with server.client() as raw:
        raw.delete(INDEX)
    assert await store.purge(DEFAULT_TENANT, "user", "maya") == 1
    assert await store.get(a_key()) is None
    assert await store.get(a_key(owner="maya:x")) is not None


async def test_check_takes_out_names_without_blocks(link: Link, server: Server) -> None:
    with server.client() as raw:
        raw.hset(INDEX, "USER", "left by a writer that was killed")
        assert await RedisStore(link, Keys()).check() == []
        assert not raw.exists(INDEX)


async def test_what_others_put_into_an_index_is_not_listed(link: Link, server: Server) -> None:
    store = RedisStore(link, Keys())
    await store.put(a_block(), expect=None, change=a_change())
    with server.client() as raw:
        raw.hset(INDEX, "not a key:", "x")
    assert await store.blocks(DEFAULT_TENANT, "user", "maya") == [a_block()]
