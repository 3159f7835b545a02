"""The ids of passages as they were first made. A line may be added; none may change.

Whoever changes how they are made stores everything that is ingested again a second time.
"""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from wellkept.model.passages import Passage, Said, message_name
from wellkept.testing.samples import OTHER_TENANT, a_passage, an_owner

GOLDEN_IDS: list[tuple[Passage, str]] = [
    (a_passage(1), "psg_gloVI6wElRqQ297Y"),
    (a_passage(1, "another text", speaker="Sam", when=99, metadata={"a": 1}), "psg_gloVI6wElRqQ297Y"),
    (a_passage(1, part=1), "psg_x8CIOv3CgZt2yU4o"),
    (a_passage(1, kind="fact"), "psg_Baor7smjGatcLqkZ"),
    (a_passage(1, session="s/2"), "psg_FNAItz1jIyuw9Kon"),
    (a_passage(1, message="\u7528\u6237 \U0001f600"), "psg_PBvZTgKef8xmJNF2"),
    (a_passage(1, owner=an_owner("Maya")), "psg_MmEYewvB0qN7EP30"),
    (a_passage(1, owner=an_owner(agent="ag_other")), "psg_F6DFHIt9kPmcQUxh"),
    (a_passage(1, owner=an_owner(tenant=OTHER_TENANT)), "psg_hFLquPqibRUJo1oi"),
]

WHEN = datetime(2026, 1, 31, 12, 0, 0, 123456, tzinfo=UTC)
THERE = WHEN.astimezone(timezone(timedelta(hours=5, minutes=45)))

GOLDEN_NAMES: list[tuple[Said, int, str]] = [
    (Said(text="Hello", speaker="Maya", at=WHEN, id="m-1"), 0, "m-1"),
    (Said(text="Hello", speaker="Maya", at=WHEN), 0, "said-ZdAmCToedFYisO3F"),
    (Said(text="Hello", speaker="Maya", at=THERE, number=7), 0, "said-ZdAmCToedFYisO3F"),
    (Said(text="Hello", speaker="Maya", at=WHEN), 1, "said-m2wHCCDzW26zbVr3"),
    (Said(text="hello", speaker="Maya", at=WHEN), 0, "said-NlG3cdcWMscVxeAP"),
]


@pytest.mark.parametrize(("passage", "id"), GOLDEN_IDS)
def test_a_passages_id_stays(passage: Passage, id: str) -> None:
    assert passage.id == id


@pytest.mark.parametrize(("said", "repeated", "name"), GOLDEN_NAMES)
def test_a_messages_name_stays(said: Said, repeated: int, name: str) -> None:
    assert message_name(said, repeated=repeated) == name


def test_each_of_them_is_another() -> None:
    ids = [id for _, id in GOLDEN_IDS]
    assert len(set(ids)) == len(ids) - 1, "the second has the address of the first"
