"""What is said in turns is kept: after the turn, once, and never at the turn's cost."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from wellkept.contract.events import Event
from wellkept.contract.extractor import Extractor, Fact
from wellkept.model.errors import ModelFailed, StoreUnavailable
from wellkept.model.ids import DEFAULT_TENANT, AgentId, SessionId, UserId
from wellkept.model.passages import PassageOwner, Said, Selection
from wellkept.model.recall import RecallQuery
from wellkept.model.sessions import Role, Session, SessionKey, SessionMessage
from wellkept.services.facts import Facts
from wellkept.services.ingestion import Ingestion, Spoken, said_in
from wellkept.services.recall import Recall
from wellkept.services.sessions import Sessions
from wellkept.stores.inproc import InprocStore
from wellkept.testing.backstage import WordScreen
from wellkept.testing.clock import FakeClock
from wellkept.testing.samples import at

AGENT = AgentId("support")
OWNER = PassageOwner(DEFAULT_TENANT, AGENT, UserId("maya"))
ALL = Selection(tenant=DEFAULT_TENANT, agent=AGENT)


def key(session: str = "s1") -> SessionKey:
    return SessionKey(DEFAULT_TENANT, AGENT, SessionId(session))


class House:
    """Ingestion over one store, and what happens in it."""

    def __init__(self, store: InprocStore, **ingestion: Any) -> None:
        self.store = store
        self.events: list[Event] = []
        self.clock = FakeClock()
        self.recall = Recall(store, listener=self.events.append)
        facts = Facts(WordScreen(), listener=self.events.append)
        told: dict[str, Any] = {"facts": facts, "clock": self.clock, "listener": self.events.append, "retries": ()}
        self.ingestion = Ingestion(store, **told | ingestion)

    async def open(self, session: str = "s1", user: str | None = "maya") -> None:
        who = None if user is None else UserId(user)
        await self.store.open(Session(key=key(session), user=who, version=None, created_at=at(0), updated_at=at(0)))

    async def say(self, *texts: str, role: Role = "user", session: str = "s1") -> None:
        opened = await self.store.session(key(session))
        first = (opened.length if opened else 0) + 1
        rows = [SessionMessage(number=n, role=role, text=text, at=at(n)) for n, text in enumerate(texts, first)]
        await self.store.append(key(session), rows, at=at(first))

    def note(self, session: str = "s1", extractor: Extractor | None = None) -> None:
        self.ingestion.note(
            Spoken(key=key(session), owner=OWNER, agent_name="Support", recall=self.recall, extractor=extractor)
        )

    async def kept(self) -> list[tuple[str, str]]:
        page = await self.recall.listed(ALL, limit=100)
        return [(one.speaker, one.text) for one in sorted(page.data, key=lambda one: (one.session_id, one.place))]

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]


@pytest.fixture
def store() -> InprocStore:
    return InprocStore()


@pytest.fixture
async def house(store: InprocStore) -> House:
    made = House(store)
    await made.open()
    return made


async def test_what_was_said_is_kept_once_and_going_on(house: House) -> None:
    await house.say("My dog is called Rex.")
    await house.say("A fine name.", role="assistant")
    house.note()
    await house.ingestion.settled()
    assert await house.kept() == [("user", "My dog is called Rex."), ("Support", "A fine name.")]
    await house.say("And he likes tea.")
    house.note()
    house.note()
    await house.ingestion.settled()
    assert [text for _, text in await house.kept()][2:] == ["And he likes tea."]
    assert [event.count for event in house.events] == [2, 1]


def test_only_users_and_agents_speak() -> None:
    roles: list[Role] = ["user", "tool", "assistant", "assistant"]
    said = zip(range(1, 5), roles, ("a", "b", "", "d"), strict=True)
    rows = [SessionMessage(number=number, role=role, text=text, at=at(number)) for number, role, text in said]
    kept = [(one.speaker, one.text, one.number) for one in said_in(rows, agent_name="Bot")]
    assert kept == [("user", "a", 1), ("Bot", "d", 4)]
    assert said_in(rows, agent_name="a\nb")[1].speaker == "assistant"


async def test_what_an_earlier_turn_left_out_comes_with_the_next(house: House) -> None:
    await house.say("One.", "Two.")  # as of a process that died before it kept them
    await house.say("Three.")
    house.note()
    await house.ingestion.settled()
    assert [text for _, text in await house.kept()] == ["One.", "Two.", "Three."]


async def test_a_long_session_is_kept_page_by_page(house: House) -> None:
    await house.say(*(f"Number {n}." for n in range(1, 251)))
    await house.say("tool: x", role="tool")
    house.note()
    await house.ingestion.settled()
    assert (await house.recall.stats(DEFAULT_TENANT)).passages == 250


async def test_two_processes_keep_a_session_once(house: House, store: InprocStore) -> None:
    other = House(store)
    await house.say(*(f"Number {n}." for n in range(1, 31)))
    for one in (house, other):
        one.note()
    await asyncio.gather(house.ingestion.settled(), other.ingestion.settled())
    assert (await house.recall.stats(DEFAULT_TENANT)).passages == 30


async def test_of_another_s_session_nothing_is_kept(house: House) -> None:
    await house.open("s2", user="sam")
    await house.open("s3", user=None)
    for session in ("s2", "s3", "missing"):
        if session != "missing":
            await house.say("Not Maya's.", session=session)
        house.note(session)
    await house.ingestion.settled()
    assert (await house.kept(), house.events) == ([], [])


async def test_with_an_agent_s_first_turn_its_latest_sessions_are_looked_after(house: House) -> None:
    for session in ("s2", "s3"):
        await house.open(session)
        await house.say(f"Of {session}.", session=session)
    await house.say("Of s1.")
    house.note()
    await house.ingestion.settled()
    assert [text for _, text in await house.kept()] == ["Of s1.", "Of s2.", "Of s3."]
    await house.say("Later, of s2.", session="s2")
    await house.say("More of s1.")
    house.note()
    await house.ingestion.settled()
    assert "Later, of s2." not in [text for _, text in await house.kept()]  # it has its own turn for that


async def test_sessions_of_long_ago_are_not_looked_after(house: House) -> None:
    await house.open("s2")
    await house.say("Of s2.", session="s2")
    house.clock.advance(100_000)
    await house.say("Of s1.")
    house.note()
    await house.ingestion.settled()
    assert [text for _, text in await house.kept()] == ["Of s1."]


class Gated(InprocStore):
    """Waits before it stores passages, until it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.failures: list[Exception] = []

    async def put_passages(self, owner: PassageOwner, pieces: Any) -> Any:
        await self.gate.wait()
        if self.failures:
            raise self.failures.pop(0)
        return await super().put_passages(owner, pieces)


async def test_a_session_that_is_deleted_meanwhile_leaves_nothing() -> None:
    store = Gated()
    house = House(store)
    await house.open()
    await house.say("My dog is called Rex.")
    house.note()
    await asyncio.sleep(0.01)
    await Sessions(store, clock=FakeClock(), passages=store).delete(key())
    store.gate.set()
    await house.ingestion.settled()
    assert await house.kept() == []


async def test_a_session_of_the_same_name_is_another_one() -> None:
    store = Gated()
    house = House(store)
    await house.open()
    await house.say("My dog is called Rex.")
    house.note()
    await asyncio.sleep(0.01)
    await store.delete_session(key())
    await house.open(user="sam")
    store.gate.set()
    await house.ingestion.settled()
    assert await house.kept() == []


async def test_when_too_many_wait_the_next_turn_waits() -> None:
    store = Gated()
    house = House(store, most=2)
    for session in ("s1", "s2"):
        await house.open(session)
        await house.say("x", session=session)
        await house.ingestion.room()
        house.note(session)
    waiting = asyncio.create_task(house.ingestion.room())
    await asyncio.sleep(0.01)
    assert not waiting.done()
    store.gate.set()
    await waiting
    await house.ingestion.settled()
    assert len(await house.kept()) == 2


async def test_a_failure_is_counted_and_the_next_turn_makes_up_for_it() -> None:
    store = Gated()
    store.gate.set()
    store.failures = [StoreUnavailable(store="x")]
    house = House(store)
    await house.open()
    await house.say("One.")
    house.note()
    await house.ingestion.settled()
    assert house.events == [Event(kind="ingest_failed", tenant=DEFAULT_TENANT, agent=AGENT, error="store_unavailable")]
    await house.say("Two.")
    house.note()
    await house.ingestion.settled()
    assert [text for _, text in await house.kept()] == ["One.", "Two."]


async def test_it_is_tried_again_before_it_is_a_failure() -> None:
    store = Gated()
    store.gate.set()
    store.failures = [StoreUnavailable(store="x"), StoreUnavailable(store="x")]
    house = House(store, retries=(0.0, 0.0))
    await house.open()
    await house.say("One.")
    house.note()
    await house.ingestion.settled()
    assert (await house.kept(), house.kinds()) == ([("user", "One.")], ["passages_stored"])


async def test_what_nobody_expected_is_counted_too_and_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    store = Gated()
    store.gate.set()
    store.failures = [RuntimeError("a bug")]
    house = House(store)
    await house.open()
    await house.say("One.")
    house.note()
    await house.ingestion.settled()
    assert [(event.kind, event.error) for event in house.events] == [("ingest_failed", "internal")]
    house.note()
    await house.ingestion.settled()
    assert [text for _, text in await house.kept()] == ["One."]


async def test_finishing_waits_and_a_second_time_is_nothing() -> None:
    store = Gated()
    house = House(store)
    await house.open()
    await house.say("One.")
    house.note()
    asyncio.get_running_loop().call_later(0.01, store.gate.set)
    await house.ingestion.finish()
    await house.ingestion.finish()
    assert [text for _, text in await house.kept()] == ["One."]


async def test_finishing_waits_no_longer_than_some_seconds() -> None:
    store = Gated()
    house = House(store, patience=0.01)
    await house.open()
    await house.say("One.")
    house.note()
    await house.ingestion.finish()
    assert (await house.kept(), house.events) == ([], [])
    assert await house.store.messages(key()) != []


def test_a_loop_that_was_closed_keeps_nobody_waiting() -> None:
    store = Gated()
    house = House(store)

    async def leave() -> None:
        await house.open()
        await house.say("One.")
        house.note()
        await asyncio.sleep(0.01)

    async def again() -> None:
        store.gate = asyncio.Event()
        store.gate.set()
        house.note()
        await house.ingestion.settled()

    loop = asyncio.new_event_loop()
    loop.run_until_complete(leave())
    loop.close()  # with its tasks unfinished
    asyncio.run(again())
    assert [text for _, text in asyncio.run(house.kept())] == ["One."]


# ---- facts


class Scripted(Extractor):
    """Proposes what it is told to."""

    def __init__(self, *facts: Fact, error: Exception | None = None) -> None:
        self.proposed = list(facts)
        self.error = error
        self.shown: list[Said] = []

    async def facts(self, messages: Sequence[Said]) -> list[Fact]:
        self.shown += messages
        if self.error is not None:
            raise self.error
        return self.proposed


async def facts_of(house: House, extractor: Extractor) -> list[Any]:
    await house.say("My dog is called Rex.")
    await house.say("A fine name.", role="assistant")
    await house.say("He was born in May.")
    house.note(extractor=extractor)
    await house.ingestion.settled()
    page = await house.recall.listed(ALL, limit=100)
    assert len([one for one in page.data if one.kind == "message"]) == 3
    return [one for one in page.data if one.kind == "fact"]


async def test_a_fact_stands_beside_its_messages_and_is_as_old_as_the_latest(house: House) -> None:
    (fact,) = await facts_of(house, Scripted(Fact(text="The dog of Maya is called Rex.", sources=(1, 0, 0))))
    assert (fact.text, fact.speaker, fact.at, fact.number) == ("The dog of Maya is called Rex.", "Support", at(2), 2)
    assert fact.sources == ("message-1", "message-2")
    found = await house.recall.search(OWNER, RecallQuery(text="the dog of Maya"))
    assert found.data[0].passage == fact


@pytest.mark.parametrize(
    "fact",
    [
        Fact(text="", sources=(0,)),
        Fact(text=" \n", sources=(0,)),
        Fact(text="a\x00b", sources=(0,)),
        Fact(text="x" * 201, sources=(0,)),
        Fact(text="Nobody said so.", sources=()),
        Fact(text="Nobody said so.", sources=(3,)),
        Fact(text="Nobody said so.", sources=(-1,)),
        Fact(text="REJECT this", sources=(0,)),
        Fact(text="HOLD this", sources=(0,)),
    ],
)
async def test_a_fact_that_does_not_pass_is_dropped_and_counted(house: House, fact: Fact) -> None:
    good = Fact(text="Rex is a dog.", sources=(0,))
    assert [one.text for one in await facts_of(house, Scripted(fact, good))] == ["Rex is a dog."]
    assert ("facts_dropped", 1) in [(event.kind, event.count) for event in house.events]


async def test_of_too_many_facts_the_first_are_kept(house: House) -> None:
    kept = await facts_of(house, Scripted(*(Fact(text=f"Fact {n}.", sources=(0,)) for n in range(40))))
    assert sorted(one.text for one in kept) == sorted(f"Fact {n}." for n in range(25))
    assert ("facts_dropped", 15) in [(event.kind, event.count) for event in house.events]


async def test_a_model_that_fails_costs_nothing_but_a_count(house: House) -> None:
    assert await facts_of(house, Scripted(error=ModelFailed(model="x"))) == []
    told = [(event.kind, event.error) for event in house.events]
    assert told == [("passages_stored", ""), ("extract_failed", "model_failed")]


async def test_facts_are_asked_for_what_is_new_and_replace_none(house: House) -> None:
    extractor = Scripted(Fact(text="Rex is a dog.", sources=(0,)))
    await facts_of(house, extractor)
    await house.say("Rex is a cat.")
    extractor.proposed = [Fact(text="Rex is a cat.", sources=(0,))]
    house.note(extractor=extractor)
    await house.ingestion.settled()
    assert [one.text for one in extractor.shown][3:] == ["Rex is a cat."]
    page = await house.recall.listed(ALL, limit=100)
    assert {one.text for one in page.data if one.kind == "fact"} == {"Rex is a dog.", "Rex is a cat."}
