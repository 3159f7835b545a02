"""What every store of sessions keeps: `SessionStoreContract`."""

from collections.abc import Awaitable, Callable
from functools import partial

import pytest
from msgspec.structs import replace

from wellkept.contract.passage_store import PassageStore
from wellkept.contract.session_store import SessionStore
from wellkept.model.errors import Conflict, NotFound
from wellkept.model.ids import DEFAULT_TENANT, AgentId, UserId
from wellkept.model.pages import Position
from wellkept.model.passages import PassageStamp
from wellkept.model.sessions import Session, SessionKey, SessionMessage
from wellkept.testing.racing import in_tasks, in_threads
from wellkept.testing.samples import (
    AWKWARD_TEXTS,
    NEIGHBOURS,
    OTHER_TENANT,
    SPLITS,
    a_passage,
    a_session,
    a_session_key,
    a_vector,
    an_owner,
    at,
    new,
)

OpenAgain = Callable[[], Awaitable[SessionStore]]

SUPPORT = AgentId("ag_support")
STRANGERS = {
    "another tenant": a_session_key(tenant=OTHER_TENANT),
    "another agent": a_session_key(agent="ag_other"),
    "another session": a_session_key("s2"),
    "another case": a_session_key("S1"),
}


def a_message(number: int, text: str = "", *, when: float = 0) -> SessionMessage:
    """Make a message, said `when` seconds after the start."""
    return SessionMessage(
        number=number, role="user" if number % 2 else "assistant", text=text or f"message {number}", at=at(when)
    )


class SessionStoreContract:
    """Each obligation of `SessionStore`; see `wellkept.testing` for the fixtures."""

    async def test_a_session_comes_back(self, store: SessionStore) -> None:
        session = replace(a_session(user="maya", when=0.000001), version=3)
        assert await store.session(session.key) is None
        assert await store.open(session) == session
        assert await store.session(session.key) == session
        assert await store.messages(session.key) == []

    @pytest.mark.parametrize(("first", "second"), [("maya", "sam"), ("maya", None), (None, "maya"), ("Maya", "maya")])
    async def test_a_sessions_user_is_that_of_its_first_turn(
        self, store: SessionStore, first: str | None, second: str | None
    ) -> None:
        opened = await store.open(a_session(user=first))
        again = await store.open(replace(a_session(user=second, when=9), version=7))
        assert again == opened == await store.session(a_session_key())
        assert again.user == first

    async def test_of_many_who_open_a_session_one_makes_it(self, store: SessionStore) -> None:
        opened = await in_tasks([partial(store.open, a_session(user=f"u{n}", when=n)) for n in range(10)])
        assert len({(session.user, session.created_at) for session in opened}) == 1

    @pytest.mark.parametrize("stranger", STRANGERS.values(), ids=STRANGERS.keys())
    async def test_another_key_is_another_session(self, store: SessionStore, stranger: SessionKey) -> None:
        key, other = a_session_key(), stranger
        await store.open(a_session(user="maya"))
        await store.append(key, [a_message(1)], at=at(1))
        assert await store.session(other) is None
        assert await store.messages(other) == []
        with pytest.raises(NotFound):
            await store.append(other, [a_message(1)], at=at(1))
        assert await store.delete_session(other) is False
        await store.open(replace(a_session(user="sam"), key=other))
        await store.append(other, [a_message(1, "theirs")], at=at(1))
        assert await store.delete_session(other) is True
        assert [message.text for message in await store.messages(key)] == ["message 1"]

    @pytest.mark.parametrize(("left", "right"), NEIGHBOURS.values(), ids=NEIGHBOURS.keys())
    async def test_neighbouring_agents_and_sessions_stay_apart(
        self, store: SessionStore, left: tuple[str, str], right: tuple[str, str]
    ) -> None:
        keys = [a_session_key(session, agent=agent.strip()) for agent, session in (left, right)]
        if keys[0] == keys[1]:
            keys[1] = a_session_key("other", agent=keys[0].agent)
        for number, key in enumerate(keys):
            await store.open(replace(a_session(user=f"u{number}"), key=key))
        for number, key in enumerate(keys):
            session = await store.session(key)
            assert session is not None
            assert (session.key, session.user) == (key, f"u{number}")

    @pytest.mark.parametrize(("left", "right"), SPLITS.values(), ids=SPLITS.keys())
    async def test_an_agent_and_a_session_are_never_joined(
        self, store: SessionStore, left: tuple[str, str], right: tuple[str, str]
    ) -> None:
        keys = [a_session_key(session, agent=agent) for agent, session in (left, right)]
        for key in keys:
            assert await store.session(key) is None
            await store.open(replace(a_session(), key=key))
            await store.append(key, [a_message(1, key.agent)], at=at(1))
            assert await store.claim(key, key.agent, at=at(0), until=at(10))
        for key in keys:
            assert [message.text for message in await store.messages(key)] == [key.agent]

    async def test_sessions_are_listed_newest_first_in_pages(self, store: SessionStore) -> None:
        for name, when, user in (("c", 1, None), ("a", 2, "maya"), ("b", 1, "maya"), ("d", 0, "May")):
            await store.open(a_session(name, user=user, when=when))
        await store.open(a_session("x", agent="ag_other"))
        await store.open(a_session("y", tenant=OTHER_TENANT))

        async def listed(after: Position | None = None, *, limit: int = 9, user: str | None = None) -> list[str]:
            found = await store.sessions(DEFAULT_TENANT, SUPPORT, limit=limit, after=after, user=user)
            return [session.key.session for session in found]

        assert await listed() == ["a", "c", "b", "d"]
        assert await listed(limit=3) == ["a", "c", "b"]
        assert await listed(Position(at(1), "c")) == ["b", "d"]
        assert await listed(user="maya") == ["a", "b"]
        assert await listed(Position(at(2), "a"), user="maya") == ["b"]
        assert await listed(user="nobody") == []

    # ---- messages

    async def test_messages_keep_the_order_in_which_they_were_appended(self, store: SessionStore) -> None:
        await store.open(a_session())
        first = await store.append(a_session_key(), [a_message(n, when=5) for n in (1, 2, 3)], at=at(5))
        second = await store.append(a_session_key(), [a_message(4, when=5), a_message(5, when=-9)], at=at(6))
        assert (first.length, first.updated_at, second.length, second.updated_at) == (3, at(5), 5, at(6))
        assert second.created_at == at(0)
        assert [message.number for message in await store.messages(a_session_key())] == [1, 2, 3, 4, 5]
        assert await store.session(a_session_key()) == second

    async def test_messages_are_read_in_parts(self, store: SessionStore) -> None:
        await store.open(a_session())
        await store.append(a_session_key(), [a_message(n) for n in range(1, 12)], at=at(1))

        async def part(after: int, limit: int | None) -> list[int]:
            return [message.number for message in await store.messages(a_session_key(), after=after, limit=limit)]

        assert await part(0, 3) == [1, 2, 3]
        assert await part(3, 3) == [4, 5, 6]
        assert await part(9, None) == [10, 11]
        assert await part(11, 3) == []

    @pytest.mark.parametrize("text", AWKWARD_TEXTS.values(), ids=AWKWARD_TEXTS.keys())
    async def test_a_messages_text_and_payload_come_back_exactly(self, store: SessionStore, text: str) -> None:
        message = SessionMessage(number=1, role="tool", text=text, at=at(0.000001), payload=text)
        await store.open(a_session())
        await store.append(a_session_key(), [message], at=at(1))
        assert await store.messages(a_session_key()) == [message]

    @pytest.mark.parametrize("numbers", [(1, 2), (2, 3), (4, 5), (5, 6), (3, 5), (3, 3), (3, 2)])
    async def test_an_append_refuses_what_does_not_go_on(self, store: SessionStore, numbers: tuple[int, int]) -> None:
        await store.open(a_session())
        before = await store.append(a_session_key(), [a_message(1), a_message(2)], at=at(1))
        with pytest.raises(Conflict):
            await store.append(a_session_key(), [a_message(number) for number in numbers], at=at(2))
        assert await store.session(a_session_key()) == before
        assert [message.number for message in await store.messages(a_session_key())] == [1, 2]

    async def test_an_append_of_nothing_changes_nothing(self, store: SessionStore) -> None:
        opened = await store.open(a_session())
        assert await store.append(a_session_key(), [], at=at(9)) == opened

    async def test_of_many_who_append_one_gets_each_place(self, store: SessionStore, open_again: OpenAgain) -> None:
        await store.open(a_session())
        other = await open_again()

        async def won(using: SessionStore, text: str) -> bool:
            try:
                await using.append(a_session_key(), [a_message(1, text), a_message(2, text)], at=at(1))
            except Conflict:
                return False
            return True

        tries = [partial(won, store if n % 2 else other, f"of {n}") for n in range(4)]
        assert sum(await in_threads(tries)) == 1
        assert len({message.text for message in await store.messages(a_session_key())}) == 1
        if other is not store:
            await other.close()

    async def test_a_deleted_session_takes_its_messages_and_its_claim(self, store: SessionStore) -> None:
        await store.open(a_session(user="maya"))
        await store.append(a_session_key(), [a_message(1)], at=at(1))
        await store.claim(a_session_key(), "a", at=at(1), until=at(99))
        assert await store.delete_session(a_session_key()) is True
        assert await store.delete_session(a_session_key()) is False
        assert await store.session(a_session_key()) is None
        assert await store.messages(a_session_key()) == []
        again = await store.open(a_session(user="sam", when=5))
        assert (again.user, again.length) == ("sam", 0)
        assert await store.claim(a_session_key(), "b", at=at(2), until=at(99))
        assert await store.messages(a_session_key()) == []

    async def test_a_deleted_session_takes_its_passages(self, store: SessionStore) -> None:
        sam, other, stranger = an_owner("sam"), an_owner(agent="ag_other"), an_owner(tenant=OTHER_TENANT)
        mine = [a_passage(1), a_passage(2, kind="fact"), a_passage(1, owner=sam)]
        others = [a_passage(1, session="S1"), a_passage(1, owner=other), a_passage(1, owner=stranger)]
        await store.open(a_session(user="maya"))
        if isinstance(store, PassageStore):
            for passage in (*mine, *others):
                await store.put_passages(passage.owner, new(passage, vector=a_vector()))
        assert await store.delete_session(a_session_key()) is True
        if isinstance(store, PassageStore):
            for passage in (*mine, *others):
                there = await store.passages(passage.owner, [passage.id])
                assert list(there.values()) == ([passage] if passage in others else [])
            assert (await store.count_passages(DEFAULT_TENANT)).vectors == {a_vector().model: 2}
            assert await store.stamp(sam) == PassageStamp()

    # ---- claims

    async def test_of_several_claims_one_holds(self, store: SessionStore, open_again: OpenAgain) -> None:
        await store.open(a_session())
        other = await open_again()
        tries = [
            partial((store if n % 2 else other).claim, a_session_key(), f"holder {n}", at=at(0), until=at(30))
            for n in range(4)
        ]
        assert sum(await in_threads(tries)) == 1
        assert sum(await in_tasks([partial(t, until=at(30)) for t in tries])) == 1  # who holds it renews it
        if other is not store:
            await other.close()

    async def test_a_claim_lasts_until_its_end_and_can_be_renewed(self, store: SessionStore) -> None:
        await store.open(a_session())

        async def claim(holder: str, now: float, until: float) -> bool:
            return await store.claim(a_session_key(), holder, at=at(now), until=at(until))

        assert await claim("a", 0, 10)
        assert not await claim("b", 9.999999, 20)
        assert await claim("a", 9, 15)
        assert not await claim("b", 10, 20)
        assert await claim("b", 15, 25)
        assert not await claim("a", 16, 30)

    async def test_a_claim_is_given_back_by_its_holder_alone(self, store: SessionStore) -> None:
        await store.open(a_session())
        key = a_session_key()
        assert await store.claim(key, "a", at=at(0), until=at(10))
        await store.release(key, "b")
        assert not await store.claim(key, "b", at=at(1), until=at(10))
        await store.release(key, "a")
        assert await store.claim(key, "b", at=at(1), until=at(10))
        await store.release(key, "a")
        assert not await store.claim(key, "c", at=at(2), until=at(10))

    async def test_claims_are_of_one_session(self, store: SessionStore) -> None:
        await store.open(a_session())
        assert await store.claim(a_session_key(), "a", at=at(0), until=at(10))
        for key in STRANGERS.values():
            await store.open(Session(key=key, user=UserId("u"), version=None, created_at=at(), updated_at=at()))
            assert await store.claim(key, "b", at=at(0), until=at(10))
