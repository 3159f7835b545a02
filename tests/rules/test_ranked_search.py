"""Mode `ranked` finds a memory by what people type.

`ranked.json` holds one pool of memories in many languages. Each case is a
query and the row that must be among the first three.
"""

import json
import time
from math import log, log2
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellkept.rules.lexical import web_query
from wellkept.rules.rank import MOST_TERMS, PARTS, Ranked, RankTokens, rank, rank_tokens

POOL: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "ranked.json").read_text(encoding="utf-8"))
TEXTS: list[str] = POOL["rows"]
ROWS = [rank_tokens(text) for text in TEXTS]


def found(query: str, texts: list[str], limit: int = 10) -> list[str]:
    """The texts that a query finds, best first."""
    return [texts[one.index] for one in rank(query, [rank_tokens(text) for text in texts], limit=limit)]


def parts(query: str, text: str, *others: str) -> set[str]:
    """What the score of the first text is made of."""
    told = rank(query, [rank_tokens(one) for one in (text, *others)], limit=10)
    return {part for one in told if one.index == 0 for part in one.parts}


@pytest.mark.parametrize("case", POOL["cases"], ids=lambda case: f"{case['language']}: {case['query']}")
def test_a_memory_is_among_the_first_three(case: dict[str, str]) -> None:
    assert case["finds"] in [TEXTS[one.index] for one in rank(case["query"], ROWS, limit=3)]


def test_the_pool_is_worth_searching() -> None:
    wanted = {case["finds"] for case in POOL["cases"]}
    assert len({case["language"] for case in POOL["cases"]}) >= 12
    assert len(POOL["cases"]) >= 80
    assert len([text for text in TEXTS if text not in wanted]) >= 80


@pytest.mark.parametrize("query", POOL["nothing"])
def test_nothing_is_found_where_nothing_matches(query: str) -> None:
    assert rank(query, ROWS, limit=10) == []


@pytest.mark.parametrize(
    ("query", "text", "part"),
    [
        ("café", "Le café noir", "exact"),
        ("CAFÉ", "Le café noir", "exact"),
        ("cafe\u0301", "Le café noir", "exact"),
        ("cafe", "Le café noir", "folded"),
        ("strasse", "Lange Straße", "folded"),
        ("елка", "Ёлка на балконе", "folded"),
        ("قهوه", "يحب القهوة", "folded"),
        ("שלום", "שָׁלוֹם", "folded"),
        ("run", "runs", "stem"),
        ("run", "running", "stem"),
        ("cherries", "a cherry", "stem"),
        ("allergies", "allergic to nuts", "stem"),
        ("helio", "heliotrope accents", "prefix"),
        ("4092", "ERR-4092-B", "exact"),
        ("4092", "ERR4092B", "exact"),
        ("local", "/usr/local/bin/app.py", "exact"),
        ("app.py", "/usr/local/bin/app.py", "exact"),
        ("3584012345", "call +358-40-12345", "exact"),
        ("dont", "don't call", "exact"),
        ("name", "getUserName", "exact"),
        ("example", "user@example.com", "exact"),
        ("full", "ＦＵＬＬ ｗｉｄｔｈ", "exact"),
        ("紫色", "我喜欢紫色", "substring"),
        ("紫", "我喜欢紫色", "substring"),
        ("민수", "제 이름은 민수입니다", "substring"),
        ("red car", "the red car", "phrase"),
        ("the car", "the red car", "common"),
    ],
)
def test_evidence_has_a_name(query: str, text: str, part: str) -> None:
    assert part in parts(query, text, "something else")


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("café", "café", "cafe"),
        ("cafe", "cafe", "café"),
        ("résumé", "résumé", "resume"),
        ("run", "I run", "he runs"),
        ("helio", "helio film", "heliotrope film"),
        ("heliot", "heliotr", "heliotropically"),
        ("ERR-4092-B", "see ERR-4092-B", "see 4092 and b and err"),
        ("red car", "a red car", "a car, red"),
        ("紫色", "紫色", "我紫很色"),
        ("C++", "C++ code", "C code"),
        ("blue whale", "blue whale", "blue sky"),
        ("tea", "likes tea", "likes tea " + "and long walks through the old town " * 20),
    ],
)
def test_better_evidence_comes_first(query: str, better: str, worse: str) -> None:
    assert found(query, [worse, better])[0] == better


def test_a_rare_word_counts_for_more_than_a_frequent_one() -> None:
    texts = ["likes green tea", "likes green hats", "likes green cars", "owns a theremin"]
    assert found("green theremin", texts)[0] == "owns a theremin"


def test_common_words_find_nothing_beside_a_word_that_counts() -> None:
    assert found("what is the theremin", ["what is the time", "the theremin"]) == ["the theremin"]


def test_common_words_alone_are_looked_for() -> None:
    assert found("who is it", ["who is it", "green tea"]) == ["who is it"]


def test_words_that_only_begin_alike_are_not_related() -> None:
    assert found("contract", ["a contrast"]) == []
    assert found("internet", ["internal"]) == []
    assert found("4092", ["4093", "40921"]) == []


def test_signs_that_say_little_find_nothing() -> None:
    assert found("我的生日", ["我的书", "生日快乐"]) == ["生日快乐"]


def test_idf_is_that_of_bm25() -> None:
    (one,) = rank("tea", [rank_tokens("tea"), rank_tokens("cup"), rank_tokens("pot")], limit=3)
    divisor = 1 + 0.1 * log2(1 + len(rank_tokens("tea").folded) / 96)
    assert one.score == pytest.approx(log(1 + 2.5 / 1.5) / divisor)


def test_the_callers_order_breaks_ties() -> None:
    told = rank("tea", [rank_tokens("green tea"), rank_tokens("black tea"), rank_tokens("white tea")], limit=10)
    assert [one.index for one in told] == [0, 1, 2]
    assert len({one.score for one in told}) == 1


def test_a_minus_means_nothing_beside_a_word() -> None:
    assert found("tea -green", ["green tea", "coffee"]) == ["green tea"]


def test_a_score_is_the_sum_of_its_parts() -> None:
    for case in POOL["cases"]:
        for one in rank(case["query"], ROWS, limit=5):
            assert one.score == pytest.approx(sum(one.parts.values()), abs=1e-6)
            assert one.score > 0
            assert one.parts.keys() <= PARTS.keys()


@pytest.mark.parametrize("limit", [0, -1, 1, 3, 1000])
def test_a_limit_cuts_the_same_order(limit: int) -> None:
    every = rank("the dog and the cat like tea in the morning", ROWS, limit=len(ROWS))
    assert rank("the dog and the cat like tea in the morning", ROWS, limit=limit) == every[: max(limit, 0)]


def test_no_rows_no_answer() -> None:
    assert rank("tea", [], limit=10) == []


def test_of_a_long_query_the_rarest_terms_are_kept() -> None:
    texts = [f"word{at % 200} filler text" for at in range(400)] + ["owns a theremin"]
    query = " ".join(f"word{at}" for at in range(3_999)) + " theremin"
    rows = [rank_tokens(text) for text in texts]
    begun = time.process_time()
    told = rank(query, rows, limit=5)
    assert time.process_time() - begun < 2
    assert told[0] == Ranked(400, told[0].score, told[0].parts)
    assert len(query.split()) > MOST_TERMS


@pytest.mark.parametrize("unit", ["a", "aB1", "我喜", "a'", "a.b@", "ก", "민", "-", "'", "أ", "é ", "x1y2", "\u200d"])
def test_no_query_and_no_text_take_long(unit: str) -> None:
    text = unit * (20_000 // len(unit))
    begun = time.process_time()
    rank(text, [rank_tokens(text), *ROWS], limit=5)
    assert time.process_time() - begun < 3


ANY = st.text(
    st.one_of(st.characters(), st.sampled_from("ab1 '-@.C+#éß色きカ민กا ـ\u0301\u200d\ud800|\n")), max_size=40
)


@given(ANY, st.lists(ANY, max_size=5))
def test_any_query_is_answered_the_same_twice(query: str, texts: list[str]) -> None:
    rows = [rank_tokens(text) for text in texts]
    told = rank(query, rows, limit=10)
    assert told == rank(query, rows, limit=10)
    assert told == rank(query, [RankTokens.decode(row.encode()) for row in rows], limit=10)


@given(ANY)
def test_a_text_finds_itself(text: str) -> None:
    row = rank_tokens(text)
    has_words = bool(row.folded.replace("|", "").strip())
    assert bool(rank(text, [row], limit=1)) == (has_words and not web_query(text).only_negations)


def test_the_spelling_in_a_column_does_not_change() -> None:
    assert rank_tokens("See app.py, don't RUN").encode() == " see app py don t run | app.py dont "
    assert rank_tokens("Café").encode() == " café | \n cafe | "
