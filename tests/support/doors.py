"""Compares the doors of an asynchronous class with those of its blocking twin."""

import importlib
import inspect
import re
from collections.abc import Callable

BLOCKING_NAMES = {
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "aclose": "close",
}
# What stands for the same thing on the other side: AsyncClient and Client, Awaitable[T] and T.
TWIN = re.compile(r"\b(?:Async|Blocking)(?=[A-Z])")
WAITED = re.compile(r"^(?:[\w.]*\.)?(?:Awaitable|Coroutine)\[(?:[^\[\],]+, *[^\[\],]+, *)?(.+)\]$")
PATHS = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])")


def load(name: str) -> type:
    """`wellkept.client:Client` → the class."""
    module, _, path = name.partition(":")
    found = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    assert isinstance(found, type)
    return found


def _told(annotation: object) -> str:
    """Spell an annotation so that both sides spell it alike."""
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = PATHS.sub("", text.strip("'\""))
    text = TWIN.sub("", text)
    if waited := WAITED.match(text):
        text = waited[1]
    return text.replace("'", "")


def signature(function: Callable[..., object]) -> str:
    """Spell a function's signature without `self`, `await` and the words that tell the two sides apart."""
    read = inspect.signature(function)
    shown = [
        parameter.replace(annotation=_told(parameter.annotation) or inspect.Parameter.empty)
        for parameter in read.parameters.values()
        if parameter.name not in {"self", "cls"}
    ]
    return f"{inspect.Signature(shown)} -> {_told(read.return_annotation)}"


def doors(cls: type) -> dict[str, str]:
    """The public methods and properties of a class, by the name a blocking caller uses."""
    found: dict[str, str] = {}
    for name in dir(cls):
        if name.startswith("_") and name not in BLOCKING_NAMES and name not in {*BLOCKING_NAMES.values(), "__init__"}:
            continue
        kind = inspect.getattr_static(cls, name)
        if getattr(object, name, None) is kind:
            continue
        known = BLOCKING_NAMES.get(name, name)
        if isinstance(kind, property):
            assert kind.fget is not None
            found[known] = f"property -> {signature(kind.fget).rpartition('-> ')[2]}"
        elif isinstance(kind, (classmethod, staticmethod)):
            found[known] = signature(kind.__func__)
        elif inspect.isfunction(kind):
            found[known] = signature(kind)
    for base in reversed(cls.__mro__):
        for name, annotation in vars(base).get("__annotations__", {}).items():
            if not name.startswith("_"):
                found[name] = f"attribute -> {_told(annotation)}"
    return found
