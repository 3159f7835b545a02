"""Streams of events."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import pytest

from wellkept.client.event_stream import Frame, Frames
from wellkept.model.errors import ModelFailed, ServerFailed, ServerUnreachable, SessionBusy
from wellkept.wire.events import ChatDoneEvent, DoneEvent, MemoryChangeEvent, TextEvent, ToolCallEvent

ANSWER = {
    "text": "Hi Sam",
    "sessionId": "s1",
    "agentId": "ag",
    "version": 1,
    "memoryChanges": [],
    "receipt": {},
    "usage": {},
}


class Chunks(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A body that comes in pieces, and may break off."""

    def __init__(self, *chunks: bytes | Exception) -> None:
        self._chunks = chunks
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk

    def close(self) -> None:
        self.closed = True

    async def aclose(self) -> None:
        self.closed = True


def event(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def told(*chunks: bytes | Exception, status: int = 200) -> httpx2.Response:
    headers = {"Content-Type": "text/event-stream", "X-Request-Id": "req_1"}
    return httpx2.Response(status, stream=Chunks(*chunks), headers=headers)


DONE = event("done", answer=ANSWER)
CHANGE = {"kind": "block", "action": "add", "id": "user/USER", "state": "done"}


async def test_events_are_typed(both: Any, server: Any) -> None:
    whole = event("text", text="Hi ") + event("memory_change", change=CHANGE) + event("text", text="Sam") + DONE
    server.answer(told(whole))
    events = await both("turns.stream", "ag", "call me Sam", session_id="s1", user_id="u")
    assert [type(each) for each in events] == [TextEvent, MemoryChangeEvent, TextEvent, DoneEvent]
    assert events[1].change.id == "user/USER"
    assert events[-1].answer.text == "Hi Sam"
    assert server.request.headers["Accept"] == "text/event-stream"


async def test_the_chat_router_s_too(both: Any, server: Any) -> None:
    answer = {"sessionId": "s1", "response": "Hi", "timestamp": "2026-01-02T03:04:05Z"}
    call = event("tool_call", id="1", name="save_memory", arguments={"text": "x"})
    server.answer(told(call + event("done", answer=answer)))
    events = await both("chat.stream", "hi", internal=True)
    assert [type(each) for each in events] == [ToolCallEvent, ChatDoneEvent]


async def test_events_that_this_version_does_not_know_are_passed_over(both: Any, server: Any) -> None:
    server.answer(told(event("thinking", text="…") + b"data: {}\n\n" + DONE + event("text", text="after the end")))
    assert [type(each) for each in await both("turns.stream", "ag", "hi")] == [DoneEvent]


async def test_however_the_bytes_are_cut(both: Any, server: Any) -> None:
    whole = ("\ufeff: hello\n\n" + event("text", text="é用户\U0001f600").decode()).encode() + DONE
    for text in (whole, whole.replace(b"\n", b"\r\n"), whole.replace(b"\n", b"\r") + b"\n"):
        for size in (1, 2, 3, 7):
            server.answer(told(*(text[at : at + size] for at in range(0, len(text), size))))
            events = await both("turns.stream", "ag", "hi")
            assert (events[0].text, type(events[1])) == ("é用户\U0001f600", DoneEvent)


@pytest.mark.parametrize("error", [event("error", error={"code": "model_failed", "message": "m"})])
async def test_an_event_of_an_error_is_raised(both: Any, server: Any, error: bytes) -> None:
    server.answer(told(event("text", text="Hi"), error))
    with pytest.raises(ModelFailed) as caught:
        await both("turns.stream", "ag", "hi")
    assert (caught.value.status, caught.value.request_id) == (200, "req_1")


async def test_what_came_before_an_error_is_given(both: Any, server: Any) -> None:
    server.answer(told(event("text", text="Hi") + event("error", error={"code": "model_failed", "message": "m"})))
    events = both.client.turns.stream("ag", "hi")
    first = await anext(events) if hasattr(events, "__anext__") else next(events)
    assert first == TextEvent(text="Hi")


async def test_an_error_before_the_first_event_is_read_whole(both: Any, server: Any) -> None:
    body = json.dumps({"error": {"code": "session_busy", "message": "m"}}).encode()
    server.answer(told(body[:9], body[9:], status=409))
    with pytest.raises(SessionBusy) as caught:
        await both("turns.stream", "ag", "hi")
    assert caught.value.status == 409


BROKEN = {
    "nothing": (b"",),
    "an end without the last event": (event("text", text="Hi"),),
    "half a last event": (DONE[:-1],),
    "no JSON": (b"event: text\ndata: {\n\n",),
    "another shape": (event("done", answer={}),),
    "another name than its type": (b'event: text\ndata: {"type": "other"}\n\n',),
    "no UTF-8": (b'event: text\ndata: {"type":"text","text":"\xff"}\n\n',),
    "a web page": (b"<html>\n\n</html>",),
}


@pytest.mark.parametrize("chunks", BROKEN.values(), ids=BROKEN)
async def test_a_stream_that_is_broken_is_a_failure_of_the_server(
    both: Any, server: Any, chunks: tuple[bytes, ...]
) -> None:
    server.answer(told(*chunks))
    with pytest.raises(ServerFailed) as caught:
        await both("turns.stream", "ag", "hi")
    assert (caught.value.status, caught.value.request_id) == (200, "req_1")


async def test_a_stream_that_breaks_off_is_a_server_out_of_reach(both: Any, server: Any) -> None:
    server.answer(told(event("text", text="Hi"), httpx2.ReadError("gone")))
    with pytest.raises(ServerUnreachable):
        await both("turns.stream", "ag", "hi")
    assert len(server.requests) == 1


async def test_who_stops_listening_closes_the_answer(both: Any, server: Any) -> None:
    body = Chunks(event("text", text="Hi"), event("text", text="Ho"), DONE)
    server.answer(httpx2.Response(200, stream=body))
    events = both.client.turns.stream("ag", "hi")
    if hasattr(events, "__anext__"):
        async with events:
            await anext(events)
    else:
        with events:
            next(events)
    assert body.closed


def test_frames() -> None:
    text = b"\xef\xbb\xbf:note\r\nid: 5\ndata:a\ndata: b\ndata\n\nevent: x\n\nevent:y\ndata:  c\nretry: 1\n\ndata: lost"
    assert Frames().feed(text) == [Frame("message", b"a\nb\n"), Frame("y", b" c")]


def test_a_byte_order_mark_is_passed_over_once() -> None:
    frames = Frames()
    assert frames.feed(b"\xef\xbb") == frames.feed(b"\xbf") == []
    assert frames.feed(b"data: a\n\n\xef\xbb\xbfdata: b\n\n") == [Frame("message", b"a")]


def test_a_lone_cr_waits_for_its_lf() -> None:
    frames = Frames()
    assert frames.feed(b"data: a\r") == []
    assert frames.feed(b"\n\r") == []
    assert frames.feed(b"\ndata: b\r\r") == [Frame("message", b"a")]
    assert frames.feed(b"x") == [Frame("message", b"b")]
