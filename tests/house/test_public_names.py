"""The front door: what `import wellkept` offers."""

import inspect
import re

import wellkept
from sources import reference


def test_public_names_are_sorted_and_there() -> None:
    assert list(wellkept.__all__) == sorted(set(wellkept.__all__))
    assert not [name for name in wellkept.__all__ if not hasattr(wellkept, name)]


def test_an_editor_sees_every_public_name() -> None:
    assert set(wellkept.__all__) <= set(dir(wellkept))


def test_the_names_of_the_documents_are_public() -> None:
    assert {"Agent", "AsyncClient", "BlockSpec", "Client", "Runtime", "WorkingMemory", "open"} <= set(wellkept.__all__)


def test_every_public_name_says_what_it_is() -> None:
    things = {name: getattr(wellkept, name) for name in wellkept.__all__}
    callables = {name: thing for name, thing in things.items() if callable(thing)}
    assert not [name for name, thing in callables.items() if not (inspect.getdoc(thing) or "").strip()]
    # A dataclass and a struct without a docstring get their signature for one.
    assert not [name for name, thing in callables.items() if (inspect.getdoc(thing) or "").startswith(f"{name}(")]


def test_every_public_name_is_in_the_reference() -> None:
    assert not [name for name in wellkept.__all__ if not re.search(rf"`(?:wellkept\.)?{name}\b", reference())]
