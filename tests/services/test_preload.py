"""What of the found goes into a prompt."""

import pytest

from wellkept.model.passages import Passage
from wellkept.model.recall import PassageFound, RecallSettings
from wellkept.rules.render import render, render_passage
from wellkept.services.preload import preloaded
from wellkept.testing.samples import a_passage


def found(*texts: str, score: float = 1.0) -> list[PassageFound]:
    return [PassageFound(passage=a_passage(n, text), score=score) for n, text in enumerate(texts, 1)]


def length(passages: list[Passage]) -> int:
    """What passages take in a prompt: headings, marks, and the blank lines before them."""
    shown = preloaded([PassageFound(passage=one, score=1.0) for one in passages], RecallSettings(tokens=100_000)).shown
    return sum(len(render_passage(one)) + 2 for one in shown)


def test_as_many_go_in_as_there_is_room_for() -> None:
    all_found = found("one " * 30, "two " * 30, "three " * 30)
    both = length([one.passage for one in all_found[:2]])
    for spare, fits in ((0, 2), (-4, 1)):
        chosen = preloaded(all_found, RecallSettings(tokens=both // 4 + 1 + spare))
        assert [one.id for one in chosen.shown] == [one.passage.id for one in all_found[:fits]]
        assert [one.id for one in chosen.left_out] == [one.passage.id for one in all_found[fits:]]


def test_a_shorter_one_goes_in_behind_one_that_does_not_fit() -> None:
    chosen = preloaded(found("one", "two " * 200, "three"), RecallSettings(tokens=50))
    assert [one.text for one in chosen.shown] == ["one", "three"]
    assert len(chosen.left_out) == 1


@pytest.mark.parametrize("text", ["word " * 400, "用" * 2_000, "a\n" * 900, "<|x|>" * 400])
def test_the_best_is_cut_rather_than_left_out(text: str) -> None:
    chosen = preloaded(found(text), RecallSettings(tokens=100))
    (shown,) = chosen.shown
    assert shown.cut
    assert 0 < len(shown.text) < len(text)
    assert text.startswith(shown.text)
    assert len(render_passage(shown)) <= 400


def test_where_nothing_fits_nothing_goes_in() -> None:
    for tokens in (0, 5):
        chosen = preloaded(found("one", "two"), RecallSettings(tokens=tokens))
        assert (chosen.shown, len(chosen.left_out)) == ((), 2)


def test_the_whole_section_stays_within_its_tokens() -> None:
    chosen = preloaded(found(*("word " * n for n in range(20, 60))), RecallSettings(limit=50, tokens=300))
    section = render([], [], chosen.shown, directive="")
    assert len(section.partition("###")[2]) <= 1_200


def test_what_scores_below_the_threshold_is_not_looked_at() -> None:
    some = [*found("one", score=0.6), *found("two", score=0.5), *found("three", score=0.4)]
    chosen = preloaded(some, RecallSettings(threshold=0.5))
    assert [one.text for one in chosen.shown] == ["one", "two"]
    assert chosen.left_out == ()


def test_no_more_than_the_limit_are_looked_at() -> None:
    assert len(preloaded(found(*"abcde"), RecallSettings(limit=3)).shown) == 3
