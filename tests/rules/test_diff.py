"""Differences between texts, from which both can be told."""

from hypothesis import given
from hypothesis import strategies as st

from wellkept.rules.diff import unified

TEXTS = st.lists(st.sampled_from(["tea", "wine", "\r", "\u2028", ""])).map("\n".join)


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_from_a_whole_diff(before: str, after: str) -> None:
    told = unified(before, after, names=("old", "new"), context=1000)
    assert (told == "") is (before == after)
    if told:
        assert told.endswith("\n")
        assert _side(told, "-") == before
        assert _side(told, "+") == after


def test_a_diff_shows_a_few_lines_around_a_change() -> None:
    before = "".join(f"{number}\n" for number in range(20))
    told = unified(before, before.replace("10\n", "ten\n"), names=("old", "new"))
    assert told.splitlines()[3:] == [" 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13"]


def _side(told: str, sign: str) -> str:
    """Put the lines of one side together again."""
    text = ""
    ours = False
    for line in told.split("\n")[3:-1]:
        if line.startswith("\\"):
            text = text[:-1] if ours else text
            continue
        ours = line[:1] in (" ", sign)
        text += f"{line[1:]}\n" if ours else ""
    return text
