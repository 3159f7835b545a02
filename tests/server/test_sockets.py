"""A server that listens: bytes that are not HTTP, ports, leaving callers, and its end."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

import running_server
from house import open_house
from running_server import Running, running
from wellkept.model.errors import Closed, InvalidSetting
from wellkept.server import listen, serve


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as made:
        yield made


def exchange(server: Running, sent: bytes) -> bytes:
    """Send bytes, and give all that comes back until the server hangs up."""
    address = urlsplit(server.url)
    assert address.hostname is not None
    with socket.create_connection((address.hostname, address.port or 0), timeout=10) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        found = b""
        while piece := connection.recv(65_536):
            found += piece
        return found


def request(server: Running, target: str, *headers: str, key: str | None = None) -> bytes:
    lines = [f"GET {target} HTTP/1.1", "Host: x", "Connection: close", *headers]
    lines += [f"Authorization: Bearer {server.key if key is None else key}"] if key != "" else []
    return exchange(server, "\r\n".join([*lines, "", ""]).encode("latin-1"))


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize(
    "sent", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 300_000]
)
def test_what_is_not_http_is_a_typed_refusal(server: Running, sent: bytes) -> None:
    answer = exchange(server, sent)
    assert status(answer) == 400
    assert b'"code":"bad_http"' in answer
    assert re.search(rb"x-request-id: req_[0-9A-Za-z]{16}", answer)


def test_addresses_come_as_they_were_sent(server: Running) -> None:
    for target in ("/v1/../live", "//v1/agents", "/V1/agents", "/v1/agents/..%2f..%2fadmin", "/%6cive"):
        assert status(request(server, target, key="")) == 401, target
        assert status(request(server, target)) == 404, target
    assert status(request(server, f"/v1/agents/{server.agent}/memories?limit=%ff")) == 400


def test_a_huge_key_is_no_key_and_huge_headers_are_refused(server: Running) -> None:
    assert status(request(server, "/v1/agents", key="a" * 100_000)) == 401
    answer = request(server, "/v1/agents", "X-Anything: " + "x" * 100_000)
    assert (status(answer), b'"code":"head_too_large"' in answer) == (431, True)


def test_a_body_is_not_read_beyond_its_bound(server: Running) -> None:
    head = (
        f"POST /v1/agents/{server.agent}/memories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.key}\r\n"
        "Content-Type: application/json\r\n"
    )
    said = exchange(server, (head + "Content-Length: 99999999\r\n\r\n").encode())
    chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
    streamed = exchange(server, (head + "Transfer-Encoding: chunked\r\n\r\n").encode() + chunk * 17)
    for answer in (said, streamed):
        assert (status(answer), b"connection: close" in answer.lower()) == (413, True)


def test_a_port_that_is_taken_makes_it_take_the_next() -> None:
    first = listen("127.0.0.1", 0)
    second = listen("127.0.0.1", first.port)
    try:
        assert (second.asked, second.port > first.port) == (first.port, True)
        assert second.url == f"http://127.0.0.1:{second.port}"
    finally:
        first.socket.close()
        second.socket.close()
    with pytest.raises(InvalidSetting):
        listen("192.0.2.1", 0)


def test_a_turn_ends_when_its_caller_leaves(server: Running) -> None:
    turns = server.house.turns
    turns.seconds, before = 30, turns.cancelled
    try:
        with pytest.raises(httpx2.TimeoutException):
            httpx2.post(
                f"{server.url}/v1/agents/{server.agent}/generation",
                json={"prompt": "hi"},
                headers={"Authorization": f"Bearer {server.key}", "Accept": "text/event-stream"},
                timeout=0.5,
            )
        deadline = time.monotonic() + 5
        while turns.cancelled == before and time.monotonic() < deadline:
            time.sleep(0.01)
        assert turns.cancelled == before + 1
    finally:
        turns.seconds = 0


def test_a_server_that_is_cancelled_closes_and_complains_of_nothing(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    states: list[str] = []

    async def main() -> None:
        async with open_house(f"sqlite:///{tmp_path}/data.db") as house:
            started = asyncio.Event()
            serving = asyncio.create_task(serve(house.app, listen("127.0.0.1", 0), started=started.set))
            await started.wait()
            serving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await serving
            try:
                await house.services.stores.directory.tenants()
            except Closed:
                states.append("closed")

    asyncio.run(main())
    assert states == ["closed"]
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_a_server_that_is_told_to_stop_finishes_what_it_began(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, running_server.__file__, f"sqlite:///{tmp_path}/data.db"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    try:
        assert child.stdout is not None
        url, key, agent = child.stdout.readline().split()
        headers = {"Authorization": f"Bearer {key}"}
        answers: list[httpx2.Response] = []

        def turn() -> None:
            path = f"{url}/v1/agents/{agent}/sessions"
            answers.append(httpx2.post(path, json={"message": "hi"}, headers=headers, timeout=20))

        running_turn = threading.Thread(target=turn)
        # A client of before: making one may take as long as the server goes on to say that it stops.
        with httpx2.Client(headers={"Connection": "close"}) as client:
            assert client.get(f"{url}/ready").status_code == 200
            running_turn.start()
            time.sleep(0.4)
            child.send_signal(signal.SIGTERM)
            time.sleep(0.15)
            stopping = client.get(f"{url}/ready")
        assert (stopping.status_code, stopping.json()["error"]["code"]) == (503, "server_stopping")
        running_turn.join(20)
        assert answers[0].status_code == 201
        assert child.stdout.readline().split() == ["stopped", "0", "closed"]
        assert child.wait(20) == 0
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(f"{url}/live")
    finally:
        child.kill()
        child.wait()
