"""How much fits, and where a text is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellkept.rules.budget import Fitted, count_words, fit, fit_all

LOOSE = 10**9


@pytest.mark.parametrize(
    ("text", "words", "chars", "kept"),
    [
        ("one two three", 3, 13, "one two three"),
        ("one two three", 2, LOOSE, "one two"),
        ("one two three", LOOSE, 9, "one two"),
        ("one two three", LOOSE, 7, "one two"),
        ("one two three", LOOSE, 8, "one two"),
        ("one\n two", 1, LOOSE, "one"),
        ("  one two", 1, LOOSE, "  one"),
        ("one two  ", 2, LOOSE, "one two  "),
        ("紫色" * 5, LOOSE, 3, "紫色紫"),
        ("cafe\u0301s", LOOSE, 4, "caf"),
        ("👨\u200d👩\u200d👧 x", LOOSE, 2, None),
        ("one two", 0, LOOSE, None),
        ("one two", LOOSE, 0, None),
    ],
)
def test_a_text_is_cut_after_a_word(text: str, words: int, chars: int, kept: str | None) -> None:
    fitted = fit(text, words=words, chars=chars)
    assert fitted == (None if kept is None else Fitted(kept, kept != text, count_words(kept)))


@given(st.text(st.sampled_from("ab \n\u0301紫")), st.integers(0, 9), st.integers(0, 9))
def test_what_is_kept_is_a_beginning_within_bounds(text: str, words: int, chars: int) -> None:
    fitted = fit(text, words=words, chars=chars)
    if fitted is not None:
        assert text.startswith(fitted.text)
        assert fitted.words == count_words(fitted.text) <= words
        assert len(fitted.text) <= chars
        assert fitted.cut == (fitted.text != text)


def test_only_the_last_text_is_cut_and_none_comes_after_it() -> None:
    assert fit_all(["a b", "c d e", "f"], words=4, chars=LOOSE) == [Fitted("a b", False, 2), Fitted("c d", True, 2)]
    assert fit_all(["a b", "c d", "f"], words=4, chars=LOOSE) == [Fitted("a b", False, 2), Fitted("c d", False, 2)]
    assert fit_all(["a b", "c"], words=0, chars=LOOSE) == []
    assert fit_all(["abc", "d"], words=9, chars=3) == [Fitted("abc", False, 1)]
