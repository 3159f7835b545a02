"""How addresses and blocks were spelled in Redis when they were first released. A line may be added; none may change.

Whoever changes the spelling makes the blocks of everybody who upgrades unreachable.
"""

import pytest

import redis_server
from wellkept.model.blocks import Block
from wellkept.model.ids import DEFAULT_TENANT, SessionId, TenantId
from wellkept.model.keys import BlockKey, Scope, session_owner
from wellkept.stores.redis import open
from wellkept.testing.samples import a_change, at

TEN = TenantId("ten_a1B2c3D4e5F6g7H8")

# ruff: noqa: E501  one line a case
GOLDEN: list[tuple[TenantId, Scope, str, str, str, str]] = [
    (DEFAULT_TENANT, "user", "user-42", "USER", "wm:user:user-42:USER", "wm-index:user:user-42"),
    (DEFAULT_TENANT, "agent", "support", "MEMORY", "wm:agent:support:MEMORY", "wm-index:agent:support"),
    (DEFAULT_TENANT, "shared", "user-42", "T.V2-a_b", "wm:shared:user-42:T.V2-a_b", "wm-index:shared:user-42"),
    (DEFAULT_TENANT, "user", "maya+test@example.com", "10", "wm:user:maya+test@example.com:10", "wm-index:user:maya+test@example.com"),
    (DEFAULT_TENANT, "user", "google-oauth2|123", "user", "wm:user:google-oauth2|123:user", "wm-index:user:google-oauth2|123"),
    (DEFAULT_TENANT, "user", "a:b", "USER", "wm:user:a%3Ab:USER", "wm-index:user:a%3Ab"),
    (DEFAULT_TENANT, "user", "a%3Ab", "USER", "wm:user:a%253Ab:USER", "wm-index:user:a%253Ab"),
    (DEFAULT_TENANT, "user", "a/b", "USER", "wm:user:a/b:USER", "wm-index:user:a/b"),
    (DEFAULT_TENANT, "user", "{a}*?[b]\\^", "USER", "wm:user:%7Ba%7D%2A%3F%5Bb%5D%5C%5E:USER", "wm-index:user:%7Ba%7D%2A%3F%5Bb%5D%5C%5E"),
    (DEFAULT_TENANT, "user", "a b", "USER", "wm:user:a%20b:USER", "wm-index:user:a%20b"),
    (DEFAULT_TENANT, "user", "用户1", "USER", "wm:user:%E7%94%A8%E6%88%B71:USER", "wm-index:user:%E7%94%A8%E6%88%B71"),
    (DEFAULT_TENANT, "user", "e\u0301", "USER", "wm:user:e%CC%81:USER", "wm-index:user:e%CC%81"),
    (DEFAULT_TENANT, "user", "!\"#$&'()+,;<=>@`~", "K", "wm:user:!%22%23$&'()+,;%3C=%3E@%60~:K", "wm-index:user:!%22%23$&'()+,;%3C=%3E@%60~"),
    (DEFAULT_TENANT, "user", session_owner(SessionId("s1")), "USER", "wm:user:%20session%20s1:USER", "wm-index:user:%20session%20s1"),
    (TenantId("acme"), "user", "user-42", "USER", "wm@acme:user:user-42:USER", "wm-index@acme:user:user-42"),
    (TEN, "agent", "a:b", "MEMORY", f"wm@{TEN}:agent:a%3Ab:MEMORY", f"wm-index@{TEN}:agent:a%3Ab"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("tenant", "scope", "owner", "key", "spelled", "index"), GOLDEN, ids=[case[4][:60] for case in GOLDEN]
)
async def test_a_block_lies_where_it_always_lay(
    tenant: TenantId, scope: Scope, owner: str, key: str, spelled: str, index: str
) -> None:
    url = redis_server.fresh_url(redis_server.shared_url())
    prefix = url.rpartition("=")[2]
    spelled, index = f"{prefix}:{spelled}", f"{prefix}:{index}"
    block = Block(
        key=BlockKey(tenant=tenant, scope=scope, owner=owner, key=key), text="kept\r\n\u00e9", updated_at=at()
    )
    etag = "90d0b2b3c2df2fa9979614ef418c9e37b4b4d396707a8a683fcca46695a80bc6"
    with redis_server.client_of(url) as client:
        client.hset(spelled, mapping={"text": b"kept\r\n\xc3\xa9", "etag": etag, "at": "1772366400123456"})
        client.hset(index, key, "any token")
        store = await open(url)
        try:
            assert await store.get(block.key) == block
            assert await store.blocks(tenant, scope, owner) == [block]
            assert await store.check() == []
            new = Block(key=block.key, text="new", updated_at=at(1.5))
            await store.put(new, expect=etag, change=a_change())
            assert client.hgetall(spelled) == {
                b"text": b"new",
                b"etag": b"11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437",
                b"at": b"1772366401623456",
            }
            assert await store.purge(tenant, scope, owner) == 1
            assert client.keys(f"{prefix}:*") == [spelled.encode()]  # the mark that it is gone
            assert client.hkeys(spelled) == [b"gone"]
        finally:
            await store.close()
