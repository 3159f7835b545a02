"""A request's address and headers, as they came: bytes, not yet trusted."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote_to_bytes

from starlette.types import Scope

from wellkept.model.errors import HeadTooLarge, InvalidInput

CLIENT_REQUEST_ID: Final = "X-Client-Request-Id"
_CLIENT_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_MAX_HEADERS: Final = 200


class Head:
    """The address and headers of one request."""

    def __init__(self, scope: Scope) -> None:
        self._headers: list[tuple[bytes, bytes]] = scope["headers"]
        self.query_string: bytes = scope["query_string"]
        self.path = _raw_path(scope)

    def all(self, name: str) -> list[str]:
        """Give every value of a header, bytes as Latin-1 characters, in order."""
        wanted = name.lower().encode("ascii")
        return [value.decode("latin-1") for key, value in self._headers if key.lower() == wanted]

    def only(self, name: str) -> str | None:
        """Give the value of a header that may come once; None when it does not.

        Raises:
            InvalidInput: It comes twice.
        """
        values = self.all(name)
        if len(values) > 1:
            raise InvalidInput(param=name, problem="must come once")
        return values[0] if values else None

    def listed(self, name: str) -> str:
        """Give the values of a header that is a list, joined as HTTP joins them; `""` when there is none."""
        return ", ".join(self.all(name))

    def bounded(self, most: int) -> None:
        """Pass if address and headers are no larger than `most` bytes.

        Raises:
            HeadTooLarge: They are, or there are too many headers.
        """
        size = len(self.path) + len(self.query_string) + sum(len(key) + len(value) for key, value in self._headers)
        if size > most or len(self._headers) > _MAX_HEADERS:
            raise HeadTooLarge(most_bytes=most, most_headers=_MAX_HEADERS)


def client_request_id(head: Head) -> str | None:
    """Give the caller's own id of the request.

    Raises:
        InvalidInput: It is not 1 to 128 letters, digits, `.`, `_`, `:` or `-`.
    """
    value = head.only(CLIENT_REQUEST_ID)
    if value is not None and not _CLIENT_REQUEST_ID.fullmatch(value):
        raise InvalidInput(param=CLIENT_REQUEST_ID, problem="must be 1 to 128 letters, digits, `.`, `_`, `:` or `-`")
    return value


def unquoted(raw: bytes, *, param: str) -> str:
    """Read a percent-encoded piece of an address.

    Raises:
        InvalidInput: It is not UTF-8.
    """
    try:
        return unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(param=param, problem="must be percent-encoded UTF-8") from error


def pairs(query_string: bytes) -> Mapping[str, str]:
    """Read a query: each parameter once, UTF-8, `+` for a space.

    Raises:
        InvalidInput: A parameter comes twice, or something is not UTF-8.
    """
    found: dict[str, str] = {}
    for pair in query_string.split(b"&"):
        if not pair:
            continue
        name, _, value = pair.replace(b"+", b" ").partition(b"=")
        key = unquoted(name, param="query")
        if key in found:
            raise InvalidInput(param=key, problem="must come once")
        found[key] = unquoted(value, param=key)
    return found


def _raw_path(scope: Scope) -> bytes:
    # `path` is unquoted already: there `a%2Fb` and `a/b` are the same. Only the raw one tells an id from a route.
    raw: bytes | None = scope.get("raw_path")
    path = scope["path"].encode("utf-8", "surrogateescape") if raw is None else raw
    root = scope.get("root_path", "").encode()
    return path.removeprefix(root) if root and path.startswith(root + b"/") else path
