"""Which store a routed block goes to, and what is wrong with a route."""

from collections.abc import Callable
from typing import cast

import pytest

from wellkept.contract.block_store import BlockStore
from wellkept.contract.capability import Capability
from wellkept.model.errors import Misconfigured, NoRoute, StoreFailed
from wellkept.model.ids import DEFAULT_TENANT, TenantId
from wellkept.model.keys import SCOPES, Scope
from wellkept.stores.files import FileStore
from wellkept.stores.inproc import InprocStore
from wellkept.testing.samples import OTHER_TENANT, a_block, a_change, a_key
from wellkept.wrappers.routed import Routed


class Closing(InprocStore):
    """Counts how often it is closed."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__()
        self.closed = 0
        self.fails = fails

    async def close(self) -> None:
        self.closed += 1
        if self.fails:
            raise StoreFailed


def by_words(user: BlockStore, agent: BlockStore, default: BlockStore) -> Routed:
    return Routed(user=user, agent=agent, default=default)


def by_mapping(user: BlockStore, agent: BlockStore, default: BlockStore) -> Routed:
    return Routed({"user": user, "agent": agent, "default": default})


def by_both(user: BlockStore, agent: BlockStore, default: BlockStore) -> Routed:
    return Routed({"user": user, "agent": agent}, default=default, agent=agent)


def by_function(user: BlockStore, agent: BlockStore, default: BlockStore) -> Routed:
    return Routed(default=default, route=lambda scope, owner, tenant: {"user": user, "agent": agent}.get(scope))


FORMS = [by_words, by_mapping, by_both, by_function]
Form = Callable[[BlockStore, BlockStore, BlockStore], Routed]


@pytest.mark.parametrize("form", FORMS)
async def test_every_form_routes_each_scope(form: Form) -> None:
    inner = {"user": InprocStore(), "agent": InprocStore(), "shared": InprocStore()}
    store = form(inner["user"], inner["agent"], inner["shared"])
    keys = [a_key(scope=scope, owner="o") for scope in SCOPES]
    for key in keys:
        await store.put(a_block(key.scope, key=key), expect=None, change=a_change())
    for key in keys:
        assert await inner[key.scope].get(key) == a_block(key.scope, key=key)
        assert await store.blocks(DEFAULT_TENANT, key.scope, "o") == [a_block(key.scope, key=key)]
        assert [len(await other.blocks(DEFAULT_TENANT, key.scope, "o")) for other in inner.values()].count(1) == 1
    asked = [keys[2], a_key("NONE"), keys[0], keys[1], keys[0]]
    found = await store.get_many(asked)
    assert [block and block.text for block in found] == ["shared", None, "user", "agent", "user"]
    assert await store.purge(DEFAULT_TENANT, "agent", "o") == 1
    assert await store.get_many(keys) == [a_block("user", key=keys[0]), None, a_block("shared", key=keys[2])]


async def test_a_function_goes_first_and_sees_scope_owner_and_tenant() -> None:
    asked: list[tuple[Scope, str, TenantId]] = []
    mine, default = InprocStore(), InprocStore()

    def route(scope: Scope, owner: str, tenant: TenantId) -> BlockStore | None:
        asked.append((scope, owner, tenant))
        return mine if tenant == OTHER_TENANT else None

    store = Routed(user=default, route=route)
    for tenant in (OTHER_TENANT, DEFAULT_TENANT):
        await store.put(a_block(key=a_key(tenant=tenant)), expect=None, change=a_change())
    assert asked == [("user", "maya", OTHER_TENANT), ("user", "maya", DEFAULT_TENANT)]
    assert await mine.get(a_key(tenant=OTHER_TENANT)) is not None
    assert await default.get(a_key()) is not None


@pytest.mark.parametrize("store", [Routed(agent=InprocStore()), Routed(route=lambda scope, owner, tenant: None)])
async def test_no_route_is_an_error_at_the_first_use_that_says_what_to_give(store: Routed) -> None:
    uses = [
        store.get(a_key()),
        store.get_many([a_key()]),
        store.put(a_block(), expect=None, change=a_change()),
        store.edit(a_key(), lambda _: "x", change=a_change()),
        store.delete(a_key(), change=a_change()),
        store.blocks(DEFAULT_TENANT, "user", "maya"),
        store.purge(DEFAULT_TENANT, "user", "maya"),
        store.revisions(a_key()),
    ]
    for use in uses:
        with pytest.raises(NoRoute, match=r"give Routed\(user=…\) or Routed\(default=…\)") as caught:
            await use
        assert caught.value.facts["scope"] == "user"
        assert isinstance(caught.value, Misconfigured)


async def test_a_function_that_answers_with_no_store_is_told() -> None:
    store = Routed(route=lambda scope, owner, tenant: cast("BlockStore", "files://x"))
    with pytest.raises(Misconfigured, match="must be a BlockStore, not str"):
        await store.get(a_key())


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Routed(), "it has no store"),
        (lambda: Routed({}), "it has no store"),
        (lambda: Routed({"users": InprocStore()}), "the routes are user, agent, shared, default"),
        (lambda: Routed({"user": InprocStore()}, user=InprocStore()), "it is there twice"),
        (lambda: Routed(user=cast("BlockStore", "files://x")), "not str.*open_block_store"),
        (lambda: Routed({"default": cast("BlockStore", None)}), "not NoneType"),
    ],
)
def test_what_is_put_together_wrongly_is_told_at_once(make: Callable[[], Routed], told: str) -> None:
    with pytest.raises(Misconfigured, match=told):
        make()


async def test_each_store_is_closed_once_also_when_another_fails() -> None:
    user, agent, default = Closing(), Closing(fails=True), Closing()
    store = Routed(user=user, agent=agent, shared=user, default=default)
    with pytest.raises(StoreFailed):
        await store.close()
    assert [inner.closed for inner in (user, agent, default)] == [1, 1, 1]


async def test_it_can_do_what_all_its_stores_can(tmp_path: object) -> None:
    files, inproc = FileStore(str(tmp_path)), InprocStore()
    assert Routed(user=files, default=files).capabilities == files.capabilities
    assert Routed(user=inproc, default=inproc).capabilities == {Capability.HISTORY}
    assert Routed(user=files, default=inproc).capabilities == set()
    assert Routed(default=inproc, route=lambda scope, owner, tenant: None).capabilities == set()


@pytest.mark.parametrize("scope", SCOPES)
async def test_each_scope_has_a_word(scope: Scope) -> None:
    inner = InprocStore()
    key = a_key(scope=scope)
    await Routed(**{scope: inner}).put(a_block(key=key), expect=None, change=a_change())
    assert await inner.get(key) == a_block(key=key)


async def test_a_finding_names_its_store() -> None:
    class Damaged(InprocStore):
        async def check(self) -> list[str]:
            return ["a block is damaged"]

    assert await Routed(user=Damaged(), default=InprocStore()).check() == ["user: a block is damaged"]


async def test_what_is_wrong_says_in_which_store(tmp_path: object) -> None:
    files = FileStore(str(tmp_path))
    store = Routed(user=files, agent=files, default=InprocStore())
    await store.put(a_block(), expect=None, change=a_change())
    assert await store.check() == []
    assert set(await store.facts()) == {f"user+agent.{fact}" for fact in await files.facts()}
