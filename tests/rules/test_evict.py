"""Who leaves a full pool, as tables and as properties."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from wellkept.model.ids import MemoryId
from wellkept.model.memories import PoolRules
from wellkept.rules.evict import Candidate, excess, victims

NO_RESERVE = PoolRules(cap=4)


def row(name: str, *, user: str = "", used: int = 0, made: int = 0, pinned: bool = False) -> Candidate[int]:
    return Candidate(pinned, used, made, MemoryId(name), user)


def leave(rows: list[Candidate[int]], need: int, *, reserve: int = 0, joining: str = "") -> list[str]:
    return list(victims(rows, rules=PoolRules(cap=4, per_user_reserve=reserve), need=need, joining=joining))


def test_there_is_room_until_the_cap() -> None:
    assert [excess(count, NO_RESERVE) for count in (0, 3, 4, 5, 9)] == [0, 0, 1, 2, 6]


def test_the_least_recently_used_leaves_first() -> None:
    assert leave([row("a", used=3), row("b", used=1), row("c", used=2)], 2) == ["b", "c"]


def test_ties_go_by_creation_and_then_by_id() -> None:
    assert leave([row("d", made=1), row("c", made=2), row("b", made=1), row("a", made=3)], 4) == ["b", "d", "c", "a"]


def test_pinned_rows_leave_last() -> None:
    rows = [row("a", used=1, pinned=True), row("b", used=9), row("c", used=2, pinned=True)]
    assert leave(rows, 3) == ["b", "a", "c"]


def test_no_more_leave_than_there_are() -> None:
    assert leave([row("a")], 5) == ["a"]
    assert leave([], 1) == []
    assert leave([row("a")], 0) == []


def test_a_partition_at_its_reserve_is_spared_while_another_is_over() -> None:
    rows = [
        row("m1", user="maya", used=1),
        row("m2", user="maya", used=2),
        *(row(f"s{n}", user="sam", used=n) for n in (5, 6, 7)),
    ]
    assert leave(rows, 1, reserve=2, joining="sam") == ["s5"]


def test_victims_are_counted_as_they_fall() -> None:
    rows = [row("m1", user="maya", used=1), *(row(f"s{n}", user="sam", used=n) for n in (5, 6, 7))]
    # Two of sam's leave before sam is down at the reserve; then nobody is over, and the plain order takes maya's.
    assert leave(rows, 3, reserve=1, joining="other") == ["s5", "s6", "m1"]


def test_the_new_row_counts_for_its_partition() -> None:
    rows = [
        row("m1", user="maya", used=1),
        row("m2", user="maya", used=2),
        row("s1", user="sam", used=8),
        row("s2", user="sam", used=9),
    ]
    assert leave(rows, 1, reserve=2, joining="sam") == ["s1"]
    assert leave(rows, 1, reserve=2, joining="maya") == ["m1"]


def test_the_general_partition_is_like_any_other() -> None:
    rows = [row("g1", used=1), row("s1", user="sam", used=8), row("s2", user="sam", used=9)]
    assert leave(rows, 1, reserve=1, joining="maya") == ["s1"]
    assert leave(rows, 1, reserve=2, joining="") == ["g1"]


def test_a_newcomer_alone_over_its_reserve_has_nothing_to_give() -> None:
    assert leave([row("s1", user="sam")], 1, reserve=0, joining="maya") == ["s1"]


def test_a_pin_takes_nothing_from_what_is_reserved_to_others() -> None:
    rows = [
        row("m1", user="maya", used=1),
        row("s1", user="sam", used=2, pinned=True),
        row("s2", user="sam", used=3, pinned=True),
    ]
    assert leave(rows, 1, reserve=1, joining="sam") == ["s1"]


ROWS = st.lists(
    st.builds(
        row,
        st.uuids().map(str),
        user=st.sampled_from(["", "maya", "sam"]),
        used=st.integers(0, 5),
        made=st.integers(0, 5),
        pinned=st.booleans(),
    ),
    max_size=12,
)


@given(ROWS, st.integers(0, 14), st.sampled_from(["", "maya", "new"]))
def test_without_a_reserve_the_order_is_the_sorted_one(rows: list[Candidate[int]], need: int, joining: str) -> None:
    assert leave(rows, need, joining=joining) == [candidate.id for candidate in sorted(rows)[:need]]


@given(ROWS, st.integers(0, 14), st.integers(0, 4), st.sampled_from(["", "maya", "new"]))
def test_each_victim_is_the_first_of_those_that_may_leave(
    rows: list[Candidate[int]], need: int, reserve: int, joining: str
) -> None:
    left = list(rows)
    for victim in leave(rows, need, reserve=reserve, joining=joining):
        counts = Counter(candidate.user_id for candidate in left) + Counter([joining])
        over = [candidate for candidate in left if counts[candidate.user_id] > reserve]
        assert victim == min(over or left).id
        left = [candidate for candidate in left if candidate.id != victim]
    assert len(left) == max(0, len(rows) - need)
