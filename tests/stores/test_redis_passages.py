"""What only Redis can do to passages: lose some, hold what is none, be full, be many servers, or go away."""

import asyncio
import signal
from collections.abc import AsyncIterator

import pytest
import redis as driver
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import redis_server
from wellkept.contract.passage_store import PassageStore
from wellkept.model.errors import InvalidInput, StoreCorrupt, StoreFull, StoreUnavailable, WellkeptError
from wellkept.model.ids import DEFAULT_TENANT, AgentId, SessionId, TenantId, UserId
from wellkept.model.passages import PassageOwner, PassagesPut, PassageStamp, Selection, Vector
from wellkept.stores import redis, upstash
from wellkept.stores.redis import RedisStore
from wellkept.stores.redis.blocks import RedisBlocks
from wellkept.stores.redis.keys import Keys
from wellkept.stores.redis.passage_keys import PARTS, PassageKeys
from wellkept.testing.following import Follower, stored
from wellkept.testing.samples import OTHER_TENANT, a_passage, a_vector, an_owner, new

OF_MAYA = "wm-passages:{ag_support:maya}"
ALL = Selection(tenant=DEFAULT_TENANT, agent=AgentId("ag_support"))


class Place:
    """A store, and its server behind its back."""

    def __init__(self, store: RedisStore, raw: "driver.Redis", prefix: str) -> None:
        self.store = store
        self.raw = raw
        self.prefix = prefix

    def named(self, part: str, start: str = OF_MAYA) -> str:
        return f"{self.prefix}:{start}:{part}"


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    url = redis_server.fresh_url(redis_server.shared_url())
    store = await redis.open(url)
    with redis_server.client_of(url) as raw:
        yield Place(store, raw, url.rpartition("=")[2])
    await store.close()


# ---- keys

ids = st.text(st.characters(codec="utf-8"), min_size=1, max_size=9)


@given(st.sampled_from(["default", "a", "a.b"]), ids, ids, st.sampled_from(["", "p", "p-1"]))
def test_a_key_says_whose_it_is_and_nobody_elses(tenant: str, agent: str, user: str, prefix: str) -> None:
    try:
        owner = PassageOwner(TenantId(tenant), AgentId(agent), UserId(user))
    except InvalidInput:
        return
    keys = PassageKeys(Keys(prefix))
    for spelled in keys.of(owner).all:
        assert keys.read(spelled) == owner
        assert Keys(prefix).read(spelled) is None, "it is taken for a block's"
        tag = spelled[spelled.index("{") + 1 : spelled.index("}")]
        assert keys.of(owner).stamp == f"{spelled[: spelled.index('{')]}{{{tag}}}:stamp"
        assert spelled.count("{") == spelled.count("}") == 1


async def test_all_of_an_owner_lies_in_one_slot_and_owners_in_many() -> None:
    cluster = redis_server.shared_cluster()
    store = await redis.open(redis_server.fresh_url(cluster.url))
    owners = [an_owner(f"{{same}} {number}") for number in range(30)]
    for owner in owners:
        await store.put_passages(owner, new(a_passage(1, owner=owner), vector=a_vector()))
    prefix = store._keys.prefix
    held = [set(server.client().scan_iter(f"{prefix}:*", count=10_000)) for server in cluster.servers[:3]]
    assert sum(map(len, held)) == 30 * len(PARTS)
    assert sum(map(bool, held)) > 1, "all owners in braces lie in one slot"
    assert all(len(keys) % len(PARTS) == 0 for keys in held)
    assert await store.purge_user_passages(DEFAULT_TENANT, owners[3].user) == 1
    assert await store.delete_passages(ALL) == 29
    await store.close()


def test_upstash_keeps_no_passages() -> None:
    assert not issubclass(RedisBlocks, PassageStore)
    assert upstash.open.__annotations__["return"] is RedisBlocks


# ---- what lies there


async def test_vectors_and_entries_of_any_bytes_come_back(place: Place) -> None:
    vector = Vector(model="a b:c\u00e9", data=bytes(range(256)) * 2)
    await place.store.put_passages(an_owner(), new(a_passage(1), vector=vector, entry=b"\0\xff\0" + bytes(range(256))))
    (known,) = (await stored(place.store, an_owner(), model=vector.model)).values()
    assert (known.vector, known.entry) == (vector, b"\0\xff\0" + bytes(range(256)))
    assert (await place.store.count_passages(DEFAULT_TENANT)).vectors == {vector.model: 1}


@pytest.mark.parametrize("part", PARTS)
async def test_a_key_that_holds_something_else_is_named_and_not_written_over(place: Place, part: str) -> None:
    name = place.named(part)
    place.raw.set(name, "of somebody else")
    for work in (
        place.store.put_passages(an_owner(), new(a_passage(1))),
        place.store.put_vectors(an_owner(), {a_passage(1).id: a_vector()}),
        place.store.changed_since(an_owner(), 0, model=None, limit=9),
        place.store.last_number(an_owner(), SessionId("s1")),
        place.store.count_passages(DEFAULT_TENANT),
    ):
        with pytest.raises(StoreCorrupt) as caught:
            await work
        assert caught.value.facts["key"] == name
    assert place.raw.get(name) == b"of somebody else"
    assert len(await place.store.check()) == (part in ("rows", "order", "places", "times"))
    await place.store.purge_user_passages(DEFAULT_TENANT, an_owner().user)
    assert place.raw.keys(f"{place.prefix}:*") == []
    assert await place.store.put_passages(an_owner(), new(a_passage(1))) == PassagesPut(stored=1)


@pytest.mark.parametrize(
    "row", [b"", b"a\0b", b"s1\0message\0m1\0x\0y\0{}\0text\0", b"s1\0rumour\0m1\x001\x004000000000000000\0{}\0text\0"]
)
async def test_a_row_that_is_no_passage_is_named_and_never_taken_for_one(place: Place, row: bytes) -> None:
    await place.store.put_passages(an_owner(), new(a_passage(1), a_passage(2), vector=a_vector()))
    place.raw.hset(place.named("rows"), a_passage(1).id, row)
    for work in (
        place.store.changed_since(an_owner(), 0, model=None, limit=9),
        place.store.passages(an_owner(), [a_passage(1).id]),
        place.store.listed(ALL, limit=9),
    ):
        with pytest.raises(StoreCorrupt) as caught:
            await work
        assert caught.value.facts["key"] == place.named("rows")
    assert len(await place.store.passages(an_owner(), [a_passage(2).id])) == 1
    assert [line.rpartition(": ")[0] for line in await place.store.check()] == [f"{place.prefix}:{OF_MAYA}"]
    assert await place.store.purge_user_passages(DEFAULT_TENANT, an_owner().user) == 2
    assert await place.store.check() == []


@pytest.mark.parametrize("part", ["rows", "order", "places", "times"])
async def test_a_part_that_was_lost_is_noticed_and_can_be_stored_again(place: Place, part: str) -> None:
    given = new(a_passage(1), a_passage(2), vector=a_vector())
    await place.store.put_passages(an_owner(), given)
    place.raw.delete(place.named(part))
    assert len(await place.store.check()) == 1
    await place.store.purge_user_passages(DEFAULT_TENANT, an_owner().user)
    assert await place.store.put_passages(an_owner(), given) == PassagesPut(stored=2)
    assert await place.store.check() == []
    assert len(await stored(place.store, an_owner())) == 2


async def test_what_others_keep_on_the_server_is_left_alone(place: Place) -> None:
    foreign = ["wm-passages", "wm-passages:{a:b}", "wm-passages:{a:b}:other", "wm-passages:{a}:rows"]
    foreign += ["wm-passages@default:{a:b}:rows", "wm-passages:{%61:b}:rows", "wm-passages:a:b:rows"]
    for name in foreign:
        place.raw.set(f"{place.prefix}:{name}", "x")
    await place.store.put_passages(an_owner(), new(a_passage(1)))
    lines = await place.store.check()
    assert sorted(line.rpartition(": ")[0].removeprefix(f"{place.prefix}:") for line in lines) == sorted(foreign[1:])
    assert await place.store.delete_passages(ALL) == 1
    assert await place.store.purge_user_passages(DEFAULT_TENANT, UserId("b")) == 0
    assert len(place.raw.keys(f"{place.prefix}:*")) == len(foreign)


async def test_a_prefix_keeps_deployments_apart(place: Place) -> None:
    url = redis_server.fresh_url(redis_server.shared_url())
    other = await redis.open(url)
    await place.store.put_passages(an_owner(), new(a_passage(1)))
    assert await other.stamp(an_owner()) == PassageStamp()
    assert await other.purge_user_passages(DEFAULT_TENANT, an_owner().user) == 0
    assert await other.delete_passages(ALL) == 0
    assert (await other.count_passages(OTHER_TENANT)).passages == 0
    assert len(await place.store.passage_ids(an_owner())) == 1
    await other.close()


async def test_scripts_that_the_server_forgot_are_sent_again(place: Place) -> None:
    for number in range(2):
        place.raw.script_flush()
        assert (await place.store.put_passages(an_owner(), new(a_passage(number)))).stored == 1
        place.raw.script_flush()
        assert len(await place.store.changed_since(an_owner(), 0, model=None, limit=9)) == number + 1


async def test_a_clock_that_was_set_back_takes_no_revision_back(place: Place) -> None:
    await place.store.put_passages(an_owner(), new(a_passage(1)))
    ahead = (await place.store.stamp(an_owner())).revision + 10**12
    place.raw.hset(place.named("stamp"), "revision", ahead)
    for number in (2, 3):
        await place.store.put_passages(an_owner(), new(a_passage(number)))
        assert (await place.store.stamp(an_owner())).revision == ahead + number - 1
    assert len(await place.store.changed_since(an_owner(), ahead + 1, model=None, limit=9)) == 1


# ---- servers that are full, or go and come back


async def test_a_full_server_takes_no_passage_and_lets_one_delete(own: redis_server.Server) -> None:
    store = await redis.open(own.url)
    await store.put_passages(an_owner(), new(a_passage(1), a_passage(2), a_passage(3), vector=a_vector()))
    before, stamp = await stored(store, an_owner(), model=a_vector().model), await store.stamp(an_owner())
    with own.client() as raw:
        raw.config_set("maxmemory", 1)
        for work in (
            store.put_passages(an_owner(), new(a_passage(1, "changed"), a_passage(4))),
            store.put_vectors(an_owner(), {a_passage(1).id: a_vector(1)}),
        ):
            with pytest.raises(StoreFull):
                await work
        assert await stored(store, an_owner(), model=a_vector().model) == before
        assert await store.stamp(an_owner()) == stamp
        assert await store.delete_passages(replace(ALL, ids=(a_passage(1).id,))) == 1
        assert await store.delete_passages(ALL) == 2
        assert raw.dbsize() == 0
        raw.config_set("maxmemory", 0)
    await store.close()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
async def test_a_restart_under_load_loses_nothing(own: redis_server.Server, how: signal.Signals) -> None:
    store = await redis.open(own.url)
    acknowledged: list[list[int]] = [[] for _ in range(4)]
    others: list[BaseException] = []
    ended = asyncio.Event()

    async def ingest(name: int) -> None:
        owner, number = an_owner(f"o{name}"), 0
        while not ended.is_set():
            number += 1
            try:
                given = new(*(a_passage(number, part=part, owner=owner) for part in range(3)), vector=a_vector())
                await store.put_passages(owner, given)
                acknowledged[name].append(number)
            except StoreUnavailable:
                await asyncio.sleep(0.01)
            except WellkeptError as error:
                others.append(error)

    works = [asyncio.create_task(ingest(name)) for name in range(4)]
    await asyncio.sleep(0.3)
    await asyncio.to_thread(own.stop, how)
    await asyncio.sleep(0.2)
    await asyncio.to_thread(own.start)
    before = [len(done) for done in acknowledged]
    for _ in range(250):
        if all(len(done) > was for done, was in zip(acknowledged, before, strict=True)):
            break
        await asyncio.sleep(0.02)
    ended.set()
    await asyncio.gather(*works)
    assert not others
    assert all(len(done) > was for done, was in zip(acknowledged, before, strict=True)), "it did not come back"
    for name, done in enumerate(acknowledged):
        follower = Follower(store, an_owner(f"o{name}"), model=a_vector().model, page=100)
        await follower.catch_up()
        numbers = [one.passage.number for one in follower.known.values()]
        assert set(done) <= set(numbers)
        assert all(numbers.count(number) == 3 for number in set(numbers)), "half a message"
    assert await store.check() == []
    await store.close()


async def test_passages_of_a_server_that_is_gone_are_unavailable(own: redis_server.Server) -> None:
    store = await redis.open(own.url)
    await store.put_passages(an_owner(), new(a_passage(1)))
    own.stop(signal.SIGKILL)
    for work in (
        store.put_passages(an_owner(), new(a_passage(2))),
        store.put_vectors(an_owner(), {a_passage(1).id: a_vector()}),
        store.stamp(an_owner()),
        store.changed_since(an_owner(), 0, model=None, limit=9),
        store.passage_ids(an_owner()),
        store.passages(an_owner(), [a_passage(1).id]),
        store.listed(ALL, limit=9),
        store.last_number(an_owner(), SessionId("s1")),
        store.delete_passages(ALL),
        store.purge_user_passages(DEFAULT_TENANT, an_owner().user),
        store.count_passages(DEFAULT_TENANT),
        store.without_vector(DEFAULT_TENANT, "m", limit=9),
    ):
        with pytest.raises(StoreUnavailable):
            await work
    await store.close()
