"""A provider of models on this machine: the small part of OpenAI's chat completions that an agent loop needs.

It plays a script. Each request takes the next `Reply`, and is kept for the test to look at.
"""

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(kw_only=True)
class Reply:
    """What to answer: a text or tool calls; else a status, raw bytes, silence, or a line that is cut."""

    text: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    """Tool calls: name, and arguments as they are sent (which may be no JSON)."""
    status: int = 200
    raw: bytes | None = None
    hang: threading.Event | None = None
    """Say nothing until it is set."""
    cut: bool = False
    """Hang up in the middle of a stream."""


@dataclass
class Peer:
    """The server's side, as a test sees it."""

    url: str
    script: deque[Reply] = field(default_factory=deque)
    requests: list[dict[str, Any]] = field(default_factory=list)

    def plays(self, *replies: Reply) -> None:
        self.script.extend(replies)

    def system(self, request: int = -1) -> str:
        """What the model was told before everything else."""
        messages = self.requests[request]["messages"]
        return "\n".join(message["content"] for message in messages if message["role"] in ("system", "developer"))


@contextmanager
def peer() -> Iterator[Peer]:
    """Serve on a free port of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    played = Peer(f"http://127.0.0.1:{server.server_address[1]}/v1")
    server.peer = played  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield played
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        played: Peer = self.server.peer  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        played.requests.append(body)
        reply = played.script.popleft()
        try:
            self._answer(reply, body)
        except BrokenPipeError:
            pass  # the other side gave up waiting, which is what some tests are about

    def _answer(self, reply: Reply, body: dict[str, Any]) -> None:
        if reply.hang is not None:
            reply.hang.wait(20)
        if reply.status != 200:
            self._send(reply.status, json.dumps({"error": {"message": body["messages"][-1]["content"]}}).encode())
        elif reply.raw is not None:
            self._send(200, reply.raw)
        elif body.get("stream"):
            self._stream(reply)
        else:
            self._send(200, json.dumps(_completion(reply)).encode())

    def _send(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, reply: Reply) -> None:
        chunks = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in _chunks(reply)]
        if reply.cut:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(chunks[0])
            self.wfile.flush()
            self.close_connection = True
        else:
            self._send(200, b"".join([*chunks, b"data: [DONE]\n\n"]), "text/event-stream")

    def log_message(self, format: str, *args: object) -> None: ...


def _calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {"index": index, "id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for index, (name, arguments) in enumerate(reply.calls)
    ]


def _completion(reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = _calls(reply)
    return _envelope("chat.completion") | {
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if reply.calls else "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def _chunks(reply: Reply) -> Iterator[dict[str, Any]]:
    pieces = [reply.text[at : at + 4] for at in range(0, len(reply.text), 4)]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": piece} for piece in pieces]
    for call in _calls(reply):
        arguments = call["function"]["arguments"]
        half = len(arguments) // 2
        deltas.append({"tool_calls": [call | {"function": call["function"] | {"arguments": arguments[:half]}}]})
        deltas.append({"tool_calls": [{"index": call["index"], "function": {"arguments": arguments[half:]}}]})
    for delta in deltas:
        yield _envelope("chat.completion.chunk") | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    reason = "tool_calls" if reply.calls else "stop"
    yield _envelope("chat.completion.chunk") | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield _envelope("chat.completion.chunk") | {
        "choices": [],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def _envelope(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": "peer"}
