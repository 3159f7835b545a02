"""Entries: the parts of a block, in texts of ours and in texts that people edit by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellkept.model.edits import checked_entry
from wellkept.model.errors import InvalidInput
from wellkept.rules.entries import entries, join

ROUGH = st.text(st.sampled_from("ab§ \t\r\n\u2028\x0b\x85\ufeff"), max_size=12)


def is_entry(text: str) -> bool:
    try:
        return bool(checked_entry(text))
    except InvalidInput:
        return False


@given(st.lists(ROUGH.filter(is_entry), max_size=5))
def test_what_was_joined_comes_apart_again(written: list[str]) -> None:
    text = join(written)
    assert entries(text) == written
    assert join(entries(text)) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("one", ["one"]),
        ("one\n§\ntwo", ["one", "two"]),
        ("one\r\n§\r\ntwo", ["one", "two"]),
        ("one\n  §\t\ntwo", ["one", "two"]),
        ("§\none\n§\n§\ntwo\n§", ["one", "two"]),
        ("one\n\n§\n\ntwo\n", ["one\n", "\ntwo\n"]),
        ("§ 4 of the lease\n5 §", ["§ 4 of the lease\n5 §"]),
        ("one\u2028§\u2028two", ["one\u2028§\u2028two"]),
        ("§", []),
    ],
)
def test_a_line_of_the_mark_alone_parts_entries(text: str, found: list[str]) -> None:
    assert entries(text) == found
