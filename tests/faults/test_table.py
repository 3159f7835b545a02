"""The table of faults does not rot."""

import pytest
from faults.copies import ROOT
from faults.fault import SOURCE, DoesNotApply, Fault
from faults.table import TABLE

LEAST = 30


@pytest.mark.parametrize("store", TABLE)
def test_every_fault_still_applies(store: str) -> None:
    rotten = []
    for fault in TABLE[store]:
        try:
            broken = fault.applied((ROOT / SOURCE / fault.file).read_text(encoding="utf-8"))
            if fault.file.endswith(".py"):
                compile(broken, fault.file, "exec")
        except (DoesNotApply, SyntaxError) as error:
            rotten.append(f"{fault.name}: {error}")
    assert rotten == []


@pytest.mark.parametrize("store", TABLE)
def test_each_store_has_enough_of_them_and_each_its_own_name(store: str) -> None:
    names = [(fault.file, fault.name) for fault in TABLE[store]]
    assert len(names) >= LEAST
    assert sorted(set(names)) == sorted(names)


def test_a_fault_applies_in_one_place_or_not_at_all() -> None:
    fault = Fault(name="x", file="x", find="a", replace="b")
    assert fault.applied("cac") == "cbc"
    for text in ("ccc", "aca"):
        with pytest.raises(DoesNotApply):
            fault.applied(text)
