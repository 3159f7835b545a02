"""Storing whole messages: what is written, and what goes."""

import pytest

from wellkept.model.errors import InvalidInput
from wellkept.model.passages import MetaValue, Passage, PassagesPut
from wellkept.rules.whole_messages import messages_of, read_metadata, rewriting, spell_metadata
from wellkept.testing.samples import a_passage, an_owner, new


def pieces(*texts: str) -> list[Passage]:
    return [a_passage(1, text, part=part) for part, text in enumerate(texts)]


def test_what_is_stored_as_given_is_left_alone() -> None:
    plan = rewriting(new(*pieces("a", "b")), pieces("a", "b"))
    assert not plan.changes
    assert plan.put == PassagesPut(unchanged=2)


@pytest.mark.parametrize(
    ("given", "stored", "written", "gone", "removes"),
    [
        (["a"], [], ["a"], 0, False),
        (["a", "b"], ["a"], ["b"], 0, False),
        (["a"], ["a", "b"], [], 1, True),
        (["A"], ["a"], ["A"], 0, True),
        (["A"], ["a", "b", "c"], ["A"], 2, True),
    ],
)
def test_new_and_changed_pieces_are_written_and_the_others_go(
    given: list[str], stored: list[str], written: list[str], gone: int, removes: bool
) -> None:
    plan = rewriting(new(*pieces(*given)), pieces(*stored))
    assert [piece.passage.text for piece in plan.written] == written
    assert (len(plan.gone), plan.removes, plan.changes) == (gone, removes, True)
    assert plan.put.stored + plan.put.replaced == len(written)
    assert plan.put.removed == gone


def test_another_place_alone_removes_nothing() -> None:
    plan = rewriting(new(a_passage(2, "a", message="m")), [a_passage(1, "a", message="m")])
    assert (plan.put, plan.removes) == (PassagesPut(replaced=1), False)
    assert plan.replaced == (a_passage(1, message="m").id,)


def test_pieces_are_written_in_the_order_of_their_ids() -> None:
    plan = rewriting(new(*(a_passage(number) for number in range(9))), [])
    ids = [piece.passage.id for piece in plan.written]
    assert ids == sorted(ids)


def test_each_message_is_named_once() -> None:
    given = new(*pieces("a", "b"), a_passage(1, kind="fact"), a_passage(1, session="s2"))
    assert messages_of(an_owner(), given) == [("s1", "message", "m1"), ("s1", "fact", "m1"), ("s2", "message", "m1")]
    with pytest.raises(InvalidInput):
        messages_of(an_owner("sam"), given)


@pytest.mark.parametrize("value", [True, False, 1, 0, -1, 1.0, 0.5, 1e22, 5e-324, "1", "", 2**53])
def test_metadata_keep_their_types(value: MetaValue) -> None:
    (read,) = read_metadata(spell_metadata({"a": value})).values()
    assert (read, type(read)) == (value, type(value))


def test_the_order_of_metadata_is_no_difference() -> None:
    one, other = a_passage(1, metadata={"a": 1, "b": 2}), a_passage(1, metadata={"b": 2, "a": 1})
    assert spell_metadata(one.metadata) == spell_metadata(other.metadata)
    assert not rewriting(new(one), [other]).changes
