"""Whose conversations are whose, and that each message is kept once, and gone when it is gone."""

import asyncio

import pytest

from wellkept.model import errors
from wellkept.model.ids import TenantId
from wellkept.rules.render import ShownMemory, render
from wellkept.testing.recall_stage import START, OpenService, RecallService, RecallStage, said, texts
from wellkept.testing.words_embedder import WordsEmbedder

DOG = "My dog is called Rex."
NEIGHBOURS = [
    ("test_user", "test_user1"),
    ("a:b", "a"),
    ("a/b", "a_b"),
    ("Ann", "ann"),
    ("e\u0301", "\u00e9"),
    ("%", "x"),
]


class RecallWallsContract(RecallStage):
    """Isolation, idempotence, deletion, erasure, bad input."""

    # ---- isolation

    @pytest.mark.parametrize(("one", "other"), NEIGHBOURS)
    async def test_users_of_any_names_stay_apart(self, recall: RecallService, one: str, other: str) -> None:
        await self.keep(recall, said(DOG), user=one)
        assert texts(await self.find(recall, "dog", user=one)) == [DOG]
        assert texts(await self.find(recall, "dog", user=other)) == []

    async def test_agents_stay_apart(self, recall: RecallService) -> None:
        await self.keep(recall, said(DOG))
        assert texts(await self.find(recall, "dog", agent="sales")) == []

    async def test_tenants_stay_apart(
        self, recall: RecallService, open_service: OpenService, embedder: WordsEmbedder
    ) -> None:
        await self.keep(recall, said(DOG))
        async with open_service(embedder, tenant=TenantId("ten_1111111111111111")) as other:
            assert texts(await self.find(other, "dog")) == []
            assert (await other.stats()).passages == 0
            assert await other.erase_user("maya") == 0
            assert await other.delete(agent="support") == 0
        assert texts(await self.find(recall, "dog")) == [DOG]

    async def test_the_same_message_of_two_users_is_two_passages(self, recall: RecallService) -> None:
        await self.keep(recall, said(DOG))
        await self.keep(recall, said(DOG), user="sam")
        counts = await recall.stats()
        assert (counts.passages, counts.users) == (2, 2)

    async def test_what_others_said_takes_no_place_among_the_found(self, recall: RecallService) -> None:
        for number in range(1, 30):
            await self.keep(recall, said(DOG, number), user="sam")
        await self.keep(recall, said("A dog barked once.", 1))
        assert texts(await self.find(recall, "my dog Rex", limit=1)) == ["A dog barked once."]

    # ---- each message once

    async def test_a_message_is_kept_once_however_often_it_comes(self, recall: RecallService) -> None:
        messages = [said(DOG, 1), said("And he likes tea.", 2)]
        first = await self.keep(recall, *messages)
        again = await self.keep(recall, *messages)
        assert (first.stored, first.replaced, first.unchanged) == (2, 0, 0)
        assert (again.stored, again.replaced, again.unchanged) == (0, 0, 2)
        assert (await recall.stats()).passages == 2

    async def test_by_many_at_once_too(
        self, recall: RecallService, open_service: OpenService, embedder: WordsEmbedder
    ) -> None:
        messages = [said(f"My dog {number} is called Rex.", number) for number in range(1, 21)]
        async with open_service(embedder) as other:
            await asyncio.gather(*(self.keep(one, *messages) for one in (recall, other) * 3))
            assert (await other.stats()).passages == 20
            found = await self.find(other, "dog", limit=100)
        assert sorted(texts(found)) == sorted(message.text for message in messages)

    async def test_a_message_with_another_text_replaces_the_old(self, recall: RecallService) -> None:
        await self.keep(recall, said("word " * 200 + "zebra"))
        put = await self.keep(recall, said(DOG))
        assert put.replaced == 1 and put.removed > 0
        assert texts(await self.find(recall, "zebra word dog")) == [DOG]
        assert (await recall.stats()).passages == 1

    async def test_messages_without_an_id_are_named_by_what_they_say(self, recall: RecallService) -> None:
        messages = [said(DOG, 1, id=""), said(DOG, 1, id=""), said("Tea.", 2, id="")]
        assert (await self.keep(recall, *messages)).stored == 3
        assert (await self.keep(recall, *messages)).unchanged == 3

    async def test_pieces_joined_are_the_message(self, recall: RecallService) -> None:
        text = " ".join(f"Sentence {number} about the zebra.\n\n" for number in range(400)) + "\U0001f98a\t "
        await self.keep(recall, said(text))
        found = await self.find(recall, "zebra", limit=1)
        assert found.data[0].passage.text in text
        assert (await self.keep(recall, said(text))).unchanged == (await recall.stats()).passages > 10

    async def test_what_was_rendered_from_memory_is_not_kept(self, recall: RecallService) -> None:
        section = render(
            [], [ShownMemory(id="mem_0123456789abcdef", text="Likes zebras.", created_at=START)], directive=""
        )
        put = await self.keep(recall, said(section, 1), said(f"{section}\n\nWhich plan am I on?", 2))
        assert put.stored == 1
        assert texts(await self.find(recall, "zebras plan")) == ["Which plan am I on?"]

    # ---- gone

    async def test_what_is_deleted_is_gone_at_once(self, recall: RecallService) -> None:
        await self.keep(recall, said(DOG, 1), said("The sky is grey.", 2))
        (dog,) = (await self.find(recall, "dog called Rex", limit=1)).data
        assert await recall.delete(agent="support", user_id="maya", ids=[dog.passage.id]) == 1
        for query in ("dog called Rex", "hound"):  # by words, and by meaning alone
            assert DOG not in texts(await self.find(recall, query))
        assert await recall.delete(agent="support", user_id="maya", ids=[dog.passage.id]) == 0

    async def test_also_when_another_process_deleted_it(
        self, recall: RecallService, open_service: OpenService, embedder: WordsEmbedder
    ) -> None:
        await self.keep(recall, said(DOG, 1), said("The sky is grey.", 2))
        assert DOG in texts(await self.find(recall, "dog"))
        async with open_service(embedder) as other:
            assert await other.delete(agent="support", user_id="maya", session_id="s1") == 2
        for query in ("dog", "hound"):
            assert texts(await self.find(recall, query)) == []
        assert (await recall.stats()).passages == 0

    async def test_what_another_process_said_is_found_at_once(
        self, recall: RecallService, open_service: OpenService, embedder: WordsEmbedder
    ) -> None:
        assert texts(await self.find(recall, "dog")) == []
        async with open_service(embedder) as other:
            await self.keep(other, said(DOG))
            assert texts(await self.find(recall, "dog")) == [DOG]
            await self.keep(other, said("My cat is called Ada."))
        assert texts(await self.find(recall, "dog cat")) == ["My cat is called Ada."]

    async def test_what_is_deleted_may_come_again(self, recall: RecallService) -> None:
        await self.keep(recall, said(DOG))
        await recall.delete(agent="support")
        assert texts(await self.find(recall, "dog")) == []
        assert (await self.keep(recall, said(DOG))).stored == 1
        assert texts(await self.find(recall, "dog")) == [DOG]

    async def test_a_deletion_takes_what_it_names_and_nothing_else(self, recall: RecallService) -> None:
        for user in ("maya", "sam"):
            for session in ("s1", "s2"):
                await self.keep(recall, said(DOG), user=user, session=session)
        await self.keep(recall, said(DOG), agent="sales")
        assert await recall.delete(agent="support", user_id="maya", session_id="s1") == 1
        assert await recall.delete(agent="support", ids=[]) == 0
        assert await recall.delete(agent="support", user_id="sam") == 2
        assert (await recall.stats(agent="support")).passages == 1
        assert (await recall.stats()).passages == 2

    async def test_an_erased_user_is_gone_with_every_agent(
        self, recall: RecallService, open_service: OpenService, embedder: WordsEmbedder
    ) -> None:
        for agent in ("support", "sales"):
            await self.keep(recall, said(DOG), agent=agent)
            await self.keep(recall, said(DOG), agent=agent, user="sam")
            await self.find(recall, "dog", agent=agent)
        async with open_service(embedder) as other:
            assert await other.erase_user("maya") == 2
            assert await other.erase_user("maya") == 0
        for agent in ("support", "sales"):
            assert texts(await self.find(recall, "hound dog", agent=agent)) == []
            assert texts(await self.find(recall, "dog", agent=agent, user="sam")) == [DOG]
        assert (await recall.stats()).users == 1

    async def test_more_than_a_page_is_deleted_and_found(self, recall: RecallService) -> None:
        await self.keep(recall, *(said(f"Number {number} of the dogs.", number) for number in range(1, 2_101)))
        assert len((await self.find(recall, "dogs", limit=100)).data) == 100
        assert await recall.delete(agent="support", user_id="maya") == 2_100
        assert texts(await self.find(recall, "dogs")) == []

    # ---- bad input

    @pytest.mark.parametrize("query", ["", " \n\t", "\u200b", "a\x00b", "\ud800"])
    async def test_what_is_no_query(self, recall: RecallService, query: str) -> None:
        with pytest.raises(errors.InvalidInput) as caught:
            await self.find(recall, query)
        assert caught.value.param == "query"

    @pytest.mark.parametrize("limit", [-1, 0, 101])
    async def test_what_is_no_limit(self, recall: RecallService, limit: int) -> None:
        with pytest.raises(errors.InvalidInput) as caught:
            await self.find(recall, "dog", limit=limit)
        assert caught.value.param == "limit"

    @pytest.mark.parametrize("bad", ["", " ", "a\nb", "\x00", "x" * 257])
    async def test_what_is_no_id(self, recall: RecallService, bad: str) -> None:
        for call in (
            self.find(recall, "dog", user=bad),
            self.keep(recall, said(DOG), user=bad),
            self.keep(recall, said(DOG), session=bad),
            recall.erase_user(bad),
            recall.delete(agent="support", user_id=bad),
        ):
            with pytest.raises(errors.InvalidInput):
                await call
        assert (await recall.stats()).passages == 0

    @pytest.mark.parametrize("text", ["x", "\U0001f98a", "!", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "用户"])
    async def test_the_shortest_messages(self, recall: RecallService, text: str) -> None:
        assert (await self.keep(recall, said(text))).stored == 1
        assert (await self.find(recall, text)).degraded == ()

    async def test_a_message_of_a_mebibyte(self, recall: RecallService) -> None:
        text = ("zebra lion tiger " * 61_681)[: 1_048_576 - 6] + "walrus"
        await self.keep(recall, said(text))
        (found,) = (await self.find(recall, "walrus")).data
        assert found.passage.text.endswith("walrus")
        for wrong in (text + "x", "", " ", "a\x00b", "\ud800"):
            with pytest.raises(errors.InvalidInput):
                said(wrong)

    @pytest.mark.parametrize(
        "query", ["?", "*", "AND", "NOT x", '"', "a:b -c", "' OR 1=1 --", "%_", "{", "zebra " * 4_000, "🦊", "`", "()"]
    )
    async def test_any_string_is_a_query(self, recall: RecallService, query: str) -> None:
        await self.keep(recall, said(DOG))
        assert (await self.find(recall, query)).degraded == ()
