"""Sending calls and waiting for the answers, asynchronously; and the methods of resources that do so."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from types import TracebackType
from typing import Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar

import httpx2

from wellkept.client.answers import read_error
from wellkept.client.call import Call, Paged, Streamed
from wellkept.client.connection import Connection, Course, head_of, next_page, unreachable
from wellkept.client.event_stream import EventReader
from wellkept.client.signatures import like, like_each
from wellkept.model.errors import Closed, WellkeptError

P = ParamSpec("P")
A = TypeVar("A")

AsyncSource = AsyncGenerator[A, None]
"""What gives events, and can be closed."""


class AsyncSleep(Protocol):
    """Waits for some seconds."""

    def __call__(self, seconds: float, /) -> Awaitable[None]:
        """Wait."""
        ...


class AsyncEvents(Generic[A]):
    """The events of one answer, as they come. Who leaves before the last one closes it, or uses it as a context."""

    def __init__(self, events: "AsyncSource[A]") -> None:
        """Give what `events` gives."""
        self._events = events

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> A:
        return await anext(self._events)

    async def close(self) -> None:
        """Listen no longer: the server ends the turn; what it saved until then stays saved."""
        await self._events.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncSender:
    """Sends calls over one HTTP client."""

    def __init__(self, http: httpx2.AsyncClient, connection: Connection, sleep: AsyncSleep) -> None:
        """Send as `connection` says; `sleep` makes the pauses between attempts."""
        self.connection = connection
        self._http = http
        self._sleep = sleep

    def over(self, connection: Connection) -> "AsyncSender":
        """Give a sender that uses the same HTTP client for another connection."""
        return AsyncSender(self._http, connection, self._sleep)

    async def send(self, call: Call[A]) -> A:
        """Send a call, again where that is safe, and read the answer.

        Raises:
            WellkeptError: What the server says went wrong, or that there is no answer.
            Closed: The client was closed.
        """
        self._check_open()
        course = Course(call, self.connection)
        while True:
            try:
                response = await self._http.send(course.request)
            except httpx2.RequestError as error:
                pause = course.failed(error)
            else:
                asked = course.answered(response)
                if asked is None:
                    return course.answer(response)
                pause = asked
            await self._sleep(pause)

    async def pages(self, call: Call[Paged[A]]) -> AsyncIterator[A]:
        """Give the rows of all pages from the call's on, each page read when it is needed."""
        ahead: Call[Paged[A]] | None = call
        while ahead is not None:
            page = await self.send(ahead)
            for row in page.data:
                yield row
            ahead = next_page(ahead, page)

    def events(self, streamed: Streamed[A]) -> AsyncEvents[A]:
        """Send a call once, as soon as its first event is asked for, and give the events of its answer as they come.

        Raises:
            WellkeptError: What an answer or an event says went wrong.
            ServerFailed: The events ended before the last one.
            Closed: The client was closed.
        """
        self._check_open()
        return AsyncEvents(self._events(streamed))

    async def _events(self, streamed: Streamed[A]) -> AsyncSource[A]:
        call = streamed.call
        try:
            response = await self._http.send(self.connection.request(call, events=True), stream=True)
            try:
                head = head_of(response)
                if not head.success:
                    raise read_error(head, await response.aread())
                reader = EventReader(streamed, head)
                async for chunk in response.aiter_bytes():
                    for event in reader.feed(chunk):
                        if isinstance(event, WellkeptError):
                            raise event
                        yield event
                reader.end()
            finally:
                await response.aclose()
        except httpx2.RequestError as error:
            raise unreachable(call, error) from error

    def _check_open(self) -> None:
        if self._http.is_closed:
            raise Closed(what="the client")


class AsyncResource:
    """What one subject's calls are sent through."""

    def __init__(self, sender: AsyncSender) -> None:
        """Send through `sender`."""
        self.sender = sender


def sent(
    build: Callable[P, Call[A]],
) -> Callable[Concatenate[AsyncResource, P], Coroutine[object, object, A]]:
    """Make the method that sends the call which `build` builds."""

    async def door(self: AsyncResource, /, *args: P.args, **kwargs: P.kwargs) -> A:
        return await self.sender.send(build(*args, **kwargs))

    like(door, build)
    return door


def each(build: Callable[P, Call[Paged[A]]]) -> Callable[Concatenate[AsyncResource, P], AsyncIterator[A]]:
    """Make the method that gives the rows of all pages of a list, lazily."""

    def door(self: AsyncResource, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[A]:
        return self.sender.pages(build(*args, **kwargs))

    like_each(door, build, iterator=AsyncIterator)
    return door


def streamed(build: Callable[P, Streamed[A]]) -> Callable[Concatenate[AsyncResource, P], AsyncEvents[A]]:
    """Make the method that gives the events of an answer as they come."""

    def door(self: AsyncResource, /, *args: P.args, **kwargs: P.kwargs) -> AsyncEvents[A]:
        return self.sender.events(build(*args, **kwargs))

    like(door, build)
    return door
