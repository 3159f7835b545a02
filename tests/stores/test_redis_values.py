"""What lies in Redis beside what a store wrote there: damaged, foreign, lost."""

import pytest
import redis as driver
from hypothesis import example, given
from hypothesis import strategies as st

import redis_server
from wellkept.contract.block_store import ANY, BlockStore
from wellkept.model.errors import Conflict, InvalidInput, StoreCorrupt
from wellkept.model.ids import DEFAULT_TENANT, TenantId
from wellkept.model.keys import SCOPES, BlockKey
from wellkept.model.text import etag_of
from wellkept.stores.redis import open, sweep
from wellkept.stores.redis.keys import Keys, Owner
from wellkept.testing.samples import OTHER_TENANT, a_block, a_change, a_key

RIGHT = {"text": "Likes tea.", "etag": etag_of("Likes tea."), "at": "1772366400123456"}
DAMAGED: dict[str, dict[str, str | bytes]] = {
    "another text": {**RIGHT, "text": "Likes coffee."},
    "no text": {"etag": RIGHT["etag"], "at": RIGHT["at"]},
    "no etag": {"text": RIGHT["text"], "at": RIGHT["at"]},
    "no instant": {"text": RIGHT["text"], "etag": RIGHT["etag"]},
    "a word for an instant": {**RIGHT, "at": "now"},
    "an instant out of range": {**RIGHT, "at": "9" * 30},
    "not UTF-8": {**RIGHT, "text": b"\xff\xfe"},
    "NUL": {**RIGHT, "text": "a\0b", "etag": etag_of("a\0b")},
}


class Place:
    """A store, and its server behind its back."""

    def __init__(self, store: BlockStore, raw: "driver.Redis", prefix: str) -> None:
        self.store = store
        self.raw = raw
        self.prefix = prefix

    def named(self, name: str) -> str:
        return f"{self.prefix}:{name}"


@pytest.fixture
async def place():  # type: ignore[no-untyped-def]  # a fixture
    url = redis_server.fresh_url(redis_server.shared_url())
    store = await open(url)
    with redis_server.client_of(url) as raw:
        yield Place(store, raw, url.rpartition("=")[2])
    await store.close()


@pytest.mark.parametrize("fields", DAMAGED.values(), ids=DAMAGED.keys())
async def test_a_damaged_block_is_named_and_never_taken_for_one(place: Place, fields: dict[str, str | bytes]) -> None:
    await place.store.put(a_block("whole", key=a_key("WHOLE")), expect=None, change=a_change())
    name = place.named("wm:user:maya:USER")
    place.raw.hset(name, mapping=fields)  # type: ignore[arg-type]  # bytes, too
    place.raw.hset(place.named("wm-index:user:maya"), "USER", "x")
    for keys in ([a_key()], [a_key("WHOLE"), a_key()]):
        with pytest.raises(StoreCorrupt) as caught:
            await place.store.get_many(keys)
        assert caught.value.facts["key"] == name
        assert "coffee" not in caught.value.message
    assert [block.key.key for block in await place.store.blocks(DEFAULT_TENANT, "user", "maya")] == ["WHOLE"]
    (line,) = await place.store.check()
    assert line.startswith(name)
    with pytest.raises(StoreCorrupt):
        await place.store.edit(a_key(), lambda _: "x", change=a_change())
    assert await place.store.purge(DEFAULT_TENANT, "user", "maya") == 2
    assert await place.store.check() == []
    assert (await place.store.put(a_block(), expect=None, change=a_change())).changed


async def test_what_is_no_hash_is_named_and_can_be_purged(place: Place) -> None:
    name = place.named("wm:user:maya:USER")
    place.raw.set(name, "of somebody else")
    with pytest.raises(StoreCorrupt) as caught:
        await place.store.get(a_key())
    assert caught.value.facts["key"] == name
    with pytest.raises(StoreCorrupt):
        await place.store.put(a_block(), expect=ANY, change=a_change())
    with pytest.raises(StoreCorrupt):
        await place.store.delete(a_key(), change=a_change())
    assert place.raw.get(name) == b"of somebody else"
    assert len(await place.store.check()) == 1
    assert await place.store.purge(DEFAULT_TENANT, "user", "maya") == 1


async def test_a_hash_of_somebody_else_is_named_and_not_written_over(place: Place) -> None:
    name = place.named("wm:user:maya:USER")
    place.raw.hset(name, "name", "x")
    assert [line.partition(": ")[0] for line in await place.store.check()] == [name]
    with pytest.raises(StoreCorrupt):
        await place.store.put(a_block(), expect=ANY, change=a_change())
    assert place.raw.hgetall(name) == {b"name": b"x"}


async def test_an_index_that_is_none_is_named(place: Place) -> None:
    name = place.named("wm-index:user:maya")
    place.raw.set(name, "of somebody else")
    for work in (
        place.store.put(a_block(), expect=None, change=a_change()),
        place.store.blocks(DEFAULT_TENANT, "user", "maya"),
    ):
        with pytest.raises(StoreCorrupt) as caught:
            await work
        assert caught.value.facts["key"] == name
    assert [line.partition(": ")[0] for line in await place.store.check()] == [name]


async def test_check_looks_at_every_key_however_many_there_are(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "_AT_ONCE", 5)
    for number in range(60):
        place.raw.set(place.named(f"wm:team:maya:K{number}"), "x")
    assert len(set(await place.store.check())) == 60


async def test_what_others_keep_on_the_server_is_left_alone(place: Place) -> None:
    foreign = ["wm:user:maya", "wm:team:maya:USER", "wm:user:a b:USER", "wm@:user:a:K", "wm:user:%61:K"]
    foreign += ["wm@default:user:a:K"]
    for name in foreign:
        place.raw.set(place.named(name), "x")
    for name in ("other", "wmx:user:maya:USER", "session:1"):
        place.raw.set(place.named(name), "x")
    lines = await place.store.check()
    assert sorted(line.rpartition(": ")[0] for line in lines) == sorted(map(place.named, foreign))
    await place.store.purge(DEFAULT_TENANT, "user", "maya")
    assert len(place.raw.keys(f"{place.prefix}:*")) == 9


async def test_scripts_that_the_server_forgot_are_sent_again(place: Place) -> None:
    for number in range(2):
        place.raw.script_flush()
        await place.store.edit(a_key(), lambda block: f"{block and block.text}", change=a_change(when=number))
        place.raw.script_flush()
        assert len(await place.store.blocks(DEFAULT_TENANT, "user", "maya")) == 1
        place.raw.script_flush()
        assert await place.store.delete(a_key(), change=a_change()) is True


async def test_a_stale_writer_changes_nothing_whatever_the_time_between(place: Place) -> None:
    first = (await place.store.put(a_block("1"), expect=None, change=a_change())).block
    await place.store.put(a_block("2"), expect=first.etag, change=a_change())
    with pytest.raises(Conflict):
        await place.store.put(a_block("3"), expect=first.etag, change=a_change())
    assert place.raw.hget(place.named("wm:user:maya:USER"), "text") == b"2"


async def test_stores_with_other_prefixes_see_nothing_of_each_other(place: Place) -> None:
    await place.store.put(a_block(), expect=None, change=a_change())
    base = redis_server.shared_url()
    other = await open(redis_server.fresh_url(base))
    assert await other.get(a_key()) is None
    assert await other.blocks(DEFAULT_TENANT, "user", "maya") == []
    assert await other.purge(DEFAULT_TENANT, "user", "maya") == 0
    assert await place.store.get(a_key()) == a_block()
    await other.close()


# ---- spelling

owners = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs")), min_size=1, max_size=40)
names = st.from_regex(r"[A-Za-z0-9_.-]{1,64}", fullmatch=True)
addresses = st.tuples(st.one_of(st.just(DEFAULT_TENANT), names), st.sampled_from(SCOPES), owners, names)
spellings = st.sampled_from([Keys(), Keys("app"), Keys("a.b-c_1")])


def addressed(parts: tuple[str, str, str, str]) -> BlockKey | None:
    tenant, scope, owner, key = parts
    try:
        return BlockKey(tenant=TenantId(tenant), scope=scope, owner=owner, key=key)  # type: ignore[arg-type]
    except InvalidInput:
        return None


@given(spellings, addresses)
@example(Keys(), (DEFAULT_TENANT, "user", "a:b", "K"))
@example(Keys(), ("default", "user", "%3A", "K"))
def test_a_key_is_read_back(keys: Keys, parts: tuple[str, str, str, str]) -> None:
    key = addressed(parts)
    if key is None:
        return
    spelled = keys.block(key)
    assert keys.read(spelled) == key
    assert spelled.isascii()
    assert not set(spelled) & set("{}*?[]\\^ ")
    owner = Owner(key.tenant, key.scope, key.owner)
    assert keys.read(keys.index(owner)) == owner


@given(st.text("wm@:-index%3Auserdflt .{}", max_size=40))
def test_what_nobody_spelled_is_not_read(text: str) -> None:
    found = Keys().read(text)
    if isinstance(found, BlockKey):
        assert Keys().block(found) == text
    elif found is not None:
        assert Keys().index(found) == text


def test_other_tenants_keys_begin_otherwise() -> None:
    assert Keys().block(a_key()) == "wm:user:maya:USER"
    assert Keys().block(a_key(tenant=OTHER_TENANT)) == "wm@ten_other:user:maya:USER"


@pytest.mark.parametrize("prefix", ["wm", "wm-index", "a:b", "a*", "a b", "{a}", "x" * 65, "a\n"])
def test_a_prefix_that_could_be_taken_for_a_key_is_refused(prefix: str) -> None:
    with pytest.raises(InvalidInput):
        Keys(prefix)
