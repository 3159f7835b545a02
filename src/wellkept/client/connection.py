"""What both senders know of a server, and the course of one call."""

import secrets
import ssl
from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeVar
from urllib.parse import urlsplit

import httpx2

from wellkept.client.answers import Head, read_answer
from wellkept.client.call import Call, Paged
from wellkept.client.retries import Retries
from wellkept.model.errors import InvalidInput, NotFound, ServerFailed, ServerUnreachable, WellkeptError
from wellkept.model.ids import user_id

A = TypeVar("A")

TIMEOUT: Final = 30.0
"""Seconds that a server may be silent."""
TURN_TIMEOUT: Final = 600.0
"""Seconds that a server may be silent while a model is asked."""
CONNECT_TIMEOUT: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """Which server, with which key, for whom, and how patiently. The key is not in the value's repr.

    Raises:
        InvalidInput: The address or the key cannot be one.
    """

    base_url: str
    api_key: str = field(repr=False)
    retries: Retries
    timeout: float | None = None
    """Seconds for every call; None: `TIMEOUT`, and `TURN_TIMEOUT` for turns."""
    user: str | None = None

    def __post_init__(self) -> None:
        if not _is_address(self.base_url):
            raise InvalidInput(param="base_url", problem="must be an address like http://127.0.0.1:8787")
        if not self.api_key or not all("!" <= char <= "~" for char in self.api_key):
            raise InvalidInput(param="api_key", problem="must be a key: printable ASCII without spaces")
        if self.timeout is not None and not self.timeout > 0:
            raise InvalidInput(param="timeout", problem="must be a positive number of seconds")

    def for_user(self, user: str) -> "Connection":
        """Act for one user alone.

        Raises:
            InvalidInput: That is not a user's id.
        """
        return replace(self, user=user_id(user))

    def with_timeout(self, seconds: float) -> "Connection":
        """Wait so long for every call.

        Raises:
            InvalidInput: That is not a positive number.
        """
        return replace(self, timeout=seconds)

    def request(self, call: Call[object], *, events: bool = False) -> httpx2.Request:
        """Put a request together."""
        headers: list[tuple[str, str | bytes]] = [
            ("Authorization", f"Bearer {self.api_key}"),
            ("Accept", "text/event-stream" if events else "application/json"),
            ("User-Agent", "wellkept-python"),
            *call.headers.items(),
        ]
        if call.content is not None:
            headers.append(("Content-Type", "application/json"))
        if self.user is not None:
            # As bytes: an id is any Unicode, and a header is ASCII unless told otherwise.
            headers.append(("X-Wellkept-User-Id", self.user.encode()))
        if call.once and "Idempotency-Key" not in call.headers:
            headers.append(("Idempotency-Key", secrets.token_hex(16)))
        seconds = self.timeout or (TURN_TIMEOUT if call.long else TIMEOUT)
        timeout = httpx2.Timeout(seconds, connect=min(seconds, CONNECT_TIMEOUT))
        return httpx2.Request(
            call.method,
            self.base_url.rstrip("/") + call.target,
            headers=[(name.encode(), value if isinstance(value, bytes) else value.encode()) for name, value in headers],
            content=call.content,
            extensions={"timeout": timeout.as_dict()},
        )


class Course(Generic[A]):
    """The course of one call: its request, and after each attempt whether there is another one."""

    def __init__(self, call: Call[A], connection: Connection) -> None:
        self._call = call
        self._retries = connection.retries
        self._attempt = 0
        self._lost = False
        self.request = connection.request(call)

    def failed(self, error: httpx2.RequestError) -> float:
        """Give the pause before the next attempt, after one without an answer.

        Raises:
            ServerUnreachable: There is none.
            ServerFailed: There was an answer that cannot be read.
        """
        pause = self._retries.after_failure(self._attempt) if self._call.again else None
        if pause is None or not isinstance(error, httpx2.TransportError):
            raise unreachable(self._call, error) from error
        self._attempt += 1
        self._lost = True
        return pause

    def answered(self, response: httpx2.Response) -> float | None:
        """Give the pause before the next attempt, after one with an answer; None: that is the answer."""
        if not self._call.again:
            return None
        asked = response.headers.get("Retry-After")
        pause = self._retries.after_answer(self._attempt, response.status_code, asked)
        if pause is not None:
            self._attempt += 1
        return pause

    def answer(self, response: httpx2.Response) -> A:
        """Read the answer.

        Raises:
            WellkeptError: What the server says went wrong.
        """
        try:
            return read_answer(self._call, head_of(response), response.content)
        except NotFound:
            # Deleted by the attempt whose answer was lost: that is what was asked for.
            if self._lost and self._call.method == "DELETE":
                return self._call.read(b"")
            raise


def trust(base_url: str) -> ssl.SSLContext:
    """Give what a server's certificate is checked by: for an address without TLS, something that trusts nobody.

    Reading the machine's certificates takes longer than most calls.
    """
    return (
        httpx2.create_ssl_context() if urlsplit(base_url).scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    )


def head_of(response: httpx2.Response) -> Head:
    """Give what an answer begins with."""
    return Head(status=response.status_code, request_id=response.headers.get("X-Request-Id"))


def unreachable(call: Call[object], error: httpx2.RequestError) -> WellkeptError:
    """Give the error of a request without an answer; without its address, which holds ids of users."""
    if isinstance(error, httpx2.TransportError):
        return ServerUnreachable(call=call.name, problem=type(error).__name__)
    return ServerFailed(call=call.name, problem=type(error).__name__)


def next_page(call: Call[Paged[A]], page: Paged[A]) -> Call[Paged[A]] | None:
    """Give the call of the page after `page`; None: there is none.

    Raises:
        ServerFailed: It would be the same page again, without end.
    """
    if page.next_cursor is None:
        return None
    ahead = call.at(page.next_cursor)
    if ahead.target == call.target:
        raise ServerFailed(call=call.name, problem="the list does not get on: the next page is this one")
    return ahead


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    plain = not parts.query and not parts.fragment and url.isprintable() and " " not in url
    return parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0 and plain
