"""What the SDK makes of answers, the odd ones too."""

from datetime import UTC, datetime
from typing import Any

import httpx2
import msgspec
import pytest

from wellkept.model import errors
from wellkept.model.errors import ServerFailed, ServerUnreachable
from wellkept.wire.problems import BY_CODE, ProblemAnswer, problem_of

MEMORY = {
    "id": "mem_0123456789abcdef",
    "tenantId": "default",
    "agentId": "ag",
    "userId": "user-42",
    "text": "Likes heliotrope.",
    "createdAt": "2026-01-02T03:04:05.000006Z",
    "updatedAt": "2026-01-02T03:04:05.000006Z",
    "lastAccessedAt": "2026-01-02T03:04:05.000006Z",
    "pinned": False,
    "origin": "api",
    "status": "active",
    "etag": "",
}


async def test_values_are_typed(both: Any, server: Any) -> None:
    server.answer(httpx2.Response(200, json={"data": [MEMORY], "nextCursor": None, "andMore": 1}))
    page = await both("memories.list", "ag", user_id="user-42", search="heliotrope")
    assert page.data[0].id == "mem_0123456789abcdef"
    assert page.data[0].created_at == datetime(2026, 1, 2, 3, 4, 5, 6, UTC)
    assert page.next_cursor is None


@pytest.mark.parametrize("path", ["memories.delete", "turns.delete_session"])
async def test_a_deletion_answers_nothing(both: Any, server: Any, path: str) -> None:
    server.answer(httpx2.Response(204))
    assert await both(path, "ag", "x") is None


@pytest.mark.parametrize("code", sorted(set(BY_CODE) - {"validation_failed", "invalid_cursor"}))
async def test_an_error_is_the_library_s_own(both: Any, server: Any, code: str) -> None:
    problem = problem_of(BY_CODE[code](etag="e", limit=5))
    server.answer(
        httpx2.Response(418, content=msgspec.json.encode(ProblemAnswer(problem)), headers={"X-Request-Id": "req_1"})
    )
    with pytest.raises(errors.WellkeptError) as caught:
        await both("memories.get", "ag", "mem_1")
    error = caught.value
    assert type(error) is BY_CODE[code]
    assert (error.status, error.request_id, error.facts) == (418, "req_1", {"etag": "e", "limit": 5})


async def test_a_bad_value_is_named(both: Any, server: Any) -> None:
    problem = problem_of(errors.InvalidInput(param="text", problem="must hold something visible"))
    server.answer(httpx2.Response(400, content=msgspec.json.encode(ProblemAnswer(problem))))
    with pytest.raises(errors.InvalidInput) as caught:
        await both("memories.create", "ag", text=" ")
    assert (caught.value.param, caught.value.problem) == ("text", "must hold something visible")
    assert (caught.value.status, caught.value.request_id) == (400, None)


async def test_candidates_come_along(both: Any, server: Any) -> None:
    problem = problem_of(errors.EntryAmbiguous(candidates=("a", "ab"), key="USER"))
    server.answer(httpx2.Response(422, content=msgspec.json.encode(ProblemAnswer(problem))))
    with pytest.raises(errors.EntryAmbiguous) as caught:
        await both("blocks.remove", "user", "USER", owner="u", match="a")
    assert caught.value.candidates == ("a", "ab")


DEEP = b'{"x":' + b"[" * 200_000

ODD = {
    "a proxy's page": (502, b"<html>Bad Gateway</html>"),
    "an empty error": (500, b""),
    "half an error": (500, b'{"error": {"code": "not_f'),
    "an error of another API": (404, b'{"detail": "Not Found"}'),
    "an error of wrong types": (404, b'{"error": {"code": 5, "message": null}}'),
    "an unknown code": (418, b'{"error": {"code": "teapot", "message": "Short and stout."}}'),
    "facts called like arguments": (409, b'{"error":{"code":"nope","message":"","details":{"facts":{"self":1}}}}'),
    "a redirect": (302, b""),
    "no JSON": (200, b"<html>Welcome</html>"),
    "half an answer": (200, b'{"memory": {"id": "mem_01'),
    "nothing": (200, b""),
    "nothing, by status": (204, b""),
    "null": (200, b"null"),
    "another shape": (200, b'{"data": []}'),
    "wrong types": (200, b'{"memory": {"id": 5}}'),
    "a value that is none": (200, msgspec.json.encode({"memory": MEMORY | {"id": "5"}})),
    "no UTF-8": (200, b'{"memory": "\xff"}'),
    "nesting without end": (200, DEEP),
    "an error nested without end": (500, b'{"error":' + DEEP),
}


@pytest.mark.parametrize(("status", "body"), ODD.values(), ids=ODD)
async def test_an_odd_answer_is_a_failure_of_the_server(both: Any, server: Any, status: int, body: bytes) -> None:
    server.answer(httpx2.Response(status, content=body, headers={"X-Request-Id": "req_1"}))
    with pytest.raises(ServerFailed) as caught:
        await both("memories.get", "ag", "mem_1")
    assert (type(caught.value), caught.value.status, caught.value.request_id) == (ServerFailed, status, "req_1")
    assert "Welcome" not in str(caught.value)
    assert len(server.requests) == 1


async def test_facts_called_like_arguments_do_no_harm(both: Any, server: Any) -> None:
    facts = {"self": 1, "param": "x", "problem": "y", "candidates": 2, "limit": 3}
    for code in BY_CODE:
        body = {"error": {"code": code, "message": "m", "details": {"facts": facts}}}
        server.answer(httpx2.Response(400, json=body))
        with pytest.raises(BY_CODE[code]):
            await both("memories.get", "ag", "mem_1")


async def test_an_answer_that_cannot_be_unpacked(both: Any, server: Any) -> None:
    server.answer(httpx2.DecodingError("no gzip"))
    with pytest.raises(ServerFailed) as caught:
        await both("memories.get", "ag", "mem_1")
    assert type(caught.value) is ServerFailed


@pytest.mark.parametrize(
    "failure",
    [httpx2.ConnectError("x"), httpx2.ReadTimeout("x"), httpx2.RemoteProtocolError("x"), httpx2.PoolTimeout("x")],
)
async def test_no_answer_is_a_server_out_of_reach(both: Any, server: Any, failure: Exception) -> None:
    server.answer(failure)
    with pytest.raises(ServerUnreachable) as caught:
        await both("blocks.get", "user", "USER", owner="maya@example.com")
    assert caught.value.__cause__ is failure
    assert (caught.value.status, caught.value.request_id) == (None, None)
    assert caught.value.facts == {"call": "blocks.get", "problem": type(failure).__name__}
    assert "maya" not in str(caught.value)


async def test_a_closed_client(both: Any, server: Any) -> None:
    await both("close")
    await both("close")
    with pytest.raises(errors.Closed):
        await both("system.live")
