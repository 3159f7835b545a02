"""Commands to a server through Upstash's REST protocol."""

import base64
import binascii
from collections.abc import Sequence
from typing import Final, cast

import httpx2
import msgspec

from wellkept.model.errors import Misconfigured, StoreFailed, StoreUnavailable, WellkeptError
from wellkept.stores.redis.link import Command, Link, Refusal, Reply
from wellkept.stores.redis.loops import PerLoop
from wellkept.stores.upstash.address import Address

_READ_ATTEMPTS: Final = 3
"""Connections that a read may find broken."""

_OVER_QUOTA: Final = ("max requests limit", "max daily request limit")
"""What Upstash says, after an `ERR`, to those who asked more than they pay for."""


class _Answer(msgspec.Struct, frozen=True):
    result: object = None
    error: str | None = None


class RestLink(Link):
    """One database. Nothing is ever sent twice by itself, but reads whose connection broke.

    A write whose answer was lost may have been carried out. Who repeats it
    with the etag that it replaces is safe: it changes nothing if the store holds that
    text already, and raises `Conflict` if it holds another.
    """

    name = "upstash"

    def __init__(self, address: Address, *, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        """Talk to `address`, through another transport than the network if one is given."""
        self._address = address
        self._transport = transport
        self._clients = PerLoop(self._make, _close, store=self.name)

    async def send(self, commands: Sequence[Command], *, shard: str | None = None, again: bool = False) -> list[Reply]:
        path, body = ("/", commands[0]) if len(commands) == 1 else ("/pipeline", tuple(commands))
        answer = await self._post(path, msgspec.json.encode(body), again=again)
        answers = _answers(answer, single=len(commands) == 1)
        if len(answers) != len(commands):
            raise StoreFailed(store=self.name, reason="ANSWERS", status=answer.status_code)
        return [_reply(one) for one in answers]

    async def close(self) -> None:
        await self._clients.close()

    def _make(self) -> httpx2.AsyncClient:
        address = self._address
        return httpx2.AsyncClient(
            base_url=address.base,
            headers={
                "Authorization": f"Bearer {address.token}",
                "Content-Type": "application/json",
                # Without it, what is no UTF-8 would come back changed.
                "Upstash-Encoding": "base64",
            },
            timeout=address.timeout,
            limits=httpx2.Limits(max_connections=address.connections, max_keepalive_connections=address.connections),
            follow_redirects=False,
            transport=self._transport,
        )

    async def _post(self, path: str, body: bytes, *, again: bool) -> httpx2.Response:
        client = self._clients.here()
        attempt = 0
        while True:
            attempt += 1
            try:
                return await client.post(path, content=body)
            except httpx2.TimeoutException as error:
                raise StoreUnavailable(store=self.name, reason="TIMEOUT") from error
            except httpx2.HTTPError as error:
                if not again or attempt == _READ_ATTEMPTS:
                    raise StoreUnavailable(store=self.name, reason="CONNECTION") from error


async def _close(client: httpx2.AsyncClient) -> None:
    await client.aclose()


def _answers(response: httpx2.Response, *, single: bool) -> list[_Answer]:
    """Read what came.

    Raises:
        WellkeptError: It is no answer to commands.
    """
    status = response.status_code
    if status not in (200, 400):
        raise _failure(response)
    try:
        if single:
            return [msgspec.json.decode(response.content, type=_Answer)]
        if status == 200:
            return msgspec.json.decode(response.content, type=list[_Answer])
    except msgspec.DecodeError as error:
        raise StoreFailed(store=RestLink.name, reason="NOT_JSON", status=status) from error
    raise StoreFailed(store=RestLink.name, reason="REFUSED", status=status)


def _failure(response: httpx2.Response) -> WellkeptError:
    status = response.status_code
    if status in (401, 403):
        return Misconfigured(store=RestLink.name, problem="the server does not know this token", status=status)
    if status == 429:
        return StoreUnavailable(store=RestLink.name, reason="RATE", retry_after=_seconds(response))
    if status >= 500:
        return StoreUnavailable(store=RestLink.name, reason="HTTP", status=status)
    return Misconfigured(store=RestLink.name, problem="this is no REST server of Upstash's kind", status=status)


def _seconds(response: httpx2.Response) -> int | None:
    """Read after how long one may ask again."""
    value = response.headers.get("Retry-After", "")
    return int(value) if value.isascii() and value.isdecimal() else None


def _reply(answer: _Answer) -> Reply:
    if answer.error is None:
        return _decoded(answer.result)
    if any(words in answer.error for words in _OVER_QUOTA):
        raise StoreUnavailable(store=RestLink.name, reason="QUOTA")
    first, _, _ = answer.error.partition(" ")
    return Refusal(first if first.isupper() and first.isalpha() else "ERR")


def _decoded(result: object) -> Reply:
    match result:
        case None | int():
            return result
        case "OK":
            return b"OK"  # the one word that comes as it is; no base64 has two letters
        case str():
            try:
                return base64.b64decode(result, validate=True)
            except binascii.Error as error:
                raise StoreFailed(store=RestLink.name, reason="NOT_BASE64") from error
        case list():
            return [_decoded(part) for part in cast("list[object]", result)]
        case _:
            raise StoreFailed(store=RestLink.name, reason="NO_REPLY")
