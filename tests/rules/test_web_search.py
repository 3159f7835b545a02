"""Mode `web` gives PostgreSQL's answers.

`websearch_simple.json` and `websearch_corners.json` were written by PostgreSQL
15.18 (UTF8, C.UTF-8): its vectors, its queries and what matches. The corners
walk through the states of the text parser (take away a rule of its table, and
a test turns red; only two rules end a hopeless reading early and change
nothing) and of the query grammar.
"""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellkept.rules.lexical import TsVector, to_tsvector, web_query
from wellkept.rules.lexical.classes import LETTER, MARK, OTHER, SPACE, kinds, lower
from wellkept.rules.lexical.parser import tokens
from wellkept.rules.lexical.vector import LAST_POSITION, MOST_POSITIONS

DATA = Path(__file__).parent / "data"


def data(name: str) -> dict[str, Any]:
    """What PostgreSQL said, from a file of ours."""
    found: dict[str, Any] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return found


SIMPLE = data("websearch_simple.json")
CORNERS = data("websearch_corners.json")
VECTORS = [to_tsvector(text) for text in SIMPLE["texts"]]

# Texts in which one reading after another begins and fails.
TIRING = [
    "a_", "a-", "a.", "a/", "/.", "1.", "a@", "a1@", "a.bc/", "<a ", "<!--", "<a '\"", "&a", "~/", "-a-1 ", "a-é-1-",
    "+1.2.3", "a_1.b-", "x@a_", "<script>", "or ", "or or ", '"', '"a" ', "-x ", "- ", "(", "a\u200b", "我", "'",
    "\x00",
]  # fmt: skip


@pytest.mark.parametrize("case", SIMPLE["queries"], ids=lambda case: repr(case["query"]))
def test_a_query_finds_what_postgres_finds(case: dict[str, Any]) -> None:
    query = web_query(case["query"])
    assert str(query) == case["tsquery"]
    assert [at for at, vector in enumerate(VECTORS) if query.matches(vector)] == case["matches"]


@pytest.mark.parametrize(("text", "expected"), [*zip(SIMPLE["texts"], SIMPLE["tsvectors"], strict=True)])
def test_a_text_has_the_vector_postgres_gives_it(text: str, expected: str) -> None:
    assert str(to_tsvector(text)) == expected


@pytest.mark.parametrize(("text", "expected"), CORNERS["texts"])
def test_a_corner_of_the_text_parser(text: str, expected: str) -> None:
    assert str(to_tsvector(text)) == expected


@pytest.mark.parametrize(("query", "expected"), CORNERS["queries"])
def test_a_corner_of_the_query_grammar(query: str, expected: str) -> None:
    assert str(web_query(query)) == expected


@pytest.mark.parametrize(("text", "expected"), CORNERS["tokens"])
def test_a_text_has_the_tokens_postgres_finds(text: str, expected: list[list[str]]) -> None:
    assert [[token.type, text[token.start : token.end]] for token in tokens(text)] == expected


def test_every_type_of_token_is_met() -> None:
    assert len({kind for _, found in CORNERS["tokens"] for kind, _ in found}) == 23


def test_tokens_cover_their_text() -> None:
    text = "See <b>a.bc</b>: 1-2, naïve words, 50% & more…"
    assert "".join(text[token.start : token.end] for token in tokens(text)) == text


@pytest.mark.parametrize(
    ("character", "kind"),
    [
        *[(letter, LETTER) for letter in "é色٣я"],
        *[(other, OTHER) for other in "\u00a0\u200b😀\U0010ffff\ud800"],
        ("\u0301", MARK),
        ("\u3000", SPACE),
        ("a", ord("a")),
    ],
)
def test_a_character_has_the_kind_postgres_gives_it(character: str, kind: int) -> None:
    assert list(kinds(character + "é")) == [kind, LETTER]


def test_lower_case_is_made_character_by_character() -> None:
    assert lower("İΣΑΣ") == "iσασ"


def test_positions_end() -> None:
    vector = to_tsvector("a " * (LAST_POSITION - 2) + "y z y w")
    assert len(vector.positions("a")) == MOST_POSITIONS
    assert vector.positions("y") == (LAST_POSITION - 1, LAST_POSITION)
    assert vector.positions("w") == (LAST_POSITION,)
    assert not web_query('"z w"').matches(vector)
    assert web_query('"y z"').matches(vector)
    assert vector.positions("missing") == ()
    assert to_tsvector("a " * LAST_POSITION + "w w w").positions("w") == (LAST_POSITION,)


@pytest.mark.parametrize(
    ("word", "kept"), [("w" * 2046, True), ("w" * 2047, False), ("é" * 1023, True), ("é" * 1024, False)]
)
def test_a_word_too_long_takes_no_position(word: str, kept: bool) -> None:
    vector = to_tsvector(f"a {word} b")
    assert (word in vector) is kept
    assert vector.positions("b") == ((3,) if kept else (2,))


@pytest.mark.parametrize(
    ("query", "only"),
    [
        *[(query, True) for query in ("-cat", "-cat -dog", '-"the cat"', "-a or -b", "- cat", "-5")],
        *[(query, False) for query in ("cat -dog", "--cat", "", "!!!", "a or -b", "-!!!")],
    ],
)
def test_a_query_knows_whether_it_only_excludes(query: str, only: bool) -> None:
    assert web_query(query).only_negations is only


@pytest.mark.parametrize("query", ["", " ", "!!!", '""', "-", "- -", "😀", "-!!!"])
def test_an_empty_query_matches_nothing(query: str) -> None:
    assert web_query(query).empty
    assert not any(web_query(query).matches(vector) for vector in VECTORS)


def test_more_signs_than_postgres_takes_are_still_counted() -> None:
    vector = to_tsvector("cat")
    assert web_query("-" * 100 + "cat").matches(vector)
    assert not web_query("-" * 101 + "cat").matches(vector)


@pytest.mark.parametrize("unit", TIRING)
def test_no_text_takes_long(unit: str) -> None:
    text = (unit * 20_000)[:20_000]
    begun = time.process_time()
    web_query(text).matches(to_tsvector(text))
    assert time.process_time() - begun < 3


def test_time_grows_with_length_alone() -> None:
    def spent(text: str) -> float:
        begun = time.process_time()
        to_tsvector(text)
        return time.process_time() - begun

    for unit in ("a_", "<!--", "a1@", "/."):
        assert spent(unit * 20_000) < 40 * max(spent(unit * 2_000), 0.002)


TEXTS = st.text(
    st.one_of(st.characters(), st.sampled_from("ab1 .-_@:/<>&;\"'!|()+~éИ色\u0301\u200b\ud800")), max_size=60
)


@given(TEXTS, TEXTS)
def test_any_text_and_any_query_are_answered(text: str, query: str) -> None:
    vector, asked = to_tsvector(text), web_query(query)
    assert asked.matches(vector) in (True, False)
    assert str(asked) == str(web_query(query))
    assert asked.empty == (str(asked) == "")


@given(TEXTS)
def test_a_vector_is_read_back_as_it_was_written(text: str) -> None:
    vector = to_tsvector(text)
    again = TsVector.decode(vector.encode())
    assert again == vector
    assert hash(again) == hash(vector)
    assert list(again) == sorted(vector)
    assert len(again) == len(list(vector))


@given(TEXTS)
def test_tokens_stand_side_by_side(text: str) -> None:
    at = 0
    for token in tokens(text):
        assert token.start <= token.end <= len(text)
        assert token.start <= at
        at = max(at, token.end)
    assert at == len(text)


@given(TEXTS)
def test_a_quoted_text_finds_itself(text: str) -> None:
    query = web_query('"' + text.replace('"', " ") + '"')
    assert query.empty or query.matches(to_tsvector(text.replace('"', " ")))


def test_the_spelling_in_a_column_does_not_change() -> None:
    spelt = "/x:1 9 a.bc 8 a.bc/x:1 7 at 6 cat 2,5 sat 3 the 1,4"
    assert to_tsvector("The cat sat; the CAT at a.bc/x:1").encode() == spelt
