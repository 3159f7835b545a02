"""What every store of held writes keeps: `ReviewStoreContract`."""

from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from wellkept.contract.review_store import ReviewStore
from wellkept.model.edits import Add, Remove, Replace, Write
from wellkept.model.errors import Conflict
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.model.pages import Position
from wellkept.model.review import (
    HeldAction,
    HeldBlockEdit,
    HeldMemoryDelete,
    HeldMemorySave,
    HeldMemoryUpdate,
    HeldWrite,
)
from wellkept.testing.racing import in_tasks, in_threads
from wellkept.testing.samples import AWKWARD_TEXTS, OTHER_TENANT, a_key, a_write, at, memory_id_of

OpenAgain = Callable[[], Awaitable[ReviewStore]]

ACTIONS: dict[str, HeldAction] = {
    "an add": HeldBlockEdit(a_key(), Add("likes tea"), limit=99, template="- name:\r\n"),
    "a replace": HeldBlockEdit(a_key(owner="a/b", scope="shared"), Replace("tea", match="coffee"), limit=1),
    "a replace of all": HeldBlockEdit(a_key(), Replace("tea"), limit=1),
    "a remove": HeldBlockEdit(a_key(), Remove("tea"), limit=1),
    "a write": HeldBlockEdit(a_key(tenant=OTHER_TENANT), Write("one\n\u00a7\ntwo"), limit=1),
    "a save": HeldMemorySave("likes tea", "maya"),
    "a general save": HeldMemorySave("likes tea", ""),
    "an update": HeldMemoryUpdate(memory_id_of(1), "likes coffee", "e" * 64),
    "a delete": HeldMemoryDelete(memory_id_of(1), "e" * 64),
}


class ReviewStoreContract:
    """Each obligation of `ReviewStore`; see `wellkept.testing` for the fixtures."""

    @pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS.keys())
    async def test_a_held_write_comes_back(self, store: ReviewStore, action: HeldAction) -> None:
        write = a_write(1, action=action, session="s1", when=0.000001)
        await store.hold(write, most=9)
        assert await store.held_write(DEFAULT_TENANT, write.id) == write
        assert await store.held(DEFAULT_TENANT, limit=9) == [write]
        assert await store.take(DEFAULT_TENANT, write.id) == write

    @pytest.mark.parametrize("text", AWKWARD_TEXTS.values(), ids=AWKWARD_TEXTS.keys())
    async def test_a_held_text_comes_back_exactly(self, store: ReviewStore, text: str) -> None:
        write = a_write(1, action=HeldBlockEdit(a_key(), Write(text), limit=99, template=text))
        await store.hold(write, most=9)
        assert await store.take(DEFAULT_TENANT, write.id) == write

    async def test_a_held_write_is_found_by_its_own_tenant_only(self, store: ReviewStore) -> None:
        write = a_write(1)
        await store.hold(write, most=9)
        assert await store.held_write(OTHER_TENANT, write.id) is None
        assert await store.held(OTHER_TENANT, limit=9) == []
        assert await store.take(OTHER_TENANT, write.id) is None
        assert await store.held_write(DEFAULT_TENANT, write.id) == write

    async def test_held_writes_are_listed_newest_first_in_pages(self, store: ReviewStore) -> None:
        for number, when in ((3, 1), (1, 2), (2, 1), (4, 0)):
            await store.hold(a_write(number, when=when), most=9)

        async def listed(after: Position | None = None, *, limit: int = 9) -> list[int]:
            return [int(write.id[5:]) for write in await store.held(DEFAULT_TENANT, limit=limit, after=after)]

        assert await listed() == [1, 3, 2, 4]
        assert await listed(limit=2) == [1, 3]
        third = a_write(3, when=1)
        assert await listed(Position(third.created_at, third.id)) == [2, 4]

    async def test_an_agent_has_as_many_waiting_as_it_may(self, store: ReviewStore) -> None:
        await store.hold(a_write(1), most=2)
        await store.hold(a_write(2), most=2)
        with pytest.raises(Conflict):
            await store.hold(a_write(3), most=2)
        assert await store.held_write(DEFAULT_TENANT, a_write(3).id) is None
        await store.hold(a_write(4, agent="ag_other"), most=2)
        await store.hold(a_write(5, tenant=OTHER_TENANT), most=2)
        await store.take(DEFAULT_TENANT, a_write(1).id)
        await store.hold(a_write(3), most=2)

    async def test_of_many_writes_at_once_as_many_wait_as_may(self, store: ReviewStore, open_again: OpenAgain) -> None:
        async def hold(using: ReviewStore, agent: str, number: int) -> bool:
            try:
                await using.hold(a_write(number, agent=agent), most=3)
            except Conflict:
                return False
            return True

        other = await open_again()
        held = await in_threads([partial(hold, store, "ag_threads", number) for number in range(4)])
        for attempt in range(1, 4):  # connections that are open by now let more of them meet
            rush = [(store if n % 2 else other, f"ag_{attempt}", 20 * attempt + n) for n in range(12)]
            held += await in_tasks([partial(hold, *one) for one in rush])
        assert held.count(True) == len(await store.held(DEFAULT_TENANT, limit=50)) == 12

    async def test_of_several_claims_one_holds_until_its_end(self, store: ReviewStore, open_again: OpenAgain) -> None:
        write, other = a_write(1), await open_again()
        await store.hold(write, most=9)

        def claim(using: ReviewStore, holder: str, *, when: float = 0) -> Awaitable[HeldWrite | None]:
            return using.claim_held(DEFAULT_TENANT, write.id, holder, at=at(when), until=at(when + 10))

        claims = [partial(claim, using, f"h{n}") for n, using in enumerate([store, other] * 3)]
        claimed = await in_threads(claims[:3]) + await in_tasks(claims[3:])
        assert [one for one in claimed if one is not None] == [write]
        winner = f"h{[one is not None for one in claimed].index(True)}"
        assert await claim(other, "late", when=9.9) is None
        assert await claim(other, winner, when=9.9) == write, "renewed"
        assert await claim(other, "late", when=10) is None
        await store.release_held(DEFAULT_TENANT, write.id, "late")
        assert await claim(other, "late", when=19.8) is None, "only the holder gives it back"
        assert await claim(other, "late", when=19.9) == write
        await store.release_held(DEFAULT_TENANT, write.id, "late")
        assert await claim(store, "next", when=0) == write
        assert await store.held_write(DEFAULT_TENANT, write.id) == write, "it goes on waiting"
        assert await store.take(DEFAULT_TENANT, write.id) == write
        assert await claim(store, "next", when=0) is None
        await store.release_held(DEFAULT_TENANT, write.id, "next")
        await store.hold(write, most=9)
        assert await claim(store, "another", when=0) == write, "a claim does not outlive what it was of"
        if other is not store:
            await other.close()

    async def test_a_claim_is_of_one_tenant_and_one_write(self, store: ReviewStore) -> None:
        await store.hold(a_write(1), most=9)
        await store.hold(a_write(2), most=9)
        assert await store.claim_held(OTHER_TENANT, a_write(1).id, "h", at=at(0), until=at(9)) is None
        assert await store.claim_held(DEFAULT_TENANT, a_write(1).id, "h", at=at(0), until=at(9)) is not None
        assert await store.claim_held(DEFAULT_TENANT, a_write(2).id, "other", at=at(0), until=at(9)) is not None

    async def test_of_many_who_take_a_held_write_one_gets_it(self, store: ReviewStore, open_again: OpenAgain) -> None:
        write = a_write(1)
        await store.hold(write, most=9)
        other = await open_again()
        stores = [store, other, store, other]
        taken = await in_threads([partial(using.take, DEFAULT_TENANT, write.id) for using in stores])
        taken += await in_tasks([partial(using.take, DEFAULT_TENANT, write.id) for using in stores])
        assert [one for one in taken if one is not None] == [write]
        assert await store.held_write(DEFAULT_TENANT, write.id) is None
        assert await store.held(DEFAULT_TENANT, limit=9) == []
        if other is not store:
            await other.close()
