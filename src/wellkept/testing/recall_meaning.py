"""What is found in which order, by words and by meaning, and what is said when only words could be asked."""

import asyncio

import pytest

from wellkept.model.recall import Recalled
from wellkept.testing.recall_stage import OpenService, RecallService, RecallStage, said, texts
from wellkept.testing.words_embedder import WordsEmbedder

DOG = "My dog is called Rex."
TALK = [
    said(text, number, speaker="Maya" if number % 2 else "Sam")
    for number, text in enumerate(
        [
            "Where did you buy the telescope?",
            "In Lyon, from a man with a beard.",
            "And what did the automobile cost?",
            "More than I had. The hound hated it.",
            "My dog is called Rex.",
            "Rex is a fine name for a dog.",
            "любимый цвет — синий",
            "我喜欢紫色",
            "저는 민수입니다",
            "A café in Lyon sells the best tea; ask for ERR-4092-B.",
            "Tea, tea, and again tea.",
            "The telescope broke. " * 60,
            "🦊",
            "I will move to Porto in May.",
            "Porto is far from Lyon.",
        ],
        start=1,
    )
]
QUERIES = [
    "what is the dog called?",
    "hound",
    "Where was the telescope bought?",
    "what did Sam say about Rex?",
    "tea in Lyon",
    "4092",
    "紫色",
    "민수",
    "синий",
    "cafe",
    "vehicle",
    "nothing of this",
]


class RecallMeaningContract(RecallStage):
    """Order, meaning, and what becomes of both when an embedder fails or is changed."""

    @pytest.mark.parametrize("meaning", [True, False], ids=["with meaning", "words alone"])
    async def test_the_order_is_the_same_everywhere(
        self, open_service: OpenService, yardstick: OpenService, meaning: bool
    ) -> None:
        answers: list[list[Recalled]] = []
        for place in (open_service, yardstick):
            async with place(WordsEmbedder() if meaning else None) as recall:
                await self.keep(recall, *TALK[:8])
                await self.keep(recall, *TALK[8:], session="s2")
                await self.keep(recall, said(DOG, 5, id="x"), user="sam")
                answers.append([await self.find(recall, query, limit=20) for query in QUERIES])
        assert answers[0] == answers[1]
        assert sum(len(answer.data) for answer in answers[0]) > len(QUERIES)

    async def test_equals_go_by_id(self, recall: RecallService) -> None:
        await self.keep(recall, *(said(DOG, 1, id=f"m{n}") for n in range(1)))
        for session in ("s2", "s3", "s4"):
            await self.keep(recall, said(DOG, 1), session=session)
        found = (await self.find(recall, "dog")).data
        assert len({one.score for one in found}) == 1
        assert [one.passage.id for one in found] == sorted(one.passage.id for one in found)

    async def test_every_score_says_what_it_is_made_of(self, recall: RecallService) -> None:
        await self.keep(recall, *TALK)
        found = (await self.find(recall, "what is the dog called?")).data
        assert all(one.parts for one in found)
        assert found[0].passage.text == DOG
        assert found[0].score >= found[-1].score

    async def test_meaning_finds_what_words_do_not(self, recall: RecallService, open_service: OpenService) -> None:
        for session, text in (("s1", DOG), ("s2", "The sky is grey."), ("s3", "I will move to Porto in May.")):
            await self.keep(recall, said(text), session=session)
        assert texts(await self.find(recall, "hound"))[0] == DOG
        async with open_service(None) as words:
            assert texts(await self.find(words, "hound")) == []

    async def test_an_answer_is_found_by_its_question(self, open_service: OpenService) -> None:
        question, answer = TALK[:2]
        async with open_service(None) as words:
            await self.keep(words, question, answer)
            await self.keep(words, said("In May, from a friend."), session="s2")
            found = await self.find(words, "where was the telescope bought?")
            assert texts(found) == [question.text, answer.text]
            await words.delete(agent="support", user_id="maya", ids=[found.data[0].passage.id])
            assert texts(await self.find(words, "where was the telescope bought?")) == []

    # ---- when only words can be asked

    async def test_without_an_embedder_words_answer(self, open_service: OpenService) -> None:
        async with open_service(None) as recall:
            await self.keep(recall, *TALK)
            found = await self.find(recall, "what is the dog called?")
            assert (found.degraded, found.data[0].passage.text) == (("semantic",), DOG)

    async def test_an_embedder_that_is_down_loses_nothing(self, recall: RecallService, embedder: WordsEmbedder) -> None:
        embedder.down = True
        assert (await self.keep(recall, *TALK)).stored >= len(TALK)
        found = await self.find(recall, "what is the dog called?")
        assert (found.degraded, found.data[0].passage.text) == (("semantic",), DOG)
        assert not await recall.settled()
        embedder.down = False
        assert (await self.find(recall, "dog")).degraded == ("semantic",)  # no passage has a vector yet
        assert await recall.settled()
        found = await self.find(recall, "hound")
        assert found.degraded == ()
        assert DOG in texts(found)

    async def test_what_has_no_vector_is_found_as_well_by_words(
        self, recall: RecallService, embedder: WordsEmbedder
    ) -> None:
        await self.keep(recall, *TALK[5:])
        embedder.down = True
        await self.keep(recall, said("The zebra is called Ada.", 30))
        embedder.down = False
        found = await self.find(recall, "what is the zebra called?")
        assert (found.degraded, found.data[0].passage.text) == (("semantic",), "The zebra is called Ada.")

    async def test_an_embedder_that_never_answers_is_not_waited_for(
        self, recall: RecallService, embedder: WordsEmbedder
    ) -> None:
        await self.keep(recall, *TALK)
        embedder.slow = True
        async with asyncio.timeout(30):
            found = await self.find(recall, "what is the dog called?")
        assert (found.degraded, found.data[0].passage.text) == (("semantic",), DOG)

    async def test_another_embedder_hides_nothing_and_takes_no_other_s_place(
        self, recall: RecallService, open_service: OpenService
    ) -> None:
        await self.keep(recall, *TALK)
        passages = (await recall.stats()).passages
        async with open_service(WordsEmbedder("words-2", 96)) as other:
            found = await self.find(other, "what is the dog called?")
            assert (found.degraded, found.data[0].passage.text) == (("semantic",), DOG)
            await self.keep(other, said("The zebra is called Ada.", 30))
            assert (await other.stats()).vectors == {"words-1": passages, "words-2": 1}
        found = await self.find(recall, "zebra")
        assert (found.degraded, found.data[0].passage.text) == (("semantic",), "The zebra is called Ada.")
        assert DOG in texts(await self.find(recall, "hound"))
