"""Histories of passages."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from msgspec.structs import replace

from wellkept.contract.passage_store import PassageStore
from wellkept.model.ids import PassageId, SessionId, TenantId, UserId
from wellkept.model.pages import Position
from wellkept.model.passages import (
    MetaValue,
    NewPassage,
    PassageKind,
    PassageOwner,
    PassageStamp,
    Selection,
    StoredPassage,
    Vector,
)
from wellkept.testing.following import Follower, changes
from wellkept.testing.histories.twins import Refused, Twins
from wellkept.testing.samples import OTHER_TENANT, a_passage, a_vector, an_owner, at

T = TypeVar("T")

OWNERS = (an_owner(), an_owner("Maya"), an_owner(agent="ag_other"), an_owner(tenant=OTHER_TENANT))
MODELS = ("static-256", "Static-256")
MESSAGES = ("m1", "M1")

owners = st.sampled_from(OWNERS)
sessions = st.sampled_from(["s1", "S1"])
messages = st.sampled_from(MESSAGES)
kinds: st.SearchStrategy[PassageKind] = st.sampled_from(["message", "message", "fact"])
texts = st.lists(st.sampled_from(["tea", "Tea", "te\u0301a"]), min_size=1, max_size=3)
metadata: st.SearchStrategy[dict[str, MetaValue]] = st.sampled_from([{}, {}, {"a": 1}, {"a": True}, {"a": 1.0}])
vectors = st.builds(a_vector, st.integers(0, 3), model=st.sampled_from(MODELS), size=st.sampled_from([8, 16]))
times = st.integers(0, 4)


def id_of(owner: PassageOwner, session: str, message: str, part: int) -> PassageId:
    """Give the id of a piece that a history may have stored."""
    return a_passage(0, owner=owner, session=session, message=message, part=part).id


ids = st.lists(st.builds(id_of, owners, sessions, messages, st.integers(0, 2)), max_size=4)
"""They name pieces of any owner's."""


class PassageHistory(Twins):
    """Messages are stored, changed and embedded, listed and followed, and forgotten in every way."""

    contract = PassageStore

    def __init__(self) -> None:
        super().__init__()
        self._followers: dict[tuple[int, PassageOwner], Follower] = {}

    def ask_passages(self, work: Callable[[PassageStore], Awaitable[T]]) -> T | Refused:
        return self.ask(PassageStore, work)

    @rule(
        owner=owners,
        session=sessions,
        names=st.lists(messages, min_size=1, max_size=2),
        kind=kinds,
        texts=texts,
        when=times,
        metadata=metadata,
        vector=st.none() | vectors,
    )
    def put(
        self,
        owner: PassageOwner,
        session: str,
        names: list[str],
        kind: PassageKind,
        texts: list[str],
        when: int,
        metadata: dict[str, MetaValue],
        vector: Vector | None,
    ) -> None:
        pieces = [
            NewPassage(
                passage=a_passage(
                    when,
                    text,
                    owner=owner,
                    session=session,
                    message=name,
                    part=part,
                    kind=kind,
                    when=when,
                    metadata=metadata,
                ),
                entry=text.encode(),
                vector=vector,
            )
            for name in names
            for part, text in enumerate(texts)
        ]
        self.ask_passages(lambda store: store.put_passages(owner, pieces))

    @rule(owner=owners, ids=ids, vector=vectors)
    def embed(self, owner: PassageOwner, ids: list[PassageId], vector: Vector) -> None:
        self.ask_passages(lambda store: store.put_vectors(owner, dict.fromkeys(ids, vector)))

    @rule(
        owner=owners,
        one_user=st.booleans(),
        session=st.none() | sessions,
        ids=st.none() | ids,
    )
    def delete(self, owner: PassageOwner, one_user: bool, session: str | None, ids: list[PassageId] | None) -> None:
        chosen = _chosen(owner, one_user, session, ids)
        self.ask_passages(lambda store: store.delete_passages(chosen))

    @rule(tenant=st.sampled_from([OWNERS[0].tenant, OTHER_TENANT]), user=st.sampled_from(["maya", "Maya"]))
    def purge_user(self, tenant: TenantId, user: str) -> None:
        self.ask_passages(lambda store: store.purge_user_passages(tenant, UserId(user)))

    @rule(owner=owners, ids=ids)
    def read(self, owner: PassageOwner, ids: list[PassageId]) -> None:
        self.ask_passages(lambda store: store.passages(owner, ids))

    @rule(
        owner=owners,
        one_user=st.booleans(),
        session=st.none() | sessions,
        ids=st.none() | ids,
        limit=st.integers(1, 4),
        when=st.none() | times,
    )
    def page(
        self,
        owner: PassageOwner,
        one_user: bool,
        session: str | None,
        ids: list[PassageId] | None,
        limit: int,
        when: int | None,
    ) -> None:
        after = None if when is None else Position(at(when), id_of(owner, "s1", "m1", 0))
        chosen = _chosen(owner, one_user, session, ids)
        self.ask_passages(lambda store: store.listed(chosen, limit=limit, after=after))

    @rule(owner=owners, model=st.sampled_from(MODELS), limit=st.integers(1, 4), session=sessions)
    def look_around(self, owner: PassageOwner, model: str, limit: int, session: str) -> None:
        after = a_passage(0, owner=owner, session=session, message="m1")
        self.ask_passages(lambda store: store.without_vector(owner.tenant, model, limit=limit))
        self.compare(PassageStore, lambda store: store.without_vector(owner.tenant, model, limit=limit, after=after))
        self.compare(PassageStore, lambda store: store.last_number(owner, SessionId(session)))
        self.compare(PassageStore, lambda store: store.count_passages(owner.tenant, owner.agent))

    @rule(owner=owners)
    def follow(self, owner: PassageOwner) -> None:
        """Let a follower of each store catch up; it must then know what is there."""
        self.ask_passages(lambda store: self._followed(store, owner))

    async def _followed(self, store: PassageStore, owner: PassageOwner) -> dict[PassageId, StoredPassage]:
        begun = Follower(store, owner, model=MODELS[0], page=2)
        follower = self._followers.setdefault((id(store), owner), begun)
        await follower.catch_up()
        there = await changes(store, owner, model=MODELS[0])
        assert follower.known == {one.passage.id: one for one in there}
        return _without_revisions(there)

    @invariant()
    def they_keep_the_same(self) -> None:
        self.compare(PassageStore, _all_passages)


def _chosen(owner: PassageOwner, one_user: bool, session: str | None, ids: list[PassageId] | None) -> Selection:
    return Selection(
        tenant=owner.tenant,
        agent=owner.agent,
        user=owner.user if one_user else None,
        session=None if session is None else SessionId(session),
        ids=None if ids is None else tuple(ids),
    )


def _without_revisions(stored: list[StoredPassage]) -> dict[PassageId, StoredPassage]:
    # Each store has numbers of its own; what they say is what followers find.
    return {one.passage.id: replace(one, revision=0) for one in stored}


async def _all_passages(store: PassageStore) -> list[object]:
    there: list[object] = []
    for owner in OWNERS:
        there += [await store.passage_ids(owner), (await store.stamp(owner)) == PassageStamp()]
        for model in MODELS:
            there.append(_without_revisions(await changes(store, owner, model=model)))
    return [*there, [await store.count_passages(owner.tenant) for owner in OWNERS]]
