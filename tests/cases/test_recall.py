"""What was said before is found, by its words and by its meaning, whatever it says and whoever fails."""

from collections.abc import AsyncIterator

import pytest

from looked_for import LOOKED_FOR, QUERIES
from stage import INVALID, Stage, code, open_stage
from wellkept.model.ids import SessionId
from wellkept.model.passages import Said
from wellkept.model.recall import Recalled, RecallFilter
from wellkept.model.text import has_visible
from wellkept.testing.recall_stage import said, texts
from wellkept.testing.words_embedder import WordsEmbedder

# Passages lie in one of two stores; where the blocks lie makes no difference.
pytestmark = pytest.mark.parametrize("place", ["inproc", "sqlite"], indirect=True)


@pytest.fixture
def embedder() -> WordsEmbedder:
    return WordsEmbedder()


@pytest.fixture
async def meaning(place: tuple[str, str | None], embedder: WordsEmbedder) -> AsyncIterator[Stage]:
    """A server that compares by meaning too."""
    async with open_stage(*place, embedder=embedder) as opened:
        yield opened


async def keep(stage: Stage, *messages: Said, user: str = "maya", session: str = "s1") -> None:
    await stage.client.passages.ingest(stage.agent, user_id=user, session_id=session, messages=messages)


async def recall(stage: Stage, query: str, user: str = "maya", limit: int = 20) -> Recalled:
    return await stage.client.passages.recall(stage.agent, query, user_id=user, limit=limit)


async def test_find_083_an_embedder_is_given_the_text_itself(meaning: Stage, embedder: WordsEmbedder) -> None:
    await keep(meaning, said("这是我的狗"))
    await recall(meaning, "你好")
    assert embedder.given == ["(1 January 2026) Maya: 这是我的狗", "你好"]


async def test_find_084_what_was_said_is_found_in_every_script(stage: Stage) -> None:
    for number, (text, query) in enumerate(LOOKED_FOR):
        if query == "helio":
            continue  # conversations are asked in whole words; the beginnings of words find memories
        await keep(stage, said(text, 1), said("an entirely different matter", 2), user=f"u{number}")
        assert texts(await recall(stage, query, user=f"u{number}"))[:1] == [text]


async def test_find_085_every_text_is_a_query_for_the_past(stage: Stage) -> None:
    await keep(stage, said("heliotrope accents for user@example.com, C++ and foo:bar"))
    for query in QUERIES:
        body = {"query": query, "userId": "maya"}
        answer = await stage.http.post(f"{stage.path}/recall", json=body)
        assert answer.status_code == (200 if has_visible(query) else 400), query
        assert (await stage.http.post(f"{stage.path}/turn/recall", json=body)).status_code == answer.status_code


async def test_find_087_what_words_find_is_found_whatever_its_vector_says(meaning: Stage) -> None:
    near = [said(f"My hound {number} sleeps.", number) for number in range(1, 61)]
    await keep(meaning, *near, said("ERR-4092-B " + "came up again with the printer and the third floor " * 7, 70))
    found = await recall(meaning, "which dog has 4092?", limit=5)
    assert any(text.startswith("ERR-4092-B") for text in texts(found))
    assert "My hound 1 sleeps." in texts(await recall(meaning, "dog", limit=100))


async def test_find_094_a_very_long_query_is_answered_by_its_rarest_words(stage: Stage) -> None:
    await keep(stage, said("the zebra is here", 1), *(said(f"word{n} and more", n + 2) for n in range(40)))
    query = " ".join([*(f"word{n % 40}" for n in range(4_000)), "zebra"])
    assert "the zebra is here" in texts(await recall(stage, query, limit=100))


async def test_loss_047_an_embedder_that_fails_is_said_and_replaced_by_none(
    meaning: Stage, embedder: WordsEmbedder
) -> None:
    await keep(meaning, said("My dog is called Rex."))
    embedder.down = True
    await keep(meaning, said("My cat is called Ada."), session="s2")
    answer = await recall(meaning, "what is my cat called?")
    assert (answer.degraded, texts(answer)[0]) == (("semantic",), "My cat is called Ada.")
    counts = await meaning.client.passages.stats(meaning.agent)
    assert (counts.passages, counts.vectors) == (2, {"words-1": 1})


async def test_loss_058_conditions_hold_before_anything_is_ranked(stage: Stage) -> None:
    await keep(stage, *(said("dog dog dog", number) for number in range(1, 30)))
    await keep(stage, said("one dog among much else", 1), said("another dog among much else", 2), session="s2")
    chosen = RecallFilter(sessions=(SessionId("s2"),))
    found = await stage.client.passages.recall(stage.agent, "dog", user_id="maya", limit=2, filter=chosen)
    assert sorted(texts(found)) == ["another dog among much else", "one dog among much else"]


async def test_iso_007_conversations_without_a_user_are_nobody_s(stage: Stage) -> None:
    await keep(stage, said("My PIN is 4411."))
    for body in ({"query": "PIN"}, {"query": "PIN", "userId": ""}, {"query": "PIN", "userId": " "}):
        answer = await stage.http.post(f"{stage.path}/recall", json=body)
        assert code(answer) == INVALID
    assert (await stage.client.turns.search_past(stage.agent, "PIN")).data == ()
    assert texts(await recall(stage, "PIN", user="maya1")) == []


async def test_gone_124_a_deleted_passage_is_in_no_count_and_no_search(stage: Stage) -> None:
    await keep(stage, said("My dog is called Rex."))
    (found,) = (await recall(stage, "dog")).data
    await stage.client.passages.delete(stage.agent, passage_id=found.passage.id, user_id="maya")
    assert texts(await recall(stage, "dog")) == []
    assert (await stage.client.passages.stats(stage.agent)).passages == 0
    assert (await stage.client.passages.list(stage.agent)).data == ()
