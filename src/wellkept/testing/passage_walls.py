"""The part of `PassageStoreContract` about whose passages are read, listed, counted and forgotten."""

import asyncio
from functools import partial

import pytest

from wellkept.contract.passage_store import PassageStore
from wellkept.model.ids import DEFAULT_TENANT, AgentId, PassageId, SessionId, TenantId, UserId
from wellkept.model.pages import Position
from wellkept.model.passages import Passage, PassageCounts, PassageOwner, PassageStamp, Selection
from wellkept.testing.following import stored
from wellkept.testing.memory_rows import NEIGHBOURING_IDS
from wellkept.testing.racing import in_tasks
from wellkept.testing.samples import NAME_SPLITS, OTHER_TENANT, SPLITS, a_passage, a_vector, an_owner, at, new

SUPPORT = AgentId("ag_support")
MODEL = a_vector().model


def of_agent(
    *,
    agent: str = "ag_support",
    user: str | None = None,
    session: str | None = None,
    ids: tuple[PassageId, ...] | None = None,
) -> Selection:
    """Select passages of the sample tenant."""
    return Selection(
        tenant=DEFAULT_TENANT,
        agent=AgentId(agent),
        user=None if user is None else UserId(user),
        session=None if session is None else SessionId(session),
        ids=ids,
    )


async def listed(store: PassageStore, chosen: Selection, *, limit: int = 3) -> list[Passage]:
    """List passages, page by page, as a client with a cursor does."""
    found: list[Passage] = []
    after: Position | None = None
    while page := await store.listed(chosen, limit=limit, after=after):
        places = [Position(passage.at, passage.id) for passage in page]
        assert len(page) <= limit
        assert places == sorted(places, reverse=True)
        assert after is None or places[0] < after, "a page must begin after its cursor"
        found += page
        after = places[-1]
    return found


async def fill(store: PassageStore) -> dict[str, Passage]:
    """Store some passages of several owners and sessions, each with a vector; give them by a name."""
    sam, other, stranger = an_owner("sam"), an_owner(agent="ag_other"), an_owner(tenant=OTHER_TENANT)
    passages = {
        "one": a_passage(1),
        "two": a_passage(2),
        "elsewhere": a_passage(3, session="s2"),
        "fact": a_passage(4, kind="fact", sources=("m1",)),
        "of sam": a_passage(1, owner=sam),
        "of sam elsewhere": a_passage(5, owner=sam, session="s2"),
        "of another agent": a_passage(1, owner=other),
        "of another tenant": a_passage(1, owner=stranger),
    }
    for passage in passages.values():
        await store.put_passages(passage.owner, new(passage, vector=a_vector()))
    return passages


async def left(store: PassageStore, passages: dict[str, Passage]) -> set[str]:
    """Say which of the passages are still there, for every way of reading them."""
    found: set[str] = set()
    for name, passage in passages.items():
        owner = passage.owner
        ways = {
            passage.id in await store.passages(owner, [passage.id]),
            passage.id in await store.passage_ids(owner),
            passage.id in await stored(store, owner),
            passage in await store.listed(Selection(tenant=owner.tenant, agent=owner.agent), limit=99),
        }
        assert len(ways) == 1, f"{name}: there, and not there"
        found |= {name} if ways == {True} else set()
    return found


NEIGHBOURING_OWNERS: dict[str, tuple[PassageOwner, PassageOwner]] = {
    **{f"users: {name}": (an_owner(one), an_owner(other)) for name, (one, other) in NEIGHBOURING_IDS.items()},
    **{
        f"agents: {name}": (an_owner(agent=one), an_owner(agent=other))
        for name, (one, other) in NEIGHBOURING_IDS.items()
    },
    **{
        f"tenants: {one} and {other}": (an_owner(tenant=TenantId(one)), an_owner(tenant=TenantId(other)))
        for one, other in (("ten_a", "ten_A"), ("ten", "ten1"), ("ten.a", "ten_a"), ("a-b", "a.b"), ("1", "01"))
    },
}

DELETIONS: dict[str, tuple[Selection, set[str]]] = {
    "an agent": (of_agent(), {"one", "two", "elsewhere", "fact", "of sam", "of sam elsewhere"}),
    "a user": (of_agent(user="sam"), {"of sam", "of sam elsewhere"}),
    "a user of other agents and tenants": (of_agent(user="maya"), {"one", "two", "elsewhere", "fact"}),
    "a session of a user": (of_agent(user="maya", session="s1"), {"one", "two", "fact"}),
    "a session": (of_agent(session="s2"), {"elsewhere", "of sam elsewhere"}),
    "nobody": (of_agent(user="kim"), set()),
    "another case": (of_agent(user="Sam"), set()),
    "another agent": (of_agent(agent="ag_none"), set()),
    "no ids": (of_agent(ids=()), set()),
    "some ids": (of_agent(ids=(a_passage(2).id, a_passage(77).id)), {"two"}),
    "an id twice": (of_agent(ids=(a_passage(2).id, a_passage(2).id)), {"two"}),
    "ids of a user": (of_agent(user="maya", ids=(a_passage(2).id, a_passage(1, owner=an_owner("sam")).id)), {"two"}),
    "ids of a session": (of_agent(session="s1", ids=(a_passage(2).id, a_passage(3, session="s2").id)), {"two"}),
    "ids of another agent": (of_agent(ids=(a_passage(1, owner=an_owner(agent="ag_other")).id,)), set()),
    "ids of others of a user": (
        of_agent(
            user="maya",
            ids=(
                a_passage(1, owner=an_owner(agent="ag_other")).id,
                a_passage(1, owner=an_owner(tenant=OTHER_TENANT)).id,
                a_passage(1, owner=an_owner("sam")).id,
            ),
        ),
        set(),
    ),
    "ids of another tenant": (of_agent(ids=(a_passage(1, owner=an_owner(tenant=OTHER_TENANT)).id,)), set()),
}


class PassageWallsContract:
    """The obligations about lists, deletion, counts, and what belongs to others."""

    # ---- owners

    @pytest.mark.parametrize(("one", "other"), NEIGHBOURING_OWNERS.values(), ids=NEIGHBOURING_OWNERS.keys())
    async def test_neighbouring_owners_stay_apart(
        self, store: PassageStore, one: PassageOwner, other: PassageOwner
    ) -> None:
        owners = [one, other]
        for number, owner in enumerate(owners):
            await store.put_passages(owner, new(a_passage(1, f"of {number}", owner=owner), vector=a_vector(number)))
        for number, owner in enumerate(owners):
            (known,) = (await stored(store, owner, model=MODEL)).values()
            assert (known.passage.owner, known.passage.text, known.vector) == (owner, f"of {number}", a_vector(number))
        assert await store.delete_passages(Selection(tenant=one.tenant, agent=one.agent, user=one.user)) == 1
        assert len(await store.passage_ids(other)) == 1

    @pytest.mark.parametrize(("left", "right"), SPLITS.values(), ids=SPLITS.keys())
    async def test_the_ids_of_an_owner_are_never_joined(
        self, store: PassageStore, left: tuple[str, str], right: tuple[str, str]
    ) -> None:
        owners = [an_owner(user, agent=agent) for agent, user in (left, right)]
        sessions = [a_passage(1, session=session, owner=an_owner(user)) for user, session in (left, right)]
        for passage in [*(a_passage(1, owner=owner) for owner in owners), *sessions]:
            assert (await store.put_passages(passage.owner, new(passage))).stored == 1
        for passage in sessions:
            chosen = of_agent(user=passage.user_id, session=passage.session_id)
            assert await store.listed(chosen, limit=9) == [passage]
        for owner in owners:
            assert await store.purge_user_passages(owner.tenant, owner.user) > 0
            assert await store.passage_ids(owner) == frozenset()

    @pytest.mark.parametrize("mark", NAME_SPLITS)
    async def test_a_tenant_and_an_agent_are_never_joined(self, store: PassageStore, mark: str) -> None:
        owners = [
            an_owner(agent=f"b{mark}c", tenant=TenantId("a")),
            an_owner(agent="c", tenant=TenantId(f"a{mark}b")),
        ]
        for owner in owners:
            assert (await store.put_passages(owner, new(a_passage(1, owner=owner)))).stored == 1
        assert await store.delete_passages(Selection(tenant=owners[0].tenant, agent=owners[0].agent)) == 1
        assert len(await store.passage_ids(owners[1])) == 1

    async def test_nothing_of_others_is_read_by_its_id(self, store: PassageStore) -> None:
        passages = await fill(store)
        ids = [passage.id for passage in passages.values()]
        for owner in {passage.owner for passage in passages.values()}:
            found = await store.passages(owner, ids)
            assert {passage.owner for passage in found.values()} == {owner}
            assert set(found) == await store.passage_ids(owner)

    # ---- lists

    async def test_lists_are_newest_first_in_pages(self, store: PassageStore) -> None:
        whens = {0: 5, 1: 9, 2: 5, 3: -1, 4: 5, 5: 5.000001, 6: 10**9}
        passages = [a_passage(number, when=when) for number, when in whens.items()]
        await store.put_passages(an_owner(), new(*passages))
        expected = sorted(passages, key=lambda passage: Position(passage.at, passage.id), reverse=True)
        for limit in (1, 2, 3, 7, 99):
            assert await listed(store, of_agent(), limit=limit) == expected
            assert await listed(store, of_agent(user="maya"), limit=limit) == expected
            assert await listed(store, of_agent(session="s1"), limit=limit) == expected
            assert await listed(store, of_agent(user="maya", session="s1"), limit=limit) == expected
            ids = tuple(passage.id for passage in expected[1:4])
            assert await listed(store, of_agent(ids=ids), limit=limit) == expected[1:4]

    @pytest.mark.parametrize(("chosen", "names"), DELETIONS.values(), ids=DELETIONS.keys())
    async def test_a_selection_lists_what_it_selects(
        self, store: PassageStore, chosen: Selection, names: set[str]
    ) -> None:
        passages = await fill(store)
        found = await listed(store, chosen, limit=2)
        assert {name for name, passage in passages.items() if passage in found} == names
        assert len(found) == len(names)

    async def test_a_cursor_neither_skips_nor_repeats_while_others_write(self, store: PassageStore) -> None:
        stays = [a_passage(number, when=number // 3) for number in range(0, 60, 2)]
        goes = [a_passage(number, when=number // 3) for number in range(1, 60, 2)]
        await store.put_passages(an_owner(), new(*stays, *goes))
        done = False

        async def trouble() -> None:
            for passage in goes:
                await store.delete_passages(of_agent(ids=(passage.id,)))
                await store.put_passages(an_owner(), new(a_passage(100 + passage.number, when=passage.number // 3)))
                await asyncio.sleep(0)

        async def read() -> None:
            nonlocal done
            found = await listed(store, of_agent(user="maya"), limit=4)
            ids = [passage.id for passage in found]
            assert len(ids) == len(set(ids))
            assert {passage.id for passage in stays} <= set(ids)
            done = True

        await in_tasks([trouble, read, trouble])
        assert done

    # ---- deletion

    @pytest.mark.parametrize(("chosen", "names"), DELETIONS.values(), ids=DELETIONS.keys())
    async def test_what_is_selected_is_gone_at_once_with_its_vectors(
        self, store: PassageStore, chosen: Selection, names: set[str]
    ) -> None:
        passages = await fill(store)
        assert await store.delete_passages(chosen) == len(names)
        assert await left(store, passages) == set(passages) - names
        for owner in {passage.owner for passage in passages.values()}:
            there = await store.passage_ids(owner)
            assert (await store.stamp(owner) == PassageStamp()) is not bool(there)
        assert await store.delete_passages(chosen) == 0
        counted = await store.count_passages(DEFAULT_TENANT)
        assert counted.passages == counted.vectors.get(MODEL, 0) == 7 - len(names)
        again = [passages[name] for name in names]
        for passage in again:
            await store.put_passages(passage.owner, new(passage))
            assert (await stored(store, passage.owner, model=MODEL))[passage.id].vector is None

    async def test_a_purged_user_is_gone_with_every_agent(self, store: PassageStore) -> None:
        passages = await fill(store)
        assert await store.purge_user_passages(DEFAULT_TENANT, UserId("Maya")) == 0
        assert await store.purge_user_passages(DEFAULT_TENANT, UserId("maya")) == 5
        assert await left(store, passages) == {"of sam", "of sam elsewhere", "of another tenant"}
        assert await store.purge_user_passages(DEFAULT_TENANT, UserId("maya")) == 0
        assert await store.stamp(an_owner()) == PassageStamp()
        assert (await store.count_passages(DEFAULT_TENANT)).users == 1

    async def test_more_than_a_thousand_are_listed_and_deleted(self, store: PassageStore) -> None:
        passages = [a_passage(number) for number in range(1_001)]
        await store.put_passages(an_owner(), new(*passages, vector=a_vector()))
        await store.put_passages(an_owner("sam"), new(a_passage(1, owner=an_owner("sam"))))
        ids = tuple(passage.id for passage in passages)
        assert len(await store.passages(an_owner(), ids)) == 1_001
        assert [one.number for one in await listed(store, of_agent(user="maya"), limit=1_001)] == [*range(1_001)][::-1]
        assert len(await listed(store, of_agent(ids=ids), limit=100)) == 1_001
        assert await store.delete_passages(of_agent(ids=ids[:1_001])) == 1_001
        await store.put_passages(an_owner(), new(*passages, vector=a_vector()))
        assert await store.delete_passages(of_agent(user="maya")) == 1_001
        assert (await store.count_passages(DEFAULT_TENANT)) == PassageCounts(passages=1, users=1, sessions=1)

    async def test_of_many_who_delete_each_passage_is_counted_once(self, store: PassageStore) -> None:
        await store.put_passages(an_owner(), new(*(a_passage(number) for number in range(20))))
        chosen = [of_agent(), of_agent(user="maya"), of_agent(session="s1"), of_agent(ids=(a_passage(1).id,))]
        assert sum(await in_tasks([partial(store.delete_passages, one) for one in chosen])) == 20
        assert await store.passage_ids(an_owner()) == frozenset()

    # ---- counts

    async def test_counts_are_of_a_tenant_or_one_of_its_agents(self, store: PassageStore) -> None:
        assert await store.count_passages(DEFAULT_TENANT) == PassageCounts()
        await fill(store)
        sam = an_owner("sam")
        await store.put_vectors(sam, {a_passage(1, owner=sam).id: a_vector(model="other")})
        await store.put_passages(sam, new(a_passage(6, owner=sam, session="s2")))
        assert await store.count_passages(DEFAULT_TENANT) == PassageCounts(
            passages=8, users=2, sessions=5, vectors={MODEL: 7, "other": 1}
        )
        assert await store.count_passages(DEFAULT_TENANT, SUPPORT) == PassageCounts(
            passages=7, users=2, sessions=4, vectors={MODEL: 6, "other": 1}
        )
        assert await store.count_passages(DEFAULT_TENANT, AgentId("ag_none")) == PassageCounts()
        assert (await store.count_passages(OTHER_TENANT)).passages == 1

    async def test_instants_of_a_cursor_are_exact(self, store: PassageStore) -> None:
        passages = [a_passage(number, when=number / 10**6) for number in range(3)]
        await store.put_passages(an_owner(), new(*passages))
        after = Position(at(0.000001), passages[1].id)
        assert await store.listed(of_agent(), limit=9, after=after) == [passages[0]]
        between = Position(at(0.000002), "")
        assert await store.listed(of_agent(), limit=9, after=between) == passages[1::-1]
