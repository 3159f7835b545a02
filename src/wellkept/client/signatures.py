"""Letting the methods of resources say of themselves what their calls say."""

import inspect
from collections.abc import Callable
from typing import get_args


def like(door: Callable[..., object], build: Callable[..., object], *, returns: object = None) -> None:
    """Give the method `door` the docstring and the parameters of the function that builds its call.

    It returns what the call is answered with, unless `returns` says otherwise.
    """
    told = inspect.signature(build)
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    answer = returns if returns is not None else next(iter(get_args(told.return_annotation)), None)
    door.__doc__ = build.__doc__
    vars(door)["__signature__"] = told.replace(parameters=[itself, *told.parameters.values()], return_annotation=answer)
