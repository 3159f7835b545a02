"""How passages were spelled in Redis when they were first released. A line may be added; none may change.

Whoever changes the spelling makes the passages of everybody who upgrades unreachable.
"""

import pytest

import redis_server
from wellkept.model.ids import AgentId, SessionId, TenantId, UserId
from wellkept.model.passages import (
    NewPassage,
    Passage,
    PassageCounts,
    PassagesPut,
    PassageStamp,
    Selection,
    StoredPassage,
    Vector,
)
from wellkept.stores.redis import open
from wellkept.testing.samples import at, new

GOLDEN: list[tuple[str, str, str, str]] = [
    ("default", "support", "user-42", "wm-passages:{support:user-42}"),
    ("default", "ag_1", "maya+test@example.com", "wm-passages:{ag_1:maya+test@example.com}"),
    ("default", "a:b", "c", "wm-passages:{a%3Ab:c}"),
    ("default", "a", "b:c", "wm-passages:{a:b%3Ac}"),
    ("default", "a%3Ab", "c", "wm-passages:{a%253Ab:c}"),
    ("default", "{a}", "*?[b]\\^", "wm-passages:{%7Ba%7D:%2A%3F%5Bb%5D%5C%5E}"),
    ("default", "用", "a b", "wm-passages:{%E7%94%A8:a%20b}"),
    ("default", "e\u0301", "google-oauth2|123", "wm-passages:{e%CC%81:google-oauth2|123}"),
    ("acme", "support", "user-42", "wm-passages@acme:{support:user-42}"),
    ("ten_a1B2c3D4e5F6g7H8", "a/b", "~", "wm-passages@ten_a1B2c3D4e5F6g7H8:{a/b:~}"),
]

REVISION = 1_772_366_400_123_456
PLACE = b"s:1\0message\0m1\x007\0"
TIME = b"40064bf535b0f240"
MORE = b'{"metadata":{"a":1,"b":1.0,"c":true},"part":0,"sources":["m0"],"speaker":"Maya"}'
ROW = PLACE + TIME + b"\0" + MORE + b"\0kept\r\n\xc3\xa9\0"


def a_golden(tenant: str, agent: str, user: str) -> Passage:
    return Passage(
        tenant_id=TenantId(tenant),
        agent_id=AgentId(agent),
        user_id=UserId(user),
        session_id=SessionId("s:1"),
        message="m1",
        number=7,
        speaker="Maya",
        at=at(),
        text="kept\r\n\u00e9",
        metadata={"c": True, "b": 1.0, "a": 1},
        sources=("m0",),
    )


@pytest.mark.parametrize(("tenant", "agent", "user", "start"), GOLDEN, ids=[case[3] for case in GOLDEN])
async def test_passages_lie_where_they_always_lay(tenant: str, agent: str, user: str, start: str) -> None:
    url = redis_server.fresh_url(redis_server.shared_url())
    start = f"{url.rpartition('=')[2]}:{start}"
    passage = a_golden(tenant, agent, user)
    owner, id, vector = passage.owner, passage.id.encode(), Vector(model="m:1", data=b"\0\x3c")
    with redis_server.client_of(url) as client:
        client.hset(f"{start}:stamp", mapping={"revision": REVISION, "removals": 5, "vectors:m:1": 1})
        client.hset(f"{start}:rows", passage.id, ROW + b"an\0entry")
        client.zadd(f"{start}:order", {passage.id: REVISION})
        client.zadd(f"{start}:places", {PLACE + id: 0})
        client.zadd(f"{start}:times", {TIME + id: 0})
        client.hset(f"{start}:vectors", f"{passage.id}:m:1", vector.data)
        before = {key: client.dump(key) for key in client.keys(f"{start}:*")}
        store = await open(url)
        try:
            assert await store.stamp(owner) == PassageStamp(REVISION, 5)
            stored = StoredPassage(passage=passage, revision=REVISION, entry=b"an\0entry", vector=vector)
            assert await store.changed_since(owner, 0, model="m:1", limit=9) == [stored]
            chosen = Selection(tenant=owner.tenant, agent=owner.agent)
            assert await store.listed(chosen, limit=9) == [passage]
            assert await store.last_number(owner, SessionId("s:1")) == 7
            counts = PassageCounts(passages=1, users=1, sessions=1, vectors={"m:1": 1})
            assert await store.count_passages(owner.tenant, owner.agent) == counts
            assert await store.put_passages(owner, new(passage)) == PassagesPut(unchanged=1)
            assert await store.check() == []
            assert {key: client.dump(key) for key in client.keys(f"{start}:*")} == before
            assert await store.delete_passages(chosen) == 1
            assert client.keys(f"{start}:*") == []
            await store.put_passages(owner, [NewPassage(passage=passage, entry=b"an\0entry", vector=vector)])
            assert client.hgetall(f"{start}:rows") == {id: ROW + b"an\0entry"}
            assert client.zrange(f"{start}:places", 0, -1) == [PLACE + id]
            assert client.zrange(f"{start}:times", 0, -1) == [TIME + id]
            assert client.hgetall(f"{start}:vectors") == {id + b":m:1": vector.data}
            assert len(client.keys(f"{start}:*")) == 6
        finally:
            await store.close()
