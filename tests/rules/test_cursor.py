"""Cursors: opaque, and good for their own list alone."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellkept.model.errors import InvalidCursor
from wellkept.model.pages import Position
from wellkept.rules.cursor import decode, encode, fingerprint

AT = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
HERE = fingerprint("memories", "ten_a", None)


@given(st.datetimes(timezones=st.just(UTC)), st.text(st.characters(codec="utf-8"), min_size=1))
def test_a_place_comes_back(at: datetime, id: str) -> None:
    assert decode(encode(Position(at, id), filter=HERE), filter=HERE) == Position(at, id)


@pytest.mark.parametrize("parts", [("memories", "ten_b", None), ("agents", "ten_a", None), ("memories", "ten_a", "")])
def test_a_cursor_of_another_list_is_none_of_this(parts: tuple[str, str, str | None]) -> None:
    with pytest.raises(InvalidCursor):
        decode(encode(Position(AT, "x"), filter=fingerprint(*parts)), filter=HERE)


def test_a_filter_that_holds_a_comma_is_not_two_filters() -> None:
    assert fingerprint("l", 'a","b') != fingerprint("l", "a", "b")


def test_every_altered_cursor_is_refused() -> None:
    good = encode(Position(AT, "mem_0123456789abcdef"), filter=HERE)
    for place in range(len(good)):
        for other in "Aa9_":
            altered = good[:place] + other + good[place + 1 :]
            if altered != good:
                with pytest.raises(InvalidCursor):
                    decode(altered, filter=HERE)


@pytest.mark.parametrize(
    "cursor",
    ["", " ", "é", "a", "====", "W10", "bnVsbA", "\ud800", "A" * 10_000, "WzksIngiLCJ5Il0", "WzFlNDAwLCJ4IiwieSJd"],
)
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidCursor):
        decode(cursor, filter=HERE)


def test_a_place_outside_of_time_is_refused() -> None:
    far = encode(Position(datetime.max.replace(tzinfo=UTC), "x"), filter=HERE)
    assert decode(far, filter=HERE).at - AT > timedelta(days=365)
    with pytest.raises(InvalidCursor):
        decode("Wzk5OTk5OTk5OTk5OTk5OTk5OTksIngiLCJ5Il0", filter=HERE)
