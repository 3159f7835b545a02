"""Both clients over a server that answers what a test tells it to."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from wellkept.client.async_client import AsyncClient
from wellkept.client.client import Client
from wellkept.client.retries import Retries

Answer = httpx2.Response | Exception
SECRET = "wk_thisIsTheSecret0123456789"


@dataclass
class FakeServer:
    """Answers in turn, the last answer again and again; keeps the requests and the pauses between them."""

    answers: list[Answer] = field(default_factory=list)
    requests: list[httpx2.Request] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def answer(self, *answers: Answer) -> None:
        self.answers = list(answers)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        if answer.is_closed:  # a client binds a response to its request, so one that is whole is copied
            return httpx2.Response(answer.status_code, headers=answer.headers, content=answer.content)
        return answer

    @property
    def request(self) -> httpx2.Request:
        (request,) = self.requests
        return request


class Both:
    """Calls one of the two clients the same way: `await both("memories.list", agent_id)`; lists are read to the end."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def __call__(self, path: str, *args: Any, on: Any = None, **kwargs: Any) -> Any:
        method = on or self.client
        for name in path.split("."):
            method = getattr(method, name)
        found = method(*args, **kwargs)
        if inspect.isawaitable(found):
            return await found
        if isinstance(found, Iterator):
            return list(found)
        if hasattr(found, "__aiter__"):
            return [each async for each in found]
        return found


@pytest.fixture
def server() -> FakeServer:
    return FakeServer([httpx2.Response(200, json={})])


@pytest.fixture(params=["blocking", "asynchronous"])
def make(request: pytest.FixtureRequest, server: FakeServer) -> Callable[..., Both]:
    transport = httpx2.MockTransport(server)

    def pause(seconds: float) -> None:
        server.pauses.append(seconds)

    async def pause_async(seconds: float) -> None:
        server.pauses.append(seconds)

    def build(**options: Any) -> Both:
        options = {
            "api_key": SECRET,
            "base_url": "http://server.test",
            "retries": Retries(chance=lambda: 1.0),
        } | options
        if request.param == "blocking":
            return Both(Client(transport=transport, sleep=pause, **options))
        return Both(AsyncClient(transport=transport, sleep=pause_async, **options))

    return build


@pytest.fixture
def both(make: Callable[..., Both]) -> Both:
    return make()
