"""How addresses were spelled as paths when they were first released. A line may be added here; none may change.

Whoever changes the spelling makes the files of everybody who upgrades unreachable.
"""

from pathlib import Path

import pytest

from wellkept.model.blocks import Block, Change
from wellkept.model.ids import DEFAULT_TENANT, SessionId, TenantId
from wellkept.model.keys import BlockKey, Scope, session_owner
from wellkept.stores.files import FileStore
from wellkept.testing.clock import START

TEN = TenantId("ten_a1B2c3D4e5F6g7H8")

GOLDEN: list[tuple[TenantId, Scope, str, str, str]] = [
    (DEFAULT_TENANT, "user", "user-42", "USER", "user/user-42/USER.md"),
    (DEFAULT_TENANT, "agent", "support", "MEMORY", "agent/support/MEMORY.md"),
    (DEFAULT_TENANT, "shared", "user-42", "TEAM_NOTES.V2", "shared/user-42/TEAM_NOTES.V2.md"),
    (DEFAULT_TENANT, "user", "maya+test@example.com", "10", "user/maya+test@example.com/10.md"),
    (DEFAULT_TENANT, "user", "Alice", "user", "user/alice~3bc51062973c458d5a6f2d8d64a023246354ad7e/f~user.md"),
    (
        DEFAULT_TENANT,
        "user",
        "google-oauth2|123",
        "Notes",
        "user/google-oauth2-123~47b988f082b0e264db89d2643c2648e2ccc10387/1e~Notes.md",
    ),
    (DEFAULT_TENANT, "user", "\u7528\u62371", "A.", "user/1~857e3168f4aafbba5b0a8d71a320cdbf5eb2f6e3/A..md"),
    (DEFAULT_TENANT, "user", "..", "..", "user/id~5ec1f7e700f37c3d0b2981d04855fc34b94aaa15/0~...md"),
    (DEFAULT_TENANT, "user", "con", "CON.X", "user/con~1143da2bc54c495c4be31d3868785d39ffdfd56d/0~CON.X.md"),
    (DEFAULT_TENANT, "user", "a/b", "-RF", "user/a-b~c14cddc033f64b9dea80ea675cf280a015e67251/0~-RF.md"),
    (
        DEFAULT_TENANT,
        "user",
        "x" * 256,
        "x" * 64,
        f"user/{'x' * 32}~85e62acd750c4eb56b7b6a1d66dca5bfaac5f062/ffffffffffffffff~{'x' * 64}.md",
    ),
    (
        DEFAULT_TENANT,
        "user",
        session_owner(SessionId("s1")),
        "USER",
        "user/session-s1~c4060bac28dacbfce8bd77d29dacdbc2734f5978/USER.md",
    ),
    (TenantId("acme"), "user", "user-42", "USER", "@tenants/acme/user/user-42/USER.md"),
    (
        TEN,
        "agent",
        "support",
        "MEMORY",
        "@tenants/ten_a1b2c3d4e5f6g7h8~bfb125f889a9ca1f5a68169d787382e267377012/agent/support/MEMORY.md",
    ),
]


@pytest.mark.parametrize(("tenant", "scope", "owner", "key", "path"), GOLDEN, ids=[case[4][:60] for case in GOLDEN])
async def test_a_block_lies_where_it_always_lay(
    tmp_path: Path, tenant: TenantId, scope: Scope, owner: str, key: str, path: str
) -> None:
    block = Block(key=BlockKey(tenant=tenant, scope=scope, owner=owner, key=key), text="kept", updated_at=START)
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_bytes(b"kept")
    store = FileStore(tmp_path)
    found = await store.get(block.key)
    assert found is not None
    assert found.text == "kept"
    assert [listed.key for listed in await store.blocks(tenant, scope, owner)] == [block.key]
    await store.put(
        Block(key=block.key, text="new", updated_at=START), expect=block.etag, change=Change(actor="admin", at=START)
    )
    assert file.read_bytes() == b"new"
    assert await store.check() == []
