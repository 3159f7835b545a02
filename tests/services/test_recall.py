"""The recall service: freshness, batches, embedding, lists, reindexing.

What it keeps over every store stands in `wellkept.testing.recall`.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from wellkept.contract.events import Event
from wellkept.model.errors import EmbedderFailed, InvalidCursor, InvalidInput, Misconfigured, StoreUnavailable
from wellkept.model.ids import DEFAULT_TENANT, AgentId, PassageId, SessionId, UserId
from wellkept.model.passages import NewPassage, PassageOwner, PassagesPut, Said, Selection
from wellkept.model.recall import RecallQuery
from wellkept.services.catching_up import CatchingUp
from wellkept.services.cutting import BATCH, batches_of, messages_of
from wellkept.services.embedding import Embedding
from wellkept.services.recall import Recall
from wellkept.stores.inproc import InprocStore
from wellkept.testing.recall_stage import said, texts
from wellkept.testing.words_embedder import WordsEmbedder

OWNER = PassageOwner(DEFAULT_TENANT, AgentId("support"), UserId("maya"))
SAM = PassageOwner(DEFAULT_TENANT, AgentId("support"), UserId("sam"))
S1 = SessionId("s1")
DOG = "My dog is called Rex."


class WatchedStore(InprocStore):
    """Counts what is read, and can be made to wait and to change in the midst."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.puts: list[int] = []
        self.gate: asyncio.Event | None = None
        self.down = False

    async def stamp(self, owner: PassageOwner) -> Any:
        self.calls.append("stamp")
        if self.down:
            raise StoreUnavailable(store="x")
        return await super().stamp(owner)

    async def changed_since(self, owner: PassageOwner, revision: int, **about: Any) -> Any:
        self.calls.append("changed_since")
        if self.gate is not None:
            await self.gate.wait()
        return await super().changed_since(owner, revision, **about)

    async def put_passages(self, owner: PassageOwner, pieces: Sequence[NewPassage]) -> PassagesPut:
        self.puts.append(len(pieces))
        return await super().put_passages(owner, pieces)


@pytest.fixture
def store() -> WatchedStore:
    return WatchedStore()


@pytest.fixture
def embedder() -> WordsEmbedder:
    return WordsEmbedder()


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def recall(store: WatchedStore, embedder: WordsEmbedder, events: list[Event]) -> Recall:
    return Recall(store, embedder=embedder, listener=events.append)


async def find(recall: Recall, query: str = "dog", owner: PassageOwner = OWNER, limit: int = 10) -> list[str]:
    return texts(await recall.search(owner, RecallQuery(text=query, limit=limit)))


def many(count: int) -> list[Said]:
    return [said(f"Number {number} of the dogs.", number) for number in range(1, count + 1)]


class TestIndexes:
    async def test_an_index_is_loaded_once_and_then_only_asked(self, recall: Recall, store: WatchedStore) -> None:
        await recall.ingest(OWNER, S1, [said(DOG)])
        for _ in range(3):
            assert await find(recall) == [DOG]
        assert store.calls == ["stamp", "changed_since", "stamp", "stamp"]

    async def test_who_asks_at_the_same_time_waits_for_one_loading(self, recall: Recall, store: WatchedStore) -> None:
        await recall.ingest(OWNER, S1, [said(DOG)])
        store.gate = asyncio.Event()
        asked = [asyncio.create_task(find(recall)) for _ in range(5)]
        await asyncio.sleep(0)
        store.gate.set()
        assert await asyncio.gather(*asked) == [[DOG]] * 5
        assert store.calls.count("changed_since") == 1

    async def test_who_gives_up_takes_the_loading_from_nobody(self, recall: Recall, store: WatchedStore) -> None:
        await recall.ingest(OWNER, S1, many(2_500))
        store.gate = asyncio.Event()
        one, other = asyncio.create_task(find(recall)), asyncio.create_task(find(recall, "number 7"))
        await asyncio.sleep(0)
        one.cancel()
        store.gate.set()
        assert await other == await find(recall, "number 7")
        with pytest.raises(asyncio.CancelledError):
            await one

    async def test_a_loading_that_fails_is_done_again(self, recall: Recall, store: WatchedStore) -> None:
        await recall.ingest(OWNER, S1, [said(DOG)])
        store.down = True
        with pytest.raises(StoreUnavailable):
            await find(recall)
        store.down = False
        assert await find(recall) == [DOG]

    async def test_those_asked_longest_ago_make_room(self, store: WatchedStore) -> None:
        recall = Recall(store, most=400)
        owners = [PassageOwner(DEFAULT_TENANT, AgentId("support"), UserId(f"u{number}")) for number in range(4)]
        for owner in owners:
            await recall.ingest(owner, S1, many(90))
            await find(recall, owner=owner)
        store.calls.clear()
        for owner in (owners[3], owners[2], owners[0]):
            assert len(await find(recall, owner=owner)) == 10
        assert store.calls == ["stamp", "stamp", "stamp", "changed_since"]

    async def test_owners_without_passages_do_not_pile_up(self, store: WatchedStore) -> None:
        recall = Recall(store, most=1_000)
        for number in range(50):
            await find(recall, owner=PassageOwner(DEFAULT_TENANT, AgentId("support"), UserId(f"u{number}")))
        assert recall.indexed_owners <= 10

    async def test_a_very_large_index_is_kept_by_itself(self, store: WatchedStore) -> None:
        recall = Recall(store, most=100)
        await recall.ingest(OWNER, S1, many(500))
        await find(recall)
        store.calls.clear()
        await find(recall)
        assert store.calls == ["stamp"]

    async def test_what_is_read_page_by_page_is_whole(self, recall: Recall) -> None:
        await recall.ingest(OWNER, S1, many(4_321))
        assert await find(recall, "number 4321", limit=1) == ["Number 4321 of the dogs."]
        await recall.ingest(OWNER, S1, [said("Number 4321 of the cats.", 4_321)])
        assert await find(recall, "cats", limit=1) == ["Number 4321 of the cats."]
        assert "Number 4321 of the dogs." not in await find(recall, "number 4321 dogs", limit=100)

    async def test_what_vanishes_in_the_midst_of_a_search_is_not_shown(
        self, recall: Recall, store: WatchedStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await recall.ingest(OWNER, S1, [said(DOG, 1), said("A dog barked.", 2)])
        read = store.passages

        async def passages(owner: PassageOwner, ids: Sequence[PassageId]) -> Any:
            monkeypatch.setattr(store, "passages", read)
            await store.delete_passages(Selection(tenant=DEFAULT_TENANT, agent=OWNER.agent, ids=(ids[0],)))
            return await read(owner, ids)

        monkeypatch.setattr(store, "passages", passages)
        assert len(await find(recall)) == 1


class TestIngest:
    async def test_it_comes_in_bounded_batches_of_whole_messages(self, recall: Recall, store: WatchedStore) -> None:
        long = said("word " * 30_000, 1)
        await recall.ingest(OWNER, S1, [long, *(said(f"Short {n}.", n) for n in range(2, 600))])
        assert store.puts[0] > BATCH
        assert all(put <= BATCH for put in store.puts[1:])
        assert len(store.puts) == 4

    def test_batches_part_no_message(self) -> None:
        messages = messages_of(OWNER, S1, [said("word " * 5_000, number) for number in range(20)])
        batches = list(batches_of(messages))
        assert [piece for batch in batches for piece in batch] == [piece for message in messages for piece in message]
        for batch in batches:
            assert {piece.message for piece in batch}.isdisjoint(
                piece.message for other in batches if other is not batch for piece in other
            )

    async def test_of_two_messages_with_one_id_the_last_counts(self, recall: Recall) -> None:
        await recall.ingest(OWNER, S1, [said("A cat.", 1), said(DOG, 1)])
        assert await find(recall, "cat dog") == [DOG]

    async def test_what_is_stored_already_is_not_embedded_again(self, recall: Recall, embedder: WordsEmbedder) -> None:
        await recall.ingest(OWNER, S1, [said(DOG, 1)])
        await recall.ingest(OWNER, S1, [said(DOG, 1), said("A cat.", 2)])
        assert embedder.given == ["(1 January 2026) Maya: My dog is called Rex.", "(1 January 2026) Maya: A cat."]

    async def test_what_happened_is_told_in_counts(self, recall: Recall, events: list[Event]) -> None:
        await recall.ingest(OWNER, S1, [said(DOG, 1), said("A cat.", 2)])
        await recall.ingest(OWNER, S1, [said(DOG, 1)])
        await recall.delete(Selection(tenant=OWNER.tenant, agent=OWNER.agent))
        assert events == [
            Event(kind="passages_stored", tenant=OWNER.tenant, agent=OWNER.agent, count=2),
            Event(kind="passages_deleted", tenant=OWNER.tenant, agent=OWNER.agent, count=2),
        ]


class TestEmbedding:
    async def test_an_embedder_that_is_down_is_counted_and_caught_up_with(
        self, store: WatchedStore, embedder: WordsEmbedder, events: list[Event]
    ) -> None:
        embedder.down = True
        recall = Recall(store, embedder=embedder, listener=events.append, catch_up_after=0.01)
        await recall.ingest(OWNER, S1, many(300))
        assert [(event.kind, event.count, event.error) for event in events] == [
            ("embed_failed", 256, "embedder_failed"),
            ("embed_failed", 44, "embedder_failed"),
            ("passages_stored", 300, ""),
        ]
        embedder.down = False
        async with asyncio.timeout(30):
            while (await recall.stats(DEFAULT_TENANT)).vectors != {"words-1": 300}:  # noqa: ASYNC110 - told by nobody
                await asyncio.sleep(0.01)
        await recall.close()
        assert embedder.closed

    async def test_what_changed_meanwhile_gets_the_vector_of_its_new_text(
        self, recall: Recall, store: WatchedStore, embedder: WordsEmbedder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        embedder.down = True
        await recall.ingest(OWNER, S1, [said(DOG)])
        embedder.down = False
        embed = embedder.embed

        async def slowly(texts: Sequence[str], *, query: bool = False) -> Any:
            monkeypatch.setattr(embedder, "embed", embed)
            vectors = await embed(texts)
            await recall.ingest(OWNER, S1, [said("The zebra is called Ada.")])
            return vectors

        monkeypatch.setattr(embedder, "embed", slowly)
        assert await recall.settled()
        row = (await store.changed_since(OWNER, 0, model="words-1", limit=1))[0]
        assert row.vector == (await embed(["(1 January 2026) Maya: The zebra is called Ada."]))[0]

    @pytest.mark.parametrize("wrong", ["model", "size", "count", "raises"])
    async def test_what_answers_nonsense_has_failed(self, wrong: str, events: list[Event]) -> None:
        class Nonsense(WordsEmbedder):
            async def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
                if wrong == "raises":
                    raise ConnectionError("of a client's own")
                other = WordsEmbedder("other" if wrong == "model" else "words-1", 32 if wrong == "size" else 64)
                return await other.embed([*texts, "more"] if wrong == "count" else texts)

        embedding = Embedding(Nonsense(), listener=events.append)
        assert await embedding.of_query(DEFAULT_TENANT, "dog") is None
        assert [event.kind for event in events] == ["embed_failed"]

    async def test_a_query_that_comes_late_is_none(self, embedder: WordsEmbedder, events: list[Event]) -> None:
        embedder.slow = True
        embedding = Embedding(embedder, listener=events.append, query_seconds=0.01, batch_seconds=0.01)
        assert await embedding.of_query(DEFAULT_TENANT, "dog") is None
        with pytest.raises(EmbedderFailed):
            await embedding.of_passages([piece for message in messages_of(OWNER, S1, [said(DOG)]) for piece in message])

    async def test_of_a_very_long_query_the_beginning_is_embedded(
        self, recall: Recall, embedder: WordsEmbedder
    ) -> None:
        await find(recall, "dog " * 10_000)
        assert len(embedder.given[0]) <= 2_000

    async def test_who_is_erased_is_not_caught_up_with(self, store: WatchedStore, embedder: WordsEmbedder) -> None:
        catching_up = CatchingUp(store, Embedding(embedder, listener=lambda event: None), first_wait=60)
        catching_up.note(OWNER, [PassageId("psg_0")])
        catching_up.note(SAM, [PassageId("psg_1")])
        catching_up.forget(OWNER.tenant, OWNER.user)
        assert catching_up.noted == 1
        assert await catching_up.flush()
        assert catching_up.noted == 0
        await catching_up.close()


class TestReindex:
    async def test_it_embeds_what_lacks_a_vector_and_tells_how_far_it_is(
        self, recall: Recall, store: WatchedStore
    ) -> None:
        await recall.ingest(OWNER, S1, many(30))
        await recall.ingest(SAM, S1, many(12))
        other = Recall(store, embedder=WordsEmbedder("words-2", 96))
        assert [step.done async for step in other.reindex(DEFAULT_TENANT, batch=10)] == [0, 10, 20, 30, 40, 42]
        assert (await other.stats(DEFAULT_TENANT)).vectors == {"words-1": 42, "words-2": 42}
        assert [(step.done, step.total) async for step in other.reindex(DEFAULT_TENANT)] == [(0, 0)]

    async def test_it_may_be_stopped_and_goes_on_where_it_was(self, store: WatchedStore) -> None:
        words = Recall(store)
        await words.ingest(OWNER, S1, many(30))
        embedder = WordsEmbedder()
        recall = Recall(store, embedder=embedder)
        steps = recall.reindex(DEFAULT_TENANT, batch=10)
        async for step in steps:
            if step.done == 10:
                break
        await steps.aclose()
        assert (await recall.search(OWNER, RecallQuery(text="dogs"))).degraded == ("semantic",)
        given = len(embedder.given)
        assert [(step.done, step.total) async for step in recall.reindex(DEFAULT_TENANT, batch=15)] == [
            (0, 20),
            (15, 20),
            (20, 20),
        ]
        assert len(embedder.given) - given == 20
        assert (await recall.search(OWNER, RecallQuery(text="dogs"))).degraded == ()

    async def test_an_embedder_that_fails_in_the_midst_keeps_what_is_done(
        self, store: WatchedStore, embedder: WordsEmbedder
    ) -> None:
        await Recall(store).ingest(OWNER, S1, many(30))
        recall = Recall(store, embedder=embedder)
        steps = recall.reindex(DEFAULT_TENANT, batch=10)
        assert [(await anext(steps)).done for _ in range(3)] == [0, 10, 20]
        embedder.down = True
        with pytest.raises(EmbedderFailed):
            await anext(steps)
        assert (await recall.stats(DEFAULT_TENANT)).vectors == {"words-1": 20}

    async def test_it_takes_an_embedder_and_a_batch(self, recall: Recall, store: WatchedStore) -> None:
        with pytest.raises(Misconfigured):
            [step async for step in Recall(store).reindex(DEFAULT_TENANT)]
        for batch in (0, -1, 1_001):
            with pytest.raises(InvalidInput):
                [step async for step in recall.reindex(DEFAULT_TENANT, batch=batch)]


class TestLists:
    async def test_pages_are_newest_first_and_cursors_are_of_one_list(self, recall: Recall) -> None:
        await recall.ingest(OWNER, S1, many(5))
        chosen = Selection(tenant=OWNER.tenant, agent=OWNER.agent, user=OWNER.user)
        first = await recall.listed(chosen, limit=2)
        second = await recall.listed(chosen, limit=2, cursor=first.next_cursor)
        third = await recall.listed(chosen, limit=2, cursor=second.next_cursor)
        assert [one.number for page in (first, second, third) for one in page.data] == [5, 4, 3, 2, 1]
        assert third.next_cursor is None
        other = Selection(tenant=OWNER.tenant, agent=OWNER.agent, user=OWNER.user, session=S1)
        for chosen_otherwise in (other, Selection(tenant=OWNER.tenant, agent=OWNER.agent, user=SAM.user)):
            with pytest.raises(InvalidCursor):
                await recall.listed(chosen_otherwise, cursor=first.next_cursor)
        for limit in (0, 101):
            with pytest.raises(InvalidInput):
                await recall.listed(chosen, limit=limit)

    async def test_the_whole_agent_is_listed_too(self, recall: Recall) -> None:
        await recall.ingest(OWNER, S1, [said(DOG, 1)])
        await recall.ingest(SAM, S1, [said("A cat.", 2)])
        page = await recall.listed(Selection(tenant=OWNER.tenant, agent=OWNER.agent))
        assert [(one.user_id, one.text) for one in page.data] == [("sam", "A cat."), ("maya", DOG)]
