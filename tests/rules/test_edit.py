"""Edits of a block: byte for byte, one entry at a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellkept.model.edits import Add, Remove, Replace, Write
from wellkept.model.errors import EntryAmbiguous, EntryNotFound, InvalidInput, OverLimit
from wellkept.rules.edit import MAX_CANDIDATES, apply
from wellkept.rules.entries import entries

TEXT = "Name: Al\n§\nPlan: Pro\n§\nCity: Köln"


def edited(edit: Add | Replace | Remove | Write, text: str, *, limit: int = 1_000, template: str = "") -> str:
    return apply(edit, text, limit=limit, template=template)


@pytest.mark.parametrize(
    ("edit", "before", "after"),
    [
        (Add("b"), "", "b"),
        (Add("b"), "a", "a\n§\nb"),
        (Add("  b \n"), "a", "a\n§\n  b \n"),
        (Add("b"), "a\n§\n", "a\n§\nb"),
        (Add("b"), "a\n§", "a\n§\nb"),
        (Replace("new"), "a\n§\nb", "new"),
        (Replace("Name: Bo", "Name"), TEXT, "Name: Bo\n§\nPlan: Pro\n§\nCity: Köln"),
        (Replace("a\\1\\g<0>", "Pro"), "Plan: Pro", "a\\1\\g<0>"),
        (Remove("Al"), TEXT, "Plan: Pro\n§\nCity: Köln"),
        (Remove("Plan"), TEXT, "Name: Al\n§\nCity: Köln"),
        (Remove("Köln"), TEXT, "Name: Al\n§\nPlan: Pro"),
        (Remove("a"), "a", ""),
        (Remove("a"), "§\na\n§\n", ""),
        (Write("x\n§\n\ny"), "a", "x\n§\n\ny"),
        (Write(""), "a", ""),
    ],
)
def test_an_edit_changes_what_it_names(edit: Add | Replace | Remove | Write, before: str, after: str) -> None:
    assert edited(edit, before) == after


# TXT-109, TXT-110: an edit turned all tabs into spaces, or parted lines where nobody else does.
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\tb\n§\nName: Al", "a\tb\n§\nName: Bo"),
        ("a\r\nb\r\n§\r\nName: Al\r\n§\r\nc", "a\r\nb\r\n§\r\nName: Bo\r\n§\r\nc"),
        ("\ufeffa\u2028b\x0cc\x85d\n\n§\n\nName: Al\n§\n", "\ufeffa\u2028b\x0cc\x85d\n\n§\nName: Bo\n§\n"),
    ],
)
def test_what_is_not_named_stays_to_the_byte(before: str, after: str) -> None:
    assert edited(Replace("Name: Bo", "Name: Al"), before) == after


@given(st.lists(st.text(st.sampled_from("ab \t\r\n§\u2028"), max_size=6), min_size=1, max_size=4))
def test_removing_an_added_entry_leaves_the_rest(parts: list[str]) -> None:
    before = "\n§\n".join(parts)
    after = edited(Remove("the new one"), edited(Add("the new one"), before))
    assert entries(after) == entries(before)


# TRUTH-62: what was said twice was there twice, or not at all.
@pytest.mark.parametrize("before", ["tea", "tea\n§\ncoffee", "coffee\r\n§\r\ntea", "coffee\n§\ntea\n§\nmilk"])
def test_an_entry_that_is_there_already_is_not_added_again(before: str) -> None:
    assert edited(Add("tea"), before, limit=1) == before


def test_a_match_that_fits_several_entries_changes_nothing() -> None:
    with pytest.raises(EntryAmbiguous) as caught:
        edited(Remove(": "), TEXT)
    assert caught.value.candidates == ("Name: Al", "Plan: Pro", "City: Köln")
    assert "Al" not in str(caught.value)


def test_a_match_that_is_the_whole_entry_picks_it_among_longer_ones() -> None:
    assert edited(Remove("Al"), "Al\n§\nAlan") == "Alan"
    with pytest.raises(EntryAmbiguous):
        edited(Remove("Al"), "Al\n§\nAlan\n§\nAl")


def test_a_match_that_fits_nothing_lists_what_there_is() -> None:
    with pytest.raises(EntryNotFound) as caught:
        edited(Replace("x", "al"), TEXT)
    assert caught.value.candidates == ("Name: Al", "Plan: Pro", "City: Köln")
    with pytest.raises(EntryNotFound):
        edited(Remove("x"), "")
    with pytest.raises(EntryNotFound):
        edited(Remove("§"), TEXT)


def test_candidates_are_few() -> None:
    many = "\n§\n".join(f"entry {number}" for number in range(50))
    with pytest.raises(EntryAmbiguous) as caught:
        edited(Remove("entry"), many)
    assert len(caught.value.candidates) == MAX_CANDIDATES


def test_the_first_add_stores_the_template_too() -> None:
    assert edited(Add("likes tea"), "", template="- name:") == "- name:\n§\nlikes tea"
    assert edited(Add("likes tea"), "x", template="- name:") == "x\n§\nlikes tea"
    assert edited(Add("likes tea"), "", template=" \n") == "likes tea"


def test_a_shown_template_can_be_filled_in() -> None:
    assert edited(Replace("- name: Sam", "- name:"), "", template="- name:\n§\n- plan:") == "- name: Sam\n§\n- plan:"


# RACE-32: a model wiped a block by writing its empty template.
def test_the_empty_template_does_not_wipe_a_block() -> None:
    with pytest.raises(InvalidInput, match="template"):
        edited(Replace("- name:\n"), "- name: Sam", template="- name:")
    assert edited(Replace("- name:"), "", template="- name:") == "- name:"


def test_limits_count_code_points_of_the_whole() -> None:
    assert edited(Add("🙂"), "🙃", limit=5) == "🙃\n§\n🙂"
    with pytest.raises(OverLimit) as caught:
        edited(Add("🙂"), "🙃", limit=4)
    assert (caught.value.facts["limit"], caught.value.facts["used"]) == (4, 5)
    with pytest.raises(OverLimit):
        edited(Add("b"), "", template="a template", limit=11)


# TRUTH-77: a lowered limit made blocks impossible to save.
def test_a_block_over_its_limit_may_shrink_but_not_grow() -> None:
    long = "a" * 20 + "\n§\nb"
    assert edited(Remove("b"), long, limit=5) == "a" * 20
    assert edited(Replace("c" * 19), long, limit=5) == "c" * 19
    assert edited(Write(long), long, limit=5) == long
    with pytest.raises(OverLimit):
        edited(Write("c" * len(long)), long, limit=5)
    with pytest.raises(OverLimit):
        edited(Add("c"), long, limit=5)


@pytest.mark.parametrize("content", ["", " \n", "\u200b", "a\n§\nb", "§", " §\t"])
def test_content_that_is_no_entry_is_no_edit(content: str) -> None:
    with pytest.raises(InvalidInput):
        Add(content)
    with pytest.raises(InvalidInput):
        Replace(content)
