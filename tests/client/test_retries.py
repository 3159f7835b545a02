"""What is sent again, and when."""

from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from wellkept.client.calls import agents, blocks, chat, keys, memories, turn_memory, turns
from wellkept.client.retries import Retries
from wellkept.model.edits import Add
from wellkept.model.errors import NotFound, RateLimited, ServerUnreachable, StoreUnavailable
from wellkept.testing.clock import FakeClock

LOST = httpx2.ReadError("x")
OK = httpx2.Response(200, json={"status": "ok"})


def refused(status: int, code: str, **headers: str) -> httpx2.Response:
    return httpx2.Response(status, json={"error": {"code": code, "message": "m"}}, headers=headers)


BUSY = refused(503, "store_unavailable", **{"Retry-After": "2"})
GONE = refused(404, "not_found")


async def test_a_lost_answer_is_asked_for_again(both: Any, server: Any) -> None:
    server.answer(LOST, LOST, OK)
    assert (await both("system.live")).status == "ok"
    assert server.pauses == [0.5, 1.0]


async def test_not_without_end(both: Any, server: Any) -> None:
    server.answer(LOST)
    with pytest.raises(ServerUnreachable):
        await both("system.live")
    assert len(server.requests) == 3


@pytest.mark.parametrize("answer", [BUSY, refused(429, "rate_limited", **{"Retry-After": "2"})])
async def test_a_server_that_asks_is_waited_for(both: Any, server: Any, answer: httpx2.Response) -> None:
    server.answer(answer, OK)
    assert (await both("system.live")).status == "ok"
    assert server.pauses == [2.0]


async def test_a_server_that_stays_busy_is_told(both: Any, server: Any) -> None:
    server.answer(BUSY)
    with pytest.raises(StoreUnavailable) as caught:
        await both("system.live")
    assert (caught.value.status, server.pauses) == (503, [2.0, 2.0])


@pytest.mark.parametrize("after", [None, "31", "soon", "-1", "", "Sun, 01 Mar 2026 12:05:00 GMT"])
async def test_no_wait_that_is_too_long_or_not_asked_for(make: Any, server: Any, after: str | None) -> None:
    server.answer(refused(429, "rate_limited", **({} if after is None else {"Retry-After": after})), OK)
    with pytest.raises(RateLimited):
        await make(retries=Retries(clock=FakeClock()))("system.live")
    assert server.pauses == []


async def test_a_date_is_waited_for(make: Any, server: Any) -> None:
    clock = FakeClock(datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC))
    both = make(retries=Retries(clock=clock))
    for date, pause in [("Sun, 01 Mar 2026 12:00:07 GMT", 7.0), ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0)]:
        server.answer(refused(503, "store_unavailable", **{"Retry-After": date}), OK)
        await both("system.live")
        assert server.pauses.pop() == pause


@pytest.mark.parametrize("status", [400, 404, 500, 502])
async def test_other_errors_are_told_at_once(both: Any, server: Any, status: int) -> None:
    server.answer(refused(status, "not_found", **{"Retry-After": "1"}), OK)
    with pytest.raises(NotFound):
        await both("system.live")


async def test_one_may_do_without(make: Any, server: Any) -> None:
    server.answer(LOST, OK)
    with pytest.raises(ServerUnreachable):
        await make(retries=Retries(most=0))("system.live")


AGAIN = [
    ("agents.create", (), {"name": "x"}),
    ("memories.create", ("ag",), {"text": "x"}),
    ("memories.list", ("ag",), {}),
    ("blocks.put", ("user", "USER"), {"owner": "u", "text": ""}),
    ("memories.delete", ("ag", "mem_1"), {}),
]
ONCE = [
    ("turns.run", ("ag", "hi"), {}),
    ("turns.stream", ("ag", "hi"), {}),
    ("turns.generate", ("ag", "hi"), {}),
    ("chat.send", ("hi",), {}),
    ("chat.stream", ("hi",), {}),
    ("agents.update", ("ag",), {"name": "x"}),
    ("keys.create", (), {"name": "x"}),
    ("blocks.add", ("user", "USER"), {"owner": "u", "content": "x"}),
    ("turns.save_memory", ("ag", "x"), {}),
    ("turns.edit_block", ("ag", "USER", Add("x")), {}),
    ("memories.update", ("ag", "mem_1"), {"text": "x"}),
]


@pytest.mark.parametrize(
    ("path", "args", "kwargs"), AGAIN + ONCE, ids=lambda value: value if isinstance(value, str) else ""
)
@pytest.mark.parametrize("answer", [LOST, BUSY], ids=["lost", "busy"])
async def test_only_what_is_safe_is_sent_again(
    both: Any, server: Any, path: str, args: tuple[Any, ...], kwargs: dict[str, Any], answer: Any
) -> None:
    server.answer(answer)
    with pytest.raises((ServerUnreachable, StoreUnavailable)):
        await both(path, *args, **kwargs)
    assert len(server.requests) == (3 if (path, args, kwargs) in AGAIN else 1)


def test_the_lists_above_are_whole() -> None:
    assert not any(call.again for call in (turns.run("a", "b"), turns.generate("a", "b"), chat.send("a")))
    assert agents.create(name="x").again
    assert not keys.create(name="x").again
    assert not turn_memory.delete_memory("a", "b").again
    assert memories.get("a", "b").again
    assert blocks.delete("user", "K", owner="u").again


@pytest.mark.parametrize(("path", "args", "kwargs"), AGAIN[:2])
async def test_a_create_has_the_same_key_each_time_it_is_sent(
    both: Any, server: Any, path: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    for _ in range(2):
        server.answer(LOST)
        with pytest.raises(ServerUnreachable):
            await both(path, *args, **kwargs)
    keys = [request.headers["Idempotency-Key"] for request in server.requests]
    assert keys[0] == keys[1] == keys[2] != keys[3] == keys[4] == keys[5]
    server.answer(LOST)
    with pytest.raises(ServerUnreachable):
        await both(path, *args, **kwargs, idempotency_key="mine")
    assert server.requests[-1].headers.get_list("Idempotency-Key") == ["mine"]


async def test_a_deletion_whose_answer_was_lost_is_done(both: Any, server: Any) -> None:
    server.answer(LOST, GONE)
    assert await both("memories.delete", "ag", "mem_1") is None
    server.answer(BUSY, GONE)
    with pytest.raises(NotFound):
        await both("memories.delete", "ag", "mem_1")
    server.answer(LOST, GONE)
    with pytest.raises(NotFound):
        await both("memories.get", "ag", "mem_1")


def test_pauses_grow_and_are_bounded() -> None:
    full = Retries(most=10, chance=lambda: 1.0)
    assert [full.after_failure(attempt) for attempt in range(8)] == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    assert Retries(chance=lambda: 0.0).after_failure(0) == 0.25
    assert full.after_failure(10) is None
