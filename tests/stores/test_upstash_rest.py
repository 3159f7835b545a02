"""Upstash's REST protocol: what is sent, and every way in which a server can fail to answer."""

import asyncio
import json
from collections.abc import Callable

import httpx2
import pytest

import redis_server
import upstash_front
from wellkept.contract.block_store import ANY
from wellkept.model.errors import Conflict, Misconfigured, StoreFailed, StoreFull, StoreUnavailable, WellkeptError
from wellkept.stores import redis, upstash
from wellkept.stores.redis.blocks import RedisBlocks
from wellkept.stores.redis.keys import Keys
from wellkept.stores.upstash.address import Address, parse
from wellkept.stores.upstash.rest import RestLink
from wellkept.testing.samples import a_block, a_change, a_key

Handler = Callable[[httpx2.Request], httpx2.Response]


def store_on(handler: Handler) -> RedisBlocks:
    return RedisBlocks(RestLink(parse("upstash://:t@h"), transport=httpx2.MockTransport(handler)), Keys())


def test_a_url_names_a_database() -> None:
    assert parse("upstash://:a%2Bb@db.upstash.io") == Address(base="https://db.upstash.io", token="a+b")
    assert parse("upstash://tok@db.upstash.io:444?prefix=app&timeout=2&connections=3") == Address(
        base="https://db.upstash.io:444", token="tok", prefix="app", timeout=2, connections=3
    )
    assert parse("upstash://:t@localhost:1?tls=false").base == "http://localhost:1"
    assert parse("upstash://:t@[::1]:1").base == "https://[::1]:1"


@pytest.mark.parametrize(
    "url",
    ["upstash://", "upstash://db", "upstash://:sec-ret@", "upstash://:sec-ret@h/path", "upstash://:sec-ret@h?x=1",
     "upstash://:sec-ret@h?tls=no", "upstash://:sec-ret@h:x", "upstash://:sec-ret%0A@h", "https://:sec-ret@h", "upstash://:t@h?sec-ret"],
)  # fmt: skip
def test_what_names_none_says_how_to_and_no_token(url: str) -> None:
    with pytest.raises(Misconfigured, match="upstash://:TOKEN@") as caught:
        parse(url)
    assert "sec-ret" not in f"{caught.value} {caught.value.__cause__}"


async def test_a_redis_store_on_the_same_server_has_the_same_blocks() -> None:
    url = redis_server.fresh_url(redis_server.shared_url())
    prefix = url.rpartition("=")[2]
    there = await redis.open(url)
    here = await upstash.open(f"{upstash_front.shared_front().url}&prefix={prefix}")
    await there.put(a_block("a\r\n\u00e9\ufeff"), expect=None, change=a_change())
    stored = await here.get(a_key())
    assert stored == a_block("a\r\n\u00e9\ufeff")
    await here.put(a_block("b"), expect=stored.etag, change=a_change())
    with pytest.raises(Conflict):
        await there.put(a_block("c"), expect=stored.etag, change=a_change())
    assert await there.blocks(a_key().tenant, "user", "maya") == [a_block("b")]
    for store in (here, there):
        await store.close()


async def test_what_is_sent() -> None:
    seen: list[tuple[str, str, str, object]] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        sent = request.headers
        body = json.loads(request.content)
        seen.append((request.url.path, sent["Authorization"], sent["Upstash-Encoding"], body))
        nothing = {"result": [None, None, None]}
        return httpx2.Response(200, json=[nothing, nothing] if isinstance(body[0], list) else nothing)

    store = store_on(handle)
    await store.get(a_key())
    await store.get_many([a_key(), a_key("B")])
    one = ["HMGET", "wm:user:maya:USER", "text", "etag", "at"]
    two = ["HMGET", "wm:user:maya:B", "text", "etag", "at"]
    assert seen == [("/", "Bearer t", "base64", one), ("/pipeline", "Bearer t", "base64", [one, two])]


async def test_no_step_waits_longer_than_the_url_says() -> None:
    seen: list[object] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.extensions["timeout"])
        return httpx2.Response(200, json={"result": [None, None, None]})

    link = RestLink(parse("upstash://:t@h?timeout=0.5"), transport=httpx2.MockTransport(handle))
    await RedisBlocks(link, Keys()).get(a_key())
    assert seen == [dict.fromkeys(("connect", "read", "write", "pool"), 0.5)]


class Doorkeeper:
    """A server that answers everybody alike, and counts who is there."""

    def __init__(self, status: int, body: bytes) -> None:
        self.answer = b"HTTP/1.1 %d x\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)
        self.here = self.most = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.here += 1
        self.most = max(self.most, self.here)
        while head := await reader.readline():
            length = 0
            while head.strip():
                name, _, value = head.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                head = await reader.readline()
            await reader.readexactly(length)
            await asyncio.sleep(0.01)
            writer.write(self.answer)
        self.here -= 1
        writer.close()


async def test_there_are_no_more_connections_than_allowed() -> None:
    doorkeeper = Doorkeeper(200, b'{"result": [null, null, null]}')
    async with await asyncio.start_server(doorkeeper.serve, "127.0.0.1", 0) as server:
        address = parse(f"upstash://:t@127.0.0.1:{server.sockets[0].getsockname()[1]}?tls=false&connections=2")
        store = RedisBlocks(RestLink(address), Keys())
        await asyncio.gather(*(store.get(a_key()) for _ in range(20)))
        assert doorkeeper.most == 2
        await store.close()


async def test_a_store_that_cannot_be_opened_leaves_no_connection() -> None:
    doorkeeper = Doorkeeper(401, b"{}")
    async with await asyncio.start_server(doorkeeper.serve, "127.0.0.1", 0) as server:
        with pytest.raises(Misconfigured):
            await upstash.open(f"upstash://:t@127.0.0.1:{server.sockets[0].getsockname()[1]}?tls=false")
        await asyncio.sleep(0.1)
        assert (doorkeeper.most, doorkeeper.here) == (1, 0)


async def test_the_front_runs_transactions_and_refuses_what_upstash_does() -> None:
    front = upstash_front.shared_front()
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{front.server_port}") as client:
        client.headers["Authorization"] = f"Bearer {upstash_front.TOKEN}"
        both = await client.post("/multi-exec", json=[["SET", "front", "x"], ["GET", "front"]])
        assert both.json() == [{"result": "OK"}, {"result": "x"}]
        refused = await client.post("/", json=["CONFIG", "GET", "save"])
        assert (refused.status_code, refused.json()["error"][:3]) == (400, "ERR")


async def test_a_wrong_token_is_said_and_not_told() -> None:
    front = upstash_front.shared_front()
    with pytest.raises(Misconfigured, match="token") as caught:
        await upstash.open(f"upstash://:sec-ret@127.0.0.1:{front.server_port}?tls=false")
    assert "sec-ret" not in caught.value.message


async def test_a_server_that_is_not_there_is_said_at_once() -> None:
    with pytest.raises(StoreUnavailable) as caught:
        await upstash.open("upstash://:t@127.0.0.1:1?tls=false")
    assert caught.value.facts["reason"] == "CONNECTION"


def raising(error: Exception) -> Handler:
    def handle(request: httpx2.Request) -> httpx2.Response:
        raise error

    return handle


def saying(status: int, **response: object) -> Handler:
    return lambda request: httpx2.Response(status, **response)  # type: ignore[arg-type]


FAILURES: dict[str, tuple[Handler, type[WellkeptError], dict[str, object]]] = {
    "401": (saying(401, json={"error": "Unauthorized"}), Misconfigured, {"status": 401}),
    "403": (saying(403, text="no"), Misconfigured, {"status": 403}),
    "404": (saying(404, text="no"), Misconfigured, {"status": 404}),
    "a redirect": (saying(302, headers={"Location": "https://elsewhere"}), Misconfigured, {"status": 302}),
    "429": (saying(429, headers={"Retry-After": "7"}), StoreUnavailable, {"reason": "RATE", "retry_after": 7}),
    "429 without a time": (saying(429), StoreUnavailable, {"reason": "RATE", "retry_after": None}),
    "429 until a date": (
        saying(429, headers={"Retry-After": "Fri, 31 Dec 2027 23:59:59 GMT"}), StoreUnavailable, {"retry_after": None}),
    "502": (saying(502, text="<html>Bad gateway</html>"), StoreUnavailable, {"status": 502}),
    "a timeout": (raising(httpx2.ReadTimeout("slow")), StoreUnavailable, {"reason": "TIMEOUT"}),
    "no connection": (raising(httpx2.ConnectError("refused")), StoreUnavailable, {"reason": "CONNECTION"}),
    "half an answer": (raising(httpx2.RemoteProtocolError("cut")), StoreUnavailable, {"reason": "CONNECTION"}),
    "a page": (saying(200, text="<html>Welcome</html>"), StoreFailed, {"reason": "NOT_JSON"}),
    "nothing": (saying(200, content=b""), StoreFailed, {"reason": "NOT_JSON"}),
    "not UTF-8": (saying(200, content=b"\xff"), StoreFailed, {"reason": "NOT_JSON"}),
    "a list for one": (saying(200, json=[]), StoreFailed, {"reason": "NOT_JSON"}),
    "another type": (saying(200, json={"result": {"a": 1}}), StoreFailed, {"reason": "NO_REPLY"}),
    "not base64": (saying(200, json={"result": ["%", None, None]}), StoreFailed, {"reason": "NOT_BASE64"}),
    "full": (saying(400, json={"error": "OOM command not allowed"}), StoreFull, {"reason": "OOM"}),
    "over the quota": (
        saying(400, json={"error": "ERR max requests limit exceeded. Limit: 500000"}), StoreUnavailable,
        {"reason": "QUOTA"}),
    "words of a user": (saying(400, json={"error": "ERR hush 'likes tea'"}), StoreFailed, {"reason": "ERR"}),
}  # fmt: skip


@pytest.mark.parametrize(("handler", "kind", "facts"), FAILURES.values(), ids=FAILURES.keys())
async def test_every_failure_has_a_name(handler: Handler, kind: type[WellkeptError], facts: dict[str, object]) -> None:
    store = store_on(handler)
    for work in (lambda: store.get(a_key()), lambda: store.put(a_block(), expect=ANY, change=a_change())):
        with pytest.raises(kind) as caught:
            await work()
        assert type(caught.value) is kind
        assert facts.items() <= caught.value.facts.items()
        assert "tea" not in caught.value.message


async def test_too_few_answers_are_none() -> None:
    store = store_on(saying(200, json=[{"result": None}]))
    with pytest.raises(StoreFailed) as caught:
        await store.get_many([a_key(), a_key("B")])
    assert caught.value.facts["reason"] == "ANSWERS"


async def test_a_write_is_sent_once_and_a_read_again() -> None:
    sent: list[str] = []

    def cut(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content)[0])
        raise httpx2.RemoteProtocolError("the answer was lost")

    store = store_on(cut)
    for work in (store.put(a_block(), expect=ANY, change=a_change()), store.get(a_key())):
        with pytest.raises(StoreUnavailable):
            await work
    assert sent == ["EVALSHA", "HMGET", "HMGET", "HMGET"]


async def test_who_repeats_a_write_whose_answer_was_lost_is_safe() -> None:
    store = await upstash.open(redis_server.fresh_url(upstash_front.shared_front().url))
    first = (await store.put(a_block("1"), expect=None, change=a_change())).block
    await store.put(a_block("2"), expect=first.etag, change=a_change())  # its answer, say, was lost
    again = await store.put(a_block("2"), expect=first.etag, change=a_change(when=9))
    assert (again.changed, again.block.text) == (False, "2")
    await store.put(a_block("3"), expect=again.block.etag, change=a_change())
    with pytest.raises(Conflict):
        await store.put(a_block("2"), expect=first.etag, change=a_change())
    await store.close()


async def test_it_says_that_it_cannot_tell(caplog: pytest.LogCaptureFixture) -> None:
    def handle(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json=[{"error": "ERR Command is not available"}] * 2)

    facts = await store_on(handle).facts()
    assert facts["server"] == "cannot tell"
    assert facts["persistence"].startswith("cannot tell")
    assert facts["eviction"].startswith("cannot tell")
