"""A blocking caller finds the same doors as an asynchronous one."""

import importlib
import inspect
from collections.abc import Iterator

import pytest

from doors import doors, load, signature
from sources import public_modules

# Twins that their names do not give away. `AsyncX` meets `X`, and `BlockingX` meets `X`, by themselves.
PAIRS: list[tuple[str, str]] = []

# Names that look like a twin's and are none, each with its reason.
NO_TWIN: dict[str, str] = {}


def classes() -> Iterator[tuple[str, str]]:
    """Every public class as (module, name), each where it is defined."""
    for module in public_modules():
        for name, thing in vars(importlib.import_module(module)).items():
            if inspect.isclass(thing) and thing.__module__ == module and not name.startswith("_"):
                yield module, name


def twins() -> list[tuple[str, str]]:
    """Pairs of (asynchronous, blocking) by their names; the twin may live in another module of the same room."""
    known = dict.fromkeys(classes())
    pairs = list(PAIRS)
    for module, name in known:
        if f"{module}:{name}" in NO_TWIN:
            continue
        for prefix, flip in (("Async", False), ("Blocking", True)):
            if name.startswith(prefix) and name != prefix:
                other = name.removeprefix(prefix)
                homes = [home for home, found in known if found == other and home.split(".")[1] == module.split(".")[1]]
                twin = f"{homes[0] if homes else module}:{other}"
                pairs.append((twin, f"{module}:{name}") if flip else (f"{module}:{name}", twin))
    return pairs


def test_the_client_has_its_twins() -> None:
    assert "AsyncClient" in {aio.rpartition(":")[2] for aio, _ in twins()}


def test_both_have_the_same_doors(subtests: pytest.Subtests) -> None:
    for aio, blocking in twins():
        with subtests.test(aio):
            assert doors(load(aio)) == doors(load(blocking))


def test_a_blocking_method_takes_what_its_twin_takes() -> None:
    """`run_blocking` beside `run`, in one class."""
    met = []
    for module, name in classes():
        cls = getattr(importlib.import_module(module), name)
        for method, function in inspect.getmembers(cls, inspect.isfunction):
            if method.endswith("_blocking"):
                twin = getattr(cls, method.removesuffix("_blocking"))
                assert signature(function) == signature(twin), f"{module}:{name}.{method}"
                met.append(f"{name}.{method}")
    assert "Runtime.run_blocking" in met


class AsyncShelf:
    async def fetch(self, key: str, *, at: int = 0) -> "AsyncShelf": ...
    def names(self) -> "AsyncIterator[str]": ...  # noqa: F821
    async def aclose(self) -> None: ...


class Shelf:
    def fetch(self, key: str, *, at: int = 0) -> "Shelf": ...
    def names(self) -> "Iterator[str]": ...
    def close(self) -> None: ...


class ShelfWithAnotherDefault(Shelf):
    def fetch(self, key: str, *, at: int = 1) -> "Shelf": ...


class ShelfWithOneDoorMore(Shelf):
    def drop(self) -> None: ...


def test_a_difference_would_be_seen() -> None:
    assert doors(AsyncShelf) == doors(Shelf)
    assert doors(AsyncShelf) != doors(ShelfWithAnotherDefault)
    assert doors(AsyncShelf) != doors(ShelfWithOneDoorMore)
