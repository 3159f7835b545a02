"""Upstash's REST protocol in front of a server of Redis' kind.

`POST /` takes a command as a JSON array, `POST /pipeline` and `POST
/multi-exec` an array of commands. A bearer token lets in; with
`Upstash-Encoding: base64` every text in an answer is base64, but `OK`.
"""

import base64
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import redis

from redis_server import client_of, kept, shared_url

TOKEN = "AX-token_of+the/front="
UNAVAILABLE = frozenset({"CONFIG", "MONITOR", "CLIENT", "SAVE", "BGSAVE", "SHUTDOWN"})
"""What Upstash does not let one ask."""


class Front(ThreadingHTTPServer):
    """The server. `seen` are the paths that were asked for."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, client: "redis.Redis") -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.client = client
        self.seen: list[str] = []

    @property
    def url(self) -> str:
        token = TOKEN.replace("+", "%2B").replace("/", "%2F")
        return f"upstash://:{token}@127.0.0.1:{self.server_port}?tls=false"


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # one write an answer
    server: Front

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append(self.path)
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self._answer(401, {"error": "Unauthorized"})
        encoded = self.headers["Upstash-Encoding"] == "base64"
        try:
            asked = json.loads(body)
        except ValueError:
            return self._answer(400, {"error": "ERR failed to parse command"})
        match self.path:
            case "/":
                (answer,) = self._run([asked], encoded, transaction=False)
                return self._answer(400 if "error" in answer else 200, answer)
            case "/pipeline" | "/multi-exec":
                return self._answer(200, self._run(asked, encoded, transaction=self.path == "/multi-exec"))
            case _:
                return self._answer(404, {"error": "Not Found"})

    def _run(self, commands: list[list[object]], encoded: bool, *, transaction: bool) -> list[Mapping[str, object]]:
        if transaction and any(is_unavailable(command) for command in commands):
            return [{"error": "EXECABORT Transaction discarded because of previous errors."} for _ in commands]
        pipeline = self.server.client.pipeline(transaction=transaction)
        for command in commands:
            if not is_unavailable(command):
                pipeline.execute_command(*command)
        try:
            answers = iter(pipeline.execute(raise_on_error=False))
        except redis.ConnectionError:
            return [{"error": "ERR the server is gone"} for _ in commands]
        return [REFUSED if is_unavailable(command) else told(next(answers), encoded) for command in commands]

    def _answer(self, status: int, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        return


REFUSED = {"error": "ERR Command is not available"}


def is_unavailable(command: list[object]) -> bool:
    return str(command[0]).upper() in UNAVAILABLE


def told(answer: object, encoded: bool) -> Mapping[str, object]:
    if isinstance(answer, redis.ResponseError):
        code = getattr(answer, "status_code", None)
        return {"error": f"{code} {answer}" if code else str(answer)}
    return {"result": spelled(answer, encoded)}


def spelled(answer: object, encoded: bool) -> object:
    match answer:
        case bytes() if encoded and answer != b"OK":
            return base64.b64encode(answer).decode()
        case bytes():
            return answer.decode("utf-8", "replace")
        case list():
            return [spelled(part, encoded) for part in answer]
        case _:
            return answer


@contextmanager
def serving_front(redis_url: str) -> Iterator[Front]:
    """Serve while the body runs."""
    client = client_of(redis_url)
    client.response_callbacks.clear()
    front = Front(client)
    thread = threading.Thread(target=front.serve_forever, daemon=True)
    thread.start()
    try:
        yield front
    finally:
        front.shutdown()
        front.server_close()
        client.close()


@cache
def shared_front() -> Front:
    """Give the front of this run, started at the first call, on the shared server."""
    return kept(serving_front(shared_url()))
