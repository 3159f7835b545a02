"""The part of `PassageStoreContract` about changes: who follows them knows what is stored."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from msgspec.structs import replace

from wellkept.contract.passage_store import PassageStore
from wellkept.model.ids import SessionId, TenantId, UserId
from wellkept.model.passages import Passage, PassageOwner, PassageStamp, Selection
from wellkept.testing.following import Follower, changes, stored
from wellkept.testing.racing import in_tasks, in_threads
from wellkept.testing.samples import OTHER_TENANT, a_passage, a_vector, an_owner, new

OpenAgain = Callable[[], Awaitable[PassageStore]]
Work = Callable[[], Awaitable[object]]

MODEL = a_vector().model
OTHER_MODEL = "onnx-384"


def all_of(owner: PassageOwner) -> Selection:
    """Select an owner's passages."""
    return Selection(tenant=owner.tenant, agent=owner.agent, user=owner.user)


async def is_up_to_date(follower: Follower, store: PassageStore, owner: PassageOwner, *, model: str = MODEL) -> bool:
    """Say whether the follower, once it has caught up, knows what is stored, and with the same revisions."""
    await follower.catch_up()
    return follower.known == await stored(store, owner, model=model)


class PassageChangesContract:
    """The obligations about stamps, changes and vectors."""

    # ---- stamps

    async def test_nothing_has_the_stamp_of_nothing(self, store: PassageStore) -> None:
        assert await store.stamp(an_owner()) == PassageStamp(0, 0)
        assert await changes(store, an_owner()) == []

    async def test_every_change_takes_a_higher_revision(self, store: PassageStore) -> None:
        passages = [a_passage(number) for number in (1, 2)]
        works: list[Work] = [
            partial(store.put_passages, an_owner(), new(*passages)),
            partial(store.put_passages, an_owner(), new(a_passage(1, "changed"))),
            partial(store.put_passages, an_owner(), new(a_passage(1, "changed", metadata={"a": 1}))),
            partial(store.put_vectors, an_owner(), {passages[1].id: a_vector()}),
            partial(store.delete_passages, replace(all_of(an_owner()), ids=(passages[1].id,))),
        ]
        stamps = [await store.stamp(an_owner())]
        for work in works:
            await work()
            stamps.append(await store.stamp(an_owner()))
        revisions = [stamp.revision for stamp in stamps]
        assert revisions == sorted(set(revisions))
        removed = [stamp.removals == stamp.revision for stamp in stamps[1:]]
        assert removed == [True, True, False, False, True]
        assert stamps[4].removals == stamps[2].revision

    async def test_what_changes_nothing_takes_no_revision(self, store: PassageStore) -> None:
        await store.put_passages(an_owner(), new(a_passage(1)))
        before = await store.stamp(an_owner())
        await store.put_passages(an_owner(), new(a_passage(1)))
        await store.put_passages(an_owner(), [])
        assert await store.put_vectors(an_owner(), {a_passage(2).id: a_vector()}) == 0
        assert await store.put_vectors(an_owner(), {}) == 0
        mine = all_of(an_owner())
        for chosen in (
            replace(mine, session=SessionId("s2")),
            replace(mine, ids=()),
            replace(mine, ids=(a_passage(2).id,)),
            replace(mine, user=UserId("sam")),
        ):
            assert await store.delete_passages(chosen) == 0
        assert await store.stamp(an_owner()) == before

    async def test_a_stamp_is_of_one_owner(self, store: PassageStore) -> None:
        others = [an_owner("sam"), an_owner(agent="ag_other"), an_owner(tenant=OTHER_TENANT), an_owner("Maya")]
        await store.put_passages(an_owner(), new(a_passage(1)))
        assert [await store.stamp(other) for other in others] == [PassageStamp()] * 4
        before = await store.stamp(an_owner())
        for other in others:
            await store.put_passages(other, new(a_passage(1, owner=other)))
            await store.delete_passages(all_of(other))
        assert await store.stamp(an_owner()) == before

    async def test_an_owner_without_passages_leaves_nothing_and_never_counts_anew(self, store: PassageStore) -> None:
        seen = 0
        for number in range(4):
            await store.put_passages(an_owner(), new(a_passage(number)))
            stamp = await store.stamp(an_owner())
            assert stamp.revision > seen
            assert stamp.removals == stamp.revision, "what was known before is gone"
            seen = stamp.revision
            mine = all_of(an_owner())
            forget = [
                partial(store.delete_passages, mine),
                partial(store.delete_passages, replace(mine, ids=(a_passage(number).id,))),
                partial(store.purge_user_passages, mine.tenant, an_owner().user),
                partial(store.delete_passages, replace(mine, user=None)),
            ][number]
            assert await forget() == 1
            assert await store.stamp(an_owner()) == PassageStamp()

    # ---- changes

    async def test_changes_come_by_revision_and_then_by_id(self, store: PassageStore) -> None:
        first = [a_passage(number) for number in range(5)]
        second = [a_passage(number) for number in range(5, 8)]
        await store.put_passages(an_owner(), new(*first))
        between = (await store.stamp(an_owner())).revision
        await store.put_passages(an_owner(), new(*second))
        await store.put_passages(an_owner(), new(a_passage(0, "changed")))
        ids = [
            *sorted(passage.id for passage in first[1:]),
            *sorted(passage.id for passage in second),
            a_passage(0).id,
        ]
        assert [one.passage.id for one in await changes(store, an_owner())] == ids
        for page in (1, 2, 3, 4, 8):
            assert [one.passage.id for one in await changes(store, an_owner(), page=page)] == ids
            assert [one.passage.id for one in await changes(store, an_owner(), between, page=page)] == ids[4:]
        assert await changes(store, an_owner(), (await store.stamp(an_owner())).revision) == []

    async def test_a_passage_says_which_change_wrote_it(self, store: PassageStore) -> None:
        revisions: list[int] = []
        works: list[Work] = [
            partial(store.put_passages, an_owner(), new(a_passage(1), a_passage(2))),
            partial(store.put_vectors, an_owner(), {a_passage(1).id: a_vector()}),
        ]
        for work in works:
            await work()
            revisions.append((await store.stamp(an_owner())).revision)
        known = await stored(store, an_owner())
        assert [known[a_passage(number).id].revision for number in (2, 1)] == revisions

    async def test_more_than_a_thousand_changes_are_read_in_pages(self, store: PassageStore) -> None:
        await store.put_passages(an_owner(), new(*(a_passage(number) for number in range(1_001)), vector=a_vector()))
        follower = Follower(store, an_owner(), model=MODEL, page=500)
        assert await is_up_to_date(follower, store, an_owner())
        assert len(follower.known) == 1_001
        assert await store.passage_ids(an_owner()) == frozenset(follower.known)

    # ---- followers

    async def test_a_follower_knows_what_is_stored_after_each_change(self, store: PassageStore) -> None:
        owner = an_owner()
        here = replace(all_of(owner), ids=(a_passage(2).id,))
        follower = Follower(store, owner, model=MODEL)
        works: list[Work] = [
            partial(store.put_passages, owner, new(*(a_passage(number) for number in range(7)))),
            partial(store.put_vectors, owner, {a_passage(3).id: a_vector(1), a_passage(5).id: a_vector(2)}),
            partial(store.put_vectors, owner, {a_passage(3).id: a_vector(3)}),
            partial(store.put_passages, owner, new(a_passage(3, "changed"))),
            partial(store.delete_passages, here),
            partial(store.put_passages, owner, new(a_passage(2, "again"), vector=a_vector())),
            partial(store.delete_passages, all_of(owner)),
            partial(store.put_passages, owner, new(a_passage(2), a_passage(9))),
            partial(store.purge_user_passages, owner.tenant, owner.user),
        ]
        for work in works:
            await work()
            assert await is_up_to_date(follower, store, owner)
        assert follower.known == {}

    async def test_a_follower_that_missed_the_end_of_all_passages_drops_them(self, store: PassageStore) -> None:
        await store.put_passages(an_owner(), new(*(a_passage(number) for number in range(5))))
        follower = Follower(store, an_owner(), model=MODEL)
        await follower.catch_up()
        await store.delete_passages(all_of(an_owner()))
        for number in (3, 11):
            await store.put_passages(an_owner(), new(a_passage(number, "after")))
        assert await is_up_to_date(follower, store, an_owner())
        assert set(follower.known) == {a_passage(3).id, a_passage(11).id}

    async def test_followers_know_all_that_several_writers_stored(
        self, store: PassageStore, open_again: OpenAgain
    ) -> None:
        owner = an_owner()
        followers: list[Follower] = []
        done: list[int] = []

        async def write(writer: int) -> None:
            mine = await open_again()
            try:
                await write_with(mine, writer)
            finally:
                done.append(writer)
            if mine is not store:
                await mine.close()

        async def write_with(mine: PassageStore, writer: int) -> None:
            for number in range(12):
                passages = [a_passage(number * 3 + writer, f"{writer} {number}"), a_passage(100 + number, f"{writer}")]
                await mine.put_passages(owner, new(*passages))
                await mine.put_vectors(owner, {passages[1].id: a_vector(number)})
                if number % 3 == 2:
                    await mine.delete_passages(replace(all_of(owner), ids=(a_passage(100 + number - 1).id,)))
                if number == 7 and writer == 0:
                    await mine.delete_passages(all_of(owner))

        async def follow() -> None:
            mine = await open_again()
            follower = Follower(mine, owner, model=MODEL, page=4)
            while len(done) < 3:
                await follower.catch_up()
                await asyncio.sleep(0.001)
            assert await is_up_to_date(follower, store, owner)
            followers.append(follower)
            if mine is not store:
                await mine.close()

        works: list[Callable[[], Awaitable[None]]] = [*(partial(write, writer) for writer in range(3)), follow, follow]
        await in_threads(works)
        assert len(followers) == 2
        assert len(followers[0].known) >= 4, "what the first writer stored after it deleted all"

    # ---- vectors

    async def test_vectors_of_two_models_and_sizes_stand_side_by_side(self, store: PassageStore) -> None:
        big = a_vector(3, model=OTHER_MODEL, size=384)
        await store.put_passages(an_owner(), new(a_passage(1), a_passage(2), vector=a_vector(1)))
        assert await store.put_vectors(an_owner(), {a_passage(1).id: big, a_passage(9).id: big}) == 1
        for model, expected in ((MODEL, [a_vector(1)] * 2), (OTHER_MODEL, [big, None]), ("STATIC-256", [None, None])):
            known = await stored(store, an_owner(), model=model)
            assert [known[a_passage(number).id].vector for number in (1, 2)] == expected
        assert [one.vector for one in await changes(store, an_owner())] == [None, None]

    async def test_a_vector_takes_the_place_of_the_same_models(self, store: PassageStore) -> None:
        await store.put_passages(an_owner(), new(a_passage(1), vector=a_vector(1)))
        await store.put_vectors(an_owner(), {a_passage(1).id: a_vector(2, size=64)})
        known = await stored(store, an_owner(), model=MODEL)
        assert known[a_passage(1).id].vector == a_vector(2, size=64)

    async def test_a_vector_is_given_to_the_owners_passages_alone(self, store: PassageStore) -> None:
        await store.put_passages(an_owner(), new(a_passage(1)))
        others = [an_owner("sam"), an_owner(agent="ag_other"), an_owner(tenant=OTHER_TENANT)]
        for other in others:
            assert await store.put_vectors(other, {a_passage(1).id: a_vector()}) == 0
        assert (await stored(store, an_owner(), model=MODEL))[a_passage(1).id].vector is None

    async def test_passages_without_a_vector_of_a_model_are_found_in_pages(self, store: PassageStore) -> None:
        owners = [an_owner(), an_owner("Sam"), an_owner("sam"), an_owner(agent="ag_other")]
        stranger = an_owner(tenant=OTHER_TENANT)
        for owner in (*owners, stranger):
            given = [a_passage(number, owner=owner) for number in range(4)]
            await store.put_passages(owner, [*new(given[0], vector=a_vector()), *new(*given[1:])])
        await store.put_vectors(an_owner(), {a_passage(1).id: a_vector(), a_passage(2).id: a_vector(model="other")})
        everyone = [a_passage(number, owner=owner) for owner in owners for number in range(4)]
        missing = [one for one in everyone if one.number > 0 and one.id != a_passage(1).id]
        for limit in (1, 3, 4, 99):
            assert await without(store, MODEL, limit=limit) == sorted(missing, key=_place)
        assert len(await without(store, "other", limit=5)) == 15
        assert await store.without_vector(TenantId("ten_none"), MODEL, limit=9) == []

    async def test_a_page_goes_on_behind_a_passage_that_is_gone(self, store: PassageStore) -> None:
        passages = sorted((a_passage(number) for number in range(6)), key=_place)
        await store.put_passages(an_owner(), new(*passages))
        gone = passages[2]
        await store.delete_passages(replace(all_of(an_owner()), ids=(gone.id,)))
        assert await store.without_vector(an_owner().tenant, MODEL, limit=2, after=gone) == passages[3:5]

    async def test_vectors_of_many_at_once_are_all_kept(self, store: PassageStore) -> None:
        passages = [a_passage(number) for number in range(8)]
        await store.put_passages(an_owner(), new(*passages))
        models = [f"model-{number}" for number in range(4)]
        works = [
            partial(store.put_vectors, an_owner(), {passage.id: a_vector(passage.number, model=model)})
            for passage in passages
            for model in models
        ]
        assert await in_tasks(works) == [1] * 32
        for model in models:
            known = await stored(store, an_owner(), model=model)
            for passage in passages:
                assert known[passage.id].vector == a_vector(passage.number, model=model)


async def without(store: PassageStore, model: str, *, limit: int) -> list[Passage]:
    """Page through the passages without a vector, as a reindexing does that gives none of them one."""
    found: list[Passage] = []
    page = await store.without_vector(an_owner().tenant, model, limit=limit)
    while page:
        assert len(page) <= limit
        found += page
        assert len({passage.id for passage in found}) == len(found), "a page must begin behind the one before"
        page = await store.without_vector(an_owner().tenant, model, limit=limit, after=page[-1])
    return found


def _place(passage: Passage) -> tuple[str, str, str]:
    return passage.agent_id, passage.user_id, passage.id
