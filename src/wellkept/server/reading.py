"""From the bytes of a request to the values that a handler takes."""

import asyncio
import re
from typing import Final, TypeVar

import msgspec
from msgspec import inspect
from starlette.requests import Request

from wellkept.model.errors import InvalidInput, TooLarge, UnsupportedMedia
from wellkept.model.text import checked_text
from wellkept.server.head import Head, pairs
from wellkept.server.strict_json import parse, pointer, walk
from wellkept.wire.endpoint import NoBody

S = TypeVar("S", bound=msgspec.Struct)

_LARGE: Final = 65_536  # bytes of which reading takes longer than others should wait
_WHERE: Final = re.compile(r" - at (?:`key` in )?`\$([^`]*)`$")
_STEP: Final = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
_FIELD: Final = re.compile(r"(?:unknown|required) field `([^`]*)`$")
_DIGITS: Final = re.compile(r"-?[0-9]{1,18}")
_JSON: Final = re.compile(r"application/json\s*(?:;\s*charset=\"?utf-8\"?\s*)?;?\s*", re.IGNORECASE)


async def read_body(request: Request, head: Head, *, most: int) -> bytes:
    """Read a body of at most `most` bytes, and stop reading as soon as it is longer.

    Raises:
        TooLarge: It is longer.
    """
    said = head.only("Content-Length")
    if said is not None and (not said.isdecimal() or int(said[:18]) > most):
        raise TooLarge(most_bytes=most)
    whole = bytearray()
    async for piece in request.stream():
        whole += piece
        if len(whole) > most:
            raise TooLarge(most_bytes=most)
    return bytes(whole)


async def decoded(kind: type[S], raw: bytes, head: Head) -> S:
    """Read a body as `kind`, a large one beside the event loop.

    Raises:
        WellkeptError: As `body_of`.
    """
    if len(raw) > _LARGE:
        return await asyncio.to_thread(body_of, kind, raw, head)
    return body_of(kind, raw, head)


def body_of(kind: type[S], raw: bytes, head: Head) -> S:
    """Read a body as `kind`.

    Raises:
        UnsupportedMedia: It is not sent as JSON.
        InvalidInput: It is not JSON, or not such a value.
    """
    if kind is NoBody and not raw:
        return kind()
    if head.all("Content-Encoding"):
        raise UnsupportedMedia(content_encoding="must not be used")
    if raw and not _JSON.fullmatch(head.only("Content-Type") or ""):
        raise UnsupportedMedia
    if not raw:
        raise InvalidInput(param="body", problem="must be a JSON object, not empty")
    value = parse(raw)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _told(error, whole="body") from error
    except InvalidInput as error:
        error.param = _place_of(error.param, value)
        raise


def query_of(kind: type[S], query_string: bytes) -> S:
    """Read a query as `kind`.

    Raises:
        InvalidInput: A parameter is unknown, comes twice, or is not such a value.
    """
    said = pairs(query_string)
    numbers = _numbers(kind)
    values: dict[str, object] = {
        name: int(value) if name in numbers and _DIGITS.fullmatch(value) else checked_text(value, param=name)
        for name, value in said.items()
    }
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise _told(error, whole="query") from error


def _numbers(kind: type[msgspec.Struct]) -> frozenset[str]:
    found = _NUMBERS.get(kind)
    if found is None:
        info = inspect.type_info(kind)
        fields = info.fields if isinstance(info, inspect.StructType) else ()
        found = _NUMBERS[kind] = frozenset(f.encode_name for f in fields if _is_number(f.type))
    return found


def _is_number(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.IntType) or (isinstance(kind, inspect.Metadata) and _is_number(kind.type))


_NUMBERS: Final[dict[type[msgspec.Struct], frozenset[str]]] = {}


def _told(error: msgspec.ValidationError, *, whole: str) -> InvalidInput:
    """Say what msgspec found, with its path as a JSON pointer."""
    said = str(error)
    where = _WHERE.search(said)
    problem = said[: where.start()] if where else said
    path = [name or number for name, number in _STEP.findall(where[1] if where else "")]
    # `[...]` is some value of a mapping: as near as msgspec tells.
    steps = tuple(path[: path.index("...")] if "..." in path else path)
    field = _FIELD.search(problem)
    if field:
        steps = (*steps, field[1])
    return InvalidInput(param=pointer(steps) if steps else whole, problem=f"{problem[:1].lower()}{problem[1:]}")


def _place_of(name: str, value: object) -> str:
    """Name the one place in `value` where a field is called `name`; when there are several, the name alone."""
    places = [pointer(path) for path, _ in walk(value) if path and path[-1] == name]
    return places[0] if len(places) == 1 else name
