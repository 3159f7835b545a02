"""The index: what it finds, and that it is the same index however it came about."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spoken_passages import START, spoken_passages, vector
from wellkept.model.ids import SessionId
from wellkept.model.passages import StoredPassage
from wellkept.model.recall import RecallFilter
from wellkept.rules.recall.index import Asked, Hit, Index
from wellkept.rules.recall.weights import MOST_TERMS

WORDS = ["ann", "ben", "cat", "dog", "garden", "gardens", "piano", "recital", "the", "May", "海で泳ぐ", "книгу"]


def index(*rows: StoredPassage, fast: bool = True) -> Index:
    made = Index(fast=fast)
    made.apply(rows, ())
    return made


def texts(hits: list[Hit], *rows: StoredPassage) -> list[str]:
    told = {row.passage.id: row.passage.text for row in rows}
    return [told[hit.id] for hit in hits]


def told(hits: list[Hit]) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in hits]


def talk(*lines: str, numbers: list[list[float]] | None = None) -> list[StoredPassage]:
    return [
        row
        for at, line in enumerate(lines)
        for row in spoken_passages(
            line.partition(": ")[2], number=at, speaker=line.partition(": ")[0], numbers=numbers and numbers[at]
        )
    ]


CHAT = (
    "Ann: Which instrument do you play?",
    "Ben: The cello, since I was nine.",
    "Ann: I planted tomatoes in the garden.",
    "Ben: Nice weather for it.",
    "Ann: My recital is in June.",
)


@pytest.mark.parametrize("fast", [True, False])
def test_the_answer_is_found_by_the_question_before_it(fast: bool) -> None:
    rows = talk(*CHAT)
    found = texts(index(*rows, fast=fast).search(Asked(text="Which instrument is it?")), *rows)
    assert found[:2] == ["Which instrument do you play?", "The cello, since I was nine."]


@pytest.mark.parametrize("fast", [True, False])
def test_who_is_named_is_preferred(fast: bool) -> None:
    rows = talk("Ann: I went to the lake.", "Ben: I went to the lake.", "Cat: I went to the lake.")
    (first, *_) = index(*rows, fast=fast).search(Asked(text="When did Ben go to the lake?"))
    assert first.id == rows[1].passage.id
    assert first.parts["speaker"] > 0


def test_a_role_is_no_name() -> None:
    rows = talk("user: hello there", "assistant: the user table has a key")
    hits = index(*rows).search(Asked(text="user table"))
    assert texts(hits, *rows)[0] == "the user table has a key"
    assert {hit.parts["speaker"] for hit in hits} == {0.0}


@pytest.mark.parametrize("fast", [True, False])
def test_a_deleted_message_is_no_context_any_more(fast: bool) -> None:
    rows = talk(*CHAT)
    made = index(*rows, fast=fast)
    made.apply((), [rows[0].passage.id])
    assert made.search(Asked(text="instrument")) == []
    assert told(made.search(Asked(text="cello"))) == told(index(*rows[1:], fast=fast).search(Asked(text="cello")))


def test_a_filter_holds_before_anything_is_ranked_or_cut() -> None:
    rows = [row for at in range(300) for row in spoken_passages("the same words", number=at, session=f"s{at % 3}")]
    hidden = spoken_passages("the same words, and many more besides them", number=301, session="other")
    made = index(*rows, *hidden)
    only = RecallFilter(sessions=(SessionId("other"),))
    assert [hit.id for hit in made.search(Asked(text="same words", limit=1, filter=only))] == [hidden[0].passage.id]
    late = RecallFilter(since=START + timedelta(minutes=299))
    assert len(made.search(Asked(text="same words", limit=50, filter=late))) == 2


def test_one_message_is_found_once_by_its_best_piece() -> None:
    long = "We talked about the weather for a while. " * 30 + "The piano recital was moved. " * 8
    rows = spoken_passages(long)
    assert len(rows) > 2
    (hit,) = index(*rows).search(Asked(text="piano recital"))
    assert hit.id == rows[-1].passage.id


def test_a_passage_without_a_vector_is_found_by_its_words_as_if_no_other_had_one() -> None:
    rows = talk(*CHAT, numbers=[[1, 0], [0.9, 0.1], [0, 1], [0.5, 0.5], [0.7, 0.3]])
    bare = spoken_passages("The piano stands upstairs.", number=9, speaker="Ben")
    made = index(*rows, *bare)
    assert made.without_vector == 1
    (first, *_) = made.search(Asked(text="where is the piano", vector=vector([0.0, 1.0])))
    assert first.id == bare[0].passage.id


def test_meaning_finds_what_no_word_does() -> None:
    rows = talk(*CHAT, numbers=[[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9], [0.7, 0.3]])
    found = index(*rows).search(Asked(text="vegetables", vector=vector([0.0, 1.0]), limit=2))
    assert rows[2].passage.id in {hit.id for hit in found}
    assert all(hit.parts["words"] == 0 for hit in found)


def test_vectors_of_another_size_are_not_compared() -> None:
    rows = [
        *talk("Ann: one cat", numbers=[[1.0, 0.0]]),
        *spoken_passages("two cats", number=5, numbers=[1.0, 0.0, 0.0]),
    ]
    made = index(*rows)
    assert made.without_vector == 1
    assert len(made.search(Asked(text="cats", vector=vector([1.0, 0.0, 0.0, 0.0])))) == 2


def test_the_parts_add_up_to_the_score() -> None:
    rows = talk(*CHAT, numbers=[[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9], [0.7, 0.3]])
    hits = index(*rows).search(Asked(text="What instrument does Ben play?", vector=vector([1.0, 0.2])))
    assert len(hits) == 5
    for hit in hits:
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-5)
        assert 0 <= hit.score <= 1


def test_ties_are_broken_by_id() -> None:
    rows = [row for at in range(20) for row in spoken_passages("word", number=at, session=f"s{at}")]
    forth = [hit.id for hit in index(*rows).search(Asked(text="word", limit=20))]
    assert forth == sorted(forth) == [hit.id for hit in index(*rows[::-1]).search(Asked(text="word", limit=20))]


def test_of_a_long_query_the_rare_terms_are_kept() -> None:
    crowd = [f"filler{at}" for at in range(3 * MOST_TERMS)]
    rows = talk(*(f"Ann: {' '.join(crowd)}" for _ in range(3)), "Ann: the heliotrope bloomed")
    hits = {hit.id: hit for hit in index(*rows).search(Asked(text=" ".join([*crowd, "heliotrope"])))}
    assert hits[rows[-1].passage.id].parts["words"] > 0


@pytest.mark.parametrize("query", ["", "   ", "…", "the of and", "x" * 60_000, "a " * 40_000, "\"(*:^-'", "🙂"])
def test_any_string_is_a_query(query: str) -> None:
    rows = talk(*CHAT)
    for fast in (True, False):
        assert len(index(*rows, fast=fast).search(Asked(text=query))) <= 5


def test_without_passages_nothing_is_found() -> None:
    assert Index().search(Asked(text="x", vector=vector([1.0]))) == []
    assert Index(fast=False).search(Asked(text="x")) == []


line = st.tuples(
    st.integers(0, 11), st.sampled_from(["s1", "s2"]), st.sampled_from(["Ann", "Ben"]),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.tuples(line, st.booleans()), max_size=25), query=st.lists(st.sampled_from(WORDS), min_size=1))
def test_an_index_is_the_same_however_it_came_about(
    steps: list[tuple[tuple[int, str, str, str], bool]], query: list[str]
) -> None:
    kept: dict[str, StoredPassage] = {}
    grown, plain = Index(), Index(fast=False)
    for (number, session, speaker, text), gone in steps:
        numbers = [1.0 + len(text), 1.0 + number] if number % 3 else None
        (row,) = spoken_passages(text, number=number, session=session, speaker=speaker, numbers=numbers)
        removed = [row.passage.id] if gone else []
        kept[row.passage.id] = row
        if gone:
            del kept[row.passage.id]
        grown.apply([row], removed)
        plain.apply([row], removed)
    asked = Asked(text=" ".join(query), limit=50)
    fresh = index(*kept.values())
    assert len(grown) == len(kept)
    assert grown.without_vector == fresh.without_vector
    assert grown.search(asked) == fresh.search(asked) == plain.search(asked)
    meant = Asked(text=asked.text, limit=50, vector=vector([1.0, 2.0]))
    assert told(grown.search(meant)) == told(fresh.search(meant))
