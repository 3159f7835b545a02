"""Blocks, in SQLite."""

import sqlite3
from collections.abc import Callable, Sequence
from typing import Final

from wellkept.contract.block_store import ANY, BlockStore, Decide, Expect, replaces
from wellkept.model.blocks import Block, BlockEdited, BlockRevision, Change
from wellkept.model.ids import AgentId, TenantId
from wellkept.model.keys import BlockKey, Scope
from wellkept.rules.instants import to_instant, to_number
from wellkept.stores.sqlite import deleted_agents
from wellkept.stores.sqlite.connection import snapshot
from wellkept.stores.sqlite.hops import Hops
from wellkept.stores.sqlite.statements import statements

_SQL: Final = statements("blocks.sql")
_BEHIND_THE_LAST: Final = 2**63 - 1

_Rewrite = Callable[[Block | None], Block]


class SqliteBlocks(Hops, BlockStore):
    """The part of the store that keeps blocks."""

    async def get(self, key: BlockKey) -> Block | None:
        return await self._read(lambda db: _get(db, key))

    async def get_many(self, keys: Sequence[BlockKey]) -> list[Block | None]:
        return await self._read(lambda db: _get_many(db, keys))

    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        return await self._write(lambda db: _edit(db, block.key, lambda _: block, expect, change))

    async def edit(self, key: BlockKey, decide: Decide, *, change: Change, expect: Expect = ANY) -> BlockEdited:
        def rewrite(stored: Block | None) -> Block:
            return Block(key=key, text=decide(stored), updated_at=change.at)

        return await self._write(lambda db: _edit(db, key, rewrite, expect, change))

    async def delete(self, key: BlockKey, *, expect: Expect = ANY, change: Change) -> bool:
        return await self._write(lambda db: _delete(db, key, expect, change))

    async def blocks(self, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
        return await self._read(lambda db: _of_owner(db, tenant, scope, owner))

    async def purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        return await self._write(lambda db: purge(db, tenant, scope, owner))

    async def revisions(self, key: BlockKey, *, before: int | None = None, limit: int = 50) -> list[BlockRevision]:
        return await self._read(lambda db: _revisions(db, key, before, limit))


def purge(db: sqlite3.Connection, tenant: TenantId, scope: Scope, owner: str) -> int:
    """Forget all blocks of an owner and their history; say how many blocks there were."""
    db.execute(_SQL["delete_all_revisions"], (tenant, scope, owner))
    return db.execute(_SQL["delete_all"], (tenant, scope, owner)).rowcount


def _get(db: sqlite3.Connection, key: BlockKey) -> Block | None:
    row = db.execute(_SQL["get"], _place(key)).fetchone()
    return Block(key=key, text=row[0], updated_at=to_instant(row[1])) if row else None


def _get_many(db: sqlite3.Connection, keys: Sequence[BlockKey]) -> list[Block | None]:
    with snapshot(db):
        return [_get(db, key) for key in keys]


def _of_owner(db: sqlite3.Connection, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
    return [
        Block(
            key=BlockKey(tenant=tenant, scope=scope, owner=owner, key=key), text=text, updated_at=to_instant(updated_at)
        )
        for key, text, updated_at in db.execute(_SQL["of_owner"], (tenant, scope, owner))
    ]


def _edit(db: sqlite3.Connection, key: BlockKey, rewrite: _Rewrite, expect: Expect, change: Change) -> BlockEdited:
    if key.scope == "agent":
        deleted_agents.refuse(db, key.tenant, AgentId(key.owner))
    stored = _get(db, key)
    block = rewrite(stored)
    etag = stored.etag if stored else None
    if not replaces(stored, block.text, key=key, expect=expect) and stored is not None:
        return BlockEdited(block=stored, changed=False, etag_before=etag)
    db.execute(_SQL["put"], (*_place(key), to_number(block.updated_at), block.text))
    _remember(db, key, etag, block, change)
    return BlockEdited(block=block, changed=True, etag_before=etag)


def _delete(db: sqlite3.Connection, key: BlockKey, expect: Expect, change: Change) -> bool:
    stored = _get(db, key)
    if not replaces(stored, None, key=key, expect=expect) or stored is None:
        return False
    db.execute(_SQL["delete"], _place(key))
    _remember(db, key, stored.etag, None, change)
    return True


def _remember(
    db: sqlite3.Connection, key: BlockKey, etag_before: str | None, after: Block | None, change: Change
) -> None:
    place = _place(key)
    (last,) = db.execute(_SQL["last_revision"], place).fetchone()
    etag_after, text = (after.etag, after.text) if after else (None, None)
    db.execute(
        _SQL["add_revision"],
        (*place, last + 1, change.actor, to_number(change.at), change.session, etag_before, etag_after, text),
    )


def _revisions(db: sqlite3.Connection, key: BlockKey, before: int | None, limit: int) -> list[BlockRevision]:
    end = _BEHIND_THE_LAST if before is None else before
    return [
        BlockRevision(
            key=key,
            number=number,
            text=text,
            actor=actor,
            at=to_instant(at),
            session=session,
            etag_before=etag_before,
            etag_after=etag_after,
        )
        for number, text, actor, at, session, etag_before, etag_after in db.execute(
            _SQL["revisions"], (*_place(key), end, limit)
        )
    ]


def _place(key: BlockKey) -> tuple[str, str, str, str]:
    return key.tenant, key.scope, key.owner, key.key
