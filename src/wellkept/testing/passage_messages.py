"""The part of `PassageStoreContract` about storing messages: once, whole, and exactly as they were said."""

from collections.abc import Awaitable, Callable
from functools import partial

import pytest
from msgspec.structs import replace

from wellkept.contract.passage_store import PassageStore
from wellkept.model.errors import InvalidInput
from wellkept.model.ids import SessionId
from wellkept.model.passages import MAX_MESSAGE_BYTES, MetaValue, NewPassage, Passage, PassagesPut
from wellkept.testing.following import stored
from wellkept.testing.racing import in_tasks, in_threads
from wellkept.testing.samples import AWKWARD_TEXTS, OTHER_TENANT, a_passage, a_vector, an_owner, at, new

OpenAgain = Callable[[], Awaitable[PassageStore]]

MODEL = a_vector().model

CHANGES: dict[str, Passage] = {
    "its text": a_passage(1, "passage 1 "),
    "its case": a_passage(1, "Passage 1"),
    "its place": replace(a_passage(1), number=2),
    "its time": a_passage(1, when=1.000001),
    "its speaker": a_passage(1, speaker="maya"),
    "its metadata": a_passage(1, metadata={"a": 1}),
    "its sources": a_passage(1, sources=("m0",)),
}

METADATA: dict[str, dict[str, MetaValue]] = {
    "nothing": {},
    "text": {"a": "", "b": "1", "c": "true", "d": "caf\u00e9 \U0001f600 \r\n\"'\\"},
    "truth": {"yes": True, "no": False},
    "whole numbers": {"none": 0, "one": 1, "less": -1, "most": 2**53, "least": -(2**53)},
    "numbers with a point": {"none": 0.0, "one": 1.0, "less": -0.1, "much": 1.5e308, "little": 5e-324, "big": 1e22},
    "awkward names": {"tenant": "x", "a.b": 1, "$ne": 2, "caf\u00e9": 3, " ": 4},
}


async def everything(store: PassageStore) -> list[Passage]:
    """Give maya's passages, in the order of their places."""
    known = await stored(store, an_owner())
    return sorted((one.passage for one in known.values()), key=lambda passage: passage.place)


def pieces(*texts: str, message: str = "m1", number: int = 1) -> list[NewPassage]:
    """Make the pieces of one message."""
    return new(*(a_passage(number, text, message=message, part=part) for part, text in enumerate(texts)))


class PassageMessagesContract:
    """The obligations about storing messages."""

    async def test_passages_come_back(self, store: PassageStore) -> None:
        passages = [a_passage(number) for number in (3, 1, 2)]
        assert await store.put_passages(an_owner(), new(*passages)) == PassagesPut(stored=3)
        assert await everything(store) == [a_passage(1), a_passage(2), a_passage(3)]
        ids = [a_passage(2).id, a_passage(9).id, a_passage(3).id]
        assert await store.passages(an_owner(), ids) == {ids[0]: a_passage(2), ids[2]: a_passage(3)}
        assert await store.passages(an_owner(), []) == {}

    async def test_a_store_without_passages_is_asked_everything(self, store: PassageStore) -> None:
        assert await store.put_passages(an_owner(), []) == PassagesPut()
        assert await everything(store) == []
        assert await store.passage_ids(an_owner()) == frozenset()
        assert await store.last_number(an_owner(), SessionId("s1")) == 0

    async def test_a_message_is_stored_once_however_often_it_is_given(self, store: PassageStore) -> None:
        given = [NewPassage(passage=a_passage(n), vector=a_vector(n), entry=b"e") for n in (1, 2)]
        assert await store.put_passages(an_owner(), given) == PassagesPut(stored=2)
        before, stamp = await stored(store, an_owner(), model=MODEL), await store.stamp(an_owner())
        other = [NewPassage(passage=one.passage, vector=a_vector(7), entry=b"f") for one in given]
        for again in (given, given[::-1], other, new(*(one.passage for one in given))):
            assert await store.put_passages(an_owner(), again) == PassagesPut(unchanged=2)
        assert await stored(store, an_owner(), model=MODEL) == before
        assert await store.stamp(an_owner()) == stamp

    async def test_of_two_pieces_with_one_id_the_last_counts(self, store: PassageStore) -> None:
        put = await store.put_passages(an_owner(), new(a_passage(1, "first"), a_passage(1, "last")))
        assert put == PassagesPut(stored=1)
        assert [passage.text for passage in await everything(store)] == ["last"]

    async def test_a_message_given_by_many_at_once_is_stored_once(self, store: PassageStore) -> None:
        given = new(*(a_passage(number) for number in range(10)), vector=a_vector())
        puts = await in_tasks([partial(store.put_passages, an_owner(), given)] * 16)
        assert sum(put.stored for put in puts) == 10
        assert sum(put.unchanged for put in puts) == 150
        assert len(await everything(store)) == 10

    async def test_a_message_given_by_many_threads_is_stored_once(
        self, store: PassageStore, open_again: OpenAgain
    ) -> None:
        async def give(thread: int) -> PassagesPut:
            mine = store if thread == 0 else await open_again()
            put = PassagesPut()
            for number in range(8):
                messages = pieces("a", "b", message=f"m{number}", number=number)
                one = await mine.put_passages(an_owner(), messages)
                put = PassagesPut(stored=put.stored + one.stored, unchanged=put.unchanged + one.unchanged)
            if mine is not store:
                await mine.close()
            return put

        puts = await in_threads([partial(give, thread) for thread in range(4)])
        assert sum(put.stored for put in puts) == 16
        assert sum(put.unchanged for put in puts) == 48
        assert len(await everything(store)) == 16

    @pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES.keys())
    async def test_a_message_that_changed_replaces_the_old_one(self, store: PassageStore, changed: Passage) -> None:
        await store.put_passages(an_owner(), new(a_passage(1), a_passage(2), vector=a_vector(1), entry=b"old"))
        before = await store.stamp(an_owner())
        assert await store.put_passages(an_owner(), new(changed, entry=b"new")) == PassagesPut(replaced=1)
        now = await stored(store, an_owner(), model=MODEL)
        assert (now[changed.id].passage, now[changed.id].entry, now[changed.id].vector) == (changed, b"new", None)
        other = now[a_passage(2).id]
        assert (other.passage, other.entry, other.vector) == (a_passage(2), b"old", a_vector(1))
        assert (await store.stamp(an_owner())).revision > before.revision

    async def test_a_changed_passage_gets_the_vector_that_comes_with_it(self, store: PassageStore) -> None:
        await store.put_passages(an_owner(), new(a_passage(1), vector=a_vector(1)))
        await store.put_vectors(an_owner(), {a_passage(1).id: a_vector(1, model="other", size=8)})
        await store.put_passages(an_owner(), new(a_passage(1, "changed"), vector=a_vector(2)))
        for model, vector in ((MODEL, a_vector(2)), ("other", None)):
            assert (await stored(store, an_owner(), model=model))[a_passage(1).id].vector == vector

    async def test_pieces_that_are_not_given_any_more_go(self, store: PassageStore) -> None:
        await store.put_passages(an_owner(), [*pieces("a", "b", "c"), *pieces("x", "y", message="m2", number=2)])
        assert await store.put_passages(an_owner(), pieces("a", "B")) == PassagesPut(unchanged=1, replaced=1, removed=1)
        assert [passage.text for passage in await everything(store)] == ["a", "B", "x", "y"]
        assert await store.put_passages(an_owner(), pieces("a", "B", "c", "d")) == PassagesPut(unchanged=2, stored=2)
        assert [passage.text for passage in await everything(store)] == ["a", "B", "c", "d", "x", "y"]

    async def test_the_same_name_in_another_session_or_kind_is_another_message(self, store: PassageStore) -> None:
        fact = a_passage(1, "maya likes tea", kind="fact", sources=("m1", "m2"))
        others = [a_passage(1, session="S1"), fact, a_passage(1, message="M1")]
        await store.put_passages(an_owner(), new(a_passage(1), *others))
        await store.put_passages(an_owner(), new(a_passage(1, "changed")))
        assert sorted(passage.text for passage in await everything(store)) == [
            "changed",
            "maya likes tea",
            "passage 1",
            "passage 1",
        ]
        assert (await store.passages(an_owner(), [fact.id]))[fact.id] == fact
        assert await store.put_passages(an_owner(), new(*others)) == PassagesPut(unchanged=3)
        assert await store.put_passages(an_owner(), new(replace(fact, text="no"))) == PassagesPut(replaced=1)

    @pytest.mark.parametrize(
        "other", [an_owner("sam"), an_owner(agent="ag_other"), an_owner(tenant=OTHER_TENANT)], ids=str
    )
    async def test_a_piece_of_somebody_elses_refuses_all(self, store: PassageStore, other: object) -> None:
        assert isinstance(other, type(an_owner()))
        with pytest.raises(InvalidInput):
            await store.put_passages(an_owner(), new(a_passage(1), a_passage(2, owner=other)))
        assert await everything(store) == []
        assert await store.passage_ids(other) == frozenset()

    @pytest.mark.parametrize("text", AWKWARD_TEXTS.values(), ids=AWKWARD_TEXTS.keys())
    async def test_a_text_comes_back_exactly(self, store: PassageStore, text: str) -> None:
        passage = a_passage(1, text)
        await store.put_passages(an_owner(), new(passage, entry=text.encode()))
        known = (await stored(store, an_owner()))[passage.id]
        assert (known.passage, known.entry) == (passage, text.encode())
        assert await store.put_passages(an_owner(), new(passage)) == PassagesPut(unchanged=1)

    @pytest.mark.parametrize("text", ["x" * MAX_MESSAGE_BYTES, "\U0001f600" * (MAX_MESSAGE_BYTES // 4)], ids=len)
    async def test_a_long_message_comes_back_exactly(self, store: PassageStore, text: str) -> None:
        step = 50_000
        given = pieces(*(text[begin : begin + step] for begin in range(0, len(text), step)))
        await store.put_passages(an_owner(), [*given, *pieces(text, message="m2", number=2)])
        found = await everything(store)
        assert "".join(passage.text for passage in found if passage.message == "m1") == text
        assert found[-1].text == text

    @pytest.mark.parametrize("name", [name for name in AWKWARD_TEXTS.values() if 0 < len(name) < 257], ids=ascii)
    async def test_names_and_speakers_come_back_exactly(self, store: PassageStore, name: str) -> None:
        passage = a_passage(1, message=name, speaker=name, metadata={"said": name}, sources=(name, "m1"))
        await store.put_passages(an_owner(), new(passage))
        assert await everything(store) == [passage]

    @pytest.mark.parametrize("metadata", METADATA.values(), ids=METADATA.keys())
    async def test_metadata_come_back_with_their_types(
        self, store: PassageStore, metadata: dict[str, MetaValue]
    ) -> None:
        passage = a_passage(1, metadata=metadata)
        await store.put_passages(an_owner(), new(passage))
        (found,) = await everything(store)
        assert dict(found.metadata) == metadata
        assert {name: type(value) for name, value in found.metadata.items()} == {
            name: type(value) for name, value in metadata.items()
        }
        assert await store.put_passages(an_owner(), new(passage)) == PassagesPut(unchanged=1)

    @pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), (0, False), (1.0, True), ("1", 1)])
    async def test_an_equal_value_of_another_type_is_a_change(
        self, store: PassageStore, one: MetaValue, other: MetaValue
    ) -> None:
        await store.put_passages(an_owner(), new(a_passage(1, metadata={"a": one})))
        put = await store.put_passages(an_owner(), new(a_passage(1, metadata={"a": other})))
        assert put == PassagesPut(replaced=1)
        (found,) = await everything(store)
        assert type(found.metadata["a"]) is type(other)

    @pytest.mark.parametrize("when", [0.000001, 0.999999, -(10**9), 10**10], ids=str)
    async def test_instants_come_back_to_the_microsecond(self, store: PassageStore, when: float) -> None:
        await store.put_passages(an_owner(), new(a_passage(1, when=when)))
        (found,) = await everything(store)
        assert found.at == at(when)
        assert found.at.utcoffset() == at(when).utcoffset()

    async def test_messages_of_clocks_that_jump_and_out_of_order_are_all_kept(self, store: PassageStore) -> None:
        given = [a_passage(number, when=when) for number, when in ((5, -9), (1, 10**6), (3, 0), (3, 0))]
        given[3] = a_passage(3, message="again", when=0)
        for passage in given:
            await store.put_passages(an_owner(), new(passage))
        assert {passage.id for passage in await everything(store)} == {passage.id for passage in given}

    async def test_the_last_number_is_that_of_the_sessions_messages(self, store: PassageStore) -> None:
        fact = a_passage(99, kind="fact")
        others = [a_passage(50, session="s2"), a_passage(60, session="S1"), fact]
        await store.put_passages(an_owner(), new(a_passage(7), a_passage(3), *others))
        sams, strangers = an_owner("sam"), [an_owner(agent="ag_other"), an_owner(tenant=OTHER_TENANT)]
        for owner in (sams, *strangers):
            await store.put_passages(owner, new(a_passage(70, owner=owner)))
        assert await store.last_number(an_owner(), SessionId("s1")) == 7
        assert await store.last_number(an_owner(), SessionId("s2")) == 50
        assert await store.last_number(an_owner(), SessionId("s3")) == 0
        assert await store.last_number(sams, SessionId("s1")) == 70
