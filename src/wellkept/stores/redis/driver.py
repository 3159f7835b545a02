"""Commands to a server, or a cluster of them, through redis-py."""

import asyncio
from abc import abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, Protocol, TypeVar, cast

import redis.asyncio
from redis import exceptions
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from wellkept.model.errors import StoreUnavailable, WellkeptError
from wellkept.stores.redis.address import Address
from wellkept.stores.redis.link import Command, Link, Refusal, Reply, Word
from wellkept.stores.redis.loops import PerLoop
from wellkept.stores.redis.problems import translated

T = TypeVar("T")

_READ_ATTEMPTS: Final = 3
"""Connections that a read may find broken: those that were open when the server was restarted."""

_CODES: Final[dict[type[Exception], str]] = {
    exceptions.AuthenticationError: "WRONGPASS",
    exceptions.AuthorizationError: "NOPERM",
    exceptions.BusyLoadingError: "LOADING",
    exceptions.ClusterDownError: "CLUSTERDOWN",
    exceptions.MasterDownError: "MASTERDOWN",
    exceptions.MaxConnectionsError: "CONNECTIONS",
    exceptions.RedisClusterException: "CONNECTION",  # none of its servers could be asked, or none keeps a slot
}
"""Errors that the driver raises instead of handing over what the server said."""


class _Runs(Protocol):
    """What runs a command. (The driver says nothing of what comes back.)"""

    def execute_command(self, *command: Word) -> Awaitable[object]:
        """Send a command."""
        ...


class _Gathers(Protocol):
    """A pipeline of the driver."""

    def execute_command(self, *command: Word) -> object:
        """Remember a command."""
        ...

    def execute(self, *, raise_on_error: bool) -> Awaitable[list[object]]:
        """Send them all."""
        ...


class _Client:
    """A client of one event loop, and how many may use it at once."""

    def __init__(self, client: "redis.asyncio.Redis | redis.asyncio.RedisCluster", connections: int) -> None:
        self.client = client
        self.lines = asyncio.Semaphore(connections)


class _DriverLink(Link):
    """What a single server and a cluster have in common: waiting, trying reads again, errors."""

    name = "redis"

    def __init__(self, address: Address) -> None:
        self._address = address
        self._clients = PerLoop(self._make, _close, store=self.name)

    async def close(self) -> None:
        await self._clients.close()

    @abstractmethod
    def _make(self) -> _Client:
        """Make a client for the running loop; nothing is sent yet."""

    async def _tried(self, work: Callable[[], Awaitable[T]], *, again: bool) -> T:
        attempt = 0
        while True:
            attempt += 1
            try:
                return await work()
            except (exceptions.RedisError, exceptions.RedisClusterException, OSError) as error:
                code = _code(error)
                if not (again and code == "CONNECTION" and attempt < _READ_ATTEMPTS):
                    raise _failure(error, code) from error

    @asynccontextmanager
    async def _line(self, client: _Client) -> AsyncGenerator[None]:
        """Wait until a connection may be used."""
        try:
            async with asyncio.timeout(self._address.timeout):
                await client.lines.acquire()
        except TimeoutError as error:
            raise StoreUnavailable(store=self.name, reason="all connections are in use") from error
        try:
            yield
        finally:
            client.lines.release()


class ServerLink(_DriverLink):
    """One server."""

    def _make(self) -> _Client:
        address = self._address
        client = redis.asyncio.Redis(
            host=address.host,
            port=address.port,
            unix_socket_path=address.socket,
            username=address.user,
            password=address.password,
            db=address.database,
            ssl=address.tls,
            ssl_ca_certs=address.ca,
            socket_timeout=address.timeout,
            socket_connect_timeout=address.timeout,
            retry=_never(),
            protocol=2,
        )
        client.response_callbacks.clear()  # answers as they came
        return _Client(client, address.connections)

    async def send(self, commands: Sequence[Command], *, shard: str | None = None, again: bool = False) -> list[Reply]:
        here = self._clients.here()
        client = cast("redis.asyncio.Redis", here.client)

        async def once() -> list[Reply]:
            if len(commands) == 1:
                return [await _reply(client, commands[0])]
            pipeline = cast("_Gathers", client.pipeline(transaction=False))
            for command in commands:
                pipeline.execute_command(*command)
            return [_as_reply(answer) for answer in await pipeline.execute(raise_on_error=False)]

        async with self._line(here):
            return await self._tried(once, again=again)


class ClusterLink(_DriverLink):
    """A cluster, whose servers are found through any one of them."""

    apart = True

    def _make(self) -> _Client:
        address = self._address
        client = redis.asyncio.RedisCluster(
            host=address.host,
            port=address.port,
            username=address.user,
            password=address.password,
            ssl=address.tls,
            ssl_ca_certs=address.ca,
            socket_timeout=address.timeout,
            socket_connect_timeout=address.timeout,
            max_connections=address.connections,
            retry=_never(),
            protocol=2,
        )
        # Answers as they came, but for those to questions of the driver itself.
        for command in [name for name in client.response_callbacks if not name.startswith(("CLUSTER", "COMMAND"))]:
            del client.response_callbacks[command]
        return _Client(client, address.connections)

    async def shards(self) -> Sequence[str]:
        client = cast("redis.asyncio.RedisCluster", self._clients.here().client)

        async def names() -> list[str]:
            await client.initialize()
            return sorted(node.name for node in client.get_primaries())

        return await self._tried(names, again=True)

    async def send(self, commands: Sequence[Command], *, shard: str | None = None, again: bool = False) -> list[Reply]:
        here = self._clients.here()
        client = cast("redis.asyncio.RedisCluster", here.client)

        async def one(command: Command) -> Reply:
            async def once() -> Reply:
                if shard is None:
                    return await _reply(client, command)
                await client.initialize()
                node = client.get_node(node_name=shard)
                if node is None:
                    raise exceptions.ConnectionError
                return await _reply(node, command)

            async with self._line(here):
                return await self._tried(once, again=again)

        # All, before any failure is told: nothing of this call is under way when it has ended.
        answers = await asyncio.gather(*(one(command) for command in commands), return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        return cast("list[Reply]", answers)


def link_to(address: Address) -> Link:
    """Give the way to a server or cluster; nothing is sent yet."""
    return ClusterLink(address) if address.cluster else ServerLink(address)


def _never() -> Retry:
    """Let the driver send nothing twice: a write whose answer was lost may have been carried out."""
    return Retry(NoBackoff(), 0)


async def _close(client: _Client) -> None:
    await client.client.aclose()


async def _reply(client: object, command: Command) -> Reply:
    try:
        return _as_reply(await cast("_Runs", client).execute_command(*command))
    except exceptions.ResponseError as error:
        return _as_reply(error)


def _as_reply(answer: object) -> Reply:
    """Take an answer as it is; the driver's types say nothing about it."""
    if isinstance(answer, str):
        return answer.encode()
    if isinstance(answer, Exception):
        return Refusal(_code(answer), answer)
    return cast("Reply", answer)


def _code(error: Exception) -> str:
    """Give the first word of what the server said, or a word for what the driver says."""
    if isinstance(error, exceptions.RedisClusterException) and "Cluster mode is not enabled" in str(error):
        return "NOCLUSTER"
    said = getattr(error, "status_code", None)  # the driver takes it off the message of errors that it knows
    if isinstance(said, str):
        return said
    for kind, code in _CODES.items():
        if isinstance(error, kind):
            return code
    if isinstance(error, exceptions.TimeoutError):
        return "TIMEOUT"
    if isinstance(error, exceptions.ConnectionError | OSError):
        cause = error.__cause__  # what the server said when the connection was made
        return _code(cause) if isinstance(cause, exceptions.RedisError) else "CONNECTION"
    first, _, _ = str(error).partition(" ")
    return first if first.isupper() and first.isalpha() else "ERR"


def _failure(error: Exception, code: str) -> WellkeptError:
    if code in ("TIMEOUT", "CONNECTION", "CONNECTIONS"):
        return StoreUnavailable(store=_DriverLink.name, reason=code)
    return translated(Refusal(code, error), store=_DriverLink.name)
