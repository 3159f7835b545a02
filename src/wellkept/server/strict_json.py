"""JSON as strictly as it can be read: what two parsers could read differently is refused."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import Final, NoReturn, cast

from wellkept.model.errors import InvalidInput
from wellkept.model.text import checked_text

MAX_DEPTH: Final = 64
"""Levels that values may be nested in each other."""

_MAX_DIGITS: Final = 18  # what 64 bits hold in any case
_WHOLE: Final = "body"


class _Object(dict[str, object]):
    """An object, and a name that it has twice."""

    twice: str | None = None


def parse(raw: bytes) -> object:
    """Read a JSON text.

    Raises:
        InvalidInput: It is not UTF-8, not JSON, or nested too deeply; it holds NaN, Infinity, an object
            with the same name twice, NUL or a lone surrogate. `param` says where, as a JSON pointer.
    """
    try:
        value: object = json.loads(
            raw.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse_constant, parse_int=_number
        )
    except UnicodeDecodeError as error:
        raise InvalidInput(param=_WHOLE, problem="must be UTF-8") from error
    except json.JSONDecodeError as error:
        raise InvalidInput(param=_WHOLE, problem=f"is not JSON: {error.msg} at character {error.pos}") from error
    except RecursionError as error:
        raise InvalidInput(param=_WHOLE, problem=f"is nested deeper than {MAX_DEPTH} levels") from error
    for path, inner in walk(value):
        _check(path, inner)
    return value


def walk(value: object) -> Iterator[tuple[list[str], object]]:
    """Give every value inside `value` with the names and numbers that lead to it, outer ones first.

    The path is one list for all: who keeps it makes a copy. (A path for each of a million numbers is a lot of memory.)
    """
    path: list[str] = []
    yield path, value
    ahead = [_members(value)]
    while ahead:
        for name, inner in ahead[-1]:
            path.append(name)
            yield path, inner
            if _holds_others(inner):
                ahead.append(_members(inner))
                break
            path.pop()
        else:
            ahead.pop()
            if path:
                path.pop()


def _holds_others(value: object) -> bool:
    return isinstance(value, _Object | list)


def _members(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, _Object):
        yield from value.items()
    elif isinstance(value, list):
        for number, inner in enumerate(cast("list[object]", value)):
            yield str(number), inner


def pointer(path: Sequence[str]) -> str:
    """Spell a path as a JSON pointer without its first slash; the whole is `body`."""
    return "/".join(part.replace("~", "~0").replace("/", "~1") for part in path) or _WHOLE


def _check(path: Sequence[str], value: object) -> None:
    if len(path) > MAX_DEPTH:
        raise InvalidInput(param=_WHOLE, problem=f"is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, str):
        checked_text(value, param=pointer(path))
    elif isinstance(value, _Object):
        for name in value:
            checked_text(name, param=pointer(path))
        if value.twice is not None:
            raise InvalidInput(param=pointer([*path, value.twice]), problem="comes twice")


def _object(members: list[tuple[str, object]]) -> _Object:
    made = _Object(members)
    if len(made) < len(members):
        names = [name for name, _ in members]
        made.twice = next(name for name in names if names.count(name) > 1)
    return made


def _number(digits: str) -> int | float:
    # No store keeps a number of more than 64 bits, and to read one of a million digits takes long.
    # Infinity stands for it: no field takes that.
    return int(digits) if len(digits.lstrip("-")) <= _MAX_DIGITS else math.inf


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidInput(param=_WHOLE, problem=f"holds {name}, which is not JSON")
