"""Letting the methods of resources say of themselves what their calls say."""

import inspect
from collections.abc import Callable
from types import GenericAlias
from typing import Final, get_args, get_type_hints

_OF_A_PAGE: Final = "Give a page of "
_OF_ALL: Final = "Of all pages from `cursor` on; a page, of `limit` rows, is read when it is needed."


def like(door: Callable[..., object], build: Callable[..., object]) -> None:
    """Give the method `door` the docstring and the parameters of the function that builds its call.

    It returns what the call is answered with.
    """
    _say(door, build, doc=build.__doc__, returns=_answer(build))


def like_each(door: Callable[..., object], build: Callable[..., object], *, iterator: type) -> None:
    """Let the method `door` say that it gives the rows of all pages whose first call `build` builds."""
    page = _answer(build)
    row = get_args(get_type_hints(page)["data"])[0]
    told = (build.__doc__ or "").removeprefix(_OF_A_PAGE)
    _say(door, build, doc=f"Give {told}\n\n{_OF_ALL}", returns=GenericAlias(iterator, (row,)))


def _answer(build: Callable[..., object]) -> object:
    return next(iter(get_args(inspect.signature(build).return_annotation)), None)


def _say(door: Callable[..., object], build: Callable[..., object], *, doc: str | None, returns: object) -> None:
    told = inspect.signature(build)
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    door.__doc__ = doc
    vars(door)["__signature__"] = told.replace(
        parameters=[itself, *told.parameters.values()], return_annotation=returns
    )
