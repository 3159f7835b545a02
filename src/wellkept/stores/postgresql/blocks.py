"""Blocks, in PostgreSQL."""

from collections.abc import Callable, Sequence
from typing import Final

from wellkept.contract.block_store import ANY, BlockStore, Decide, Expect, replaces
from wellkept.model.blocks import Block, BlockEdited, BlockRevision, Change
from wellkept.model.ids import TenantId
from wellkept.model.keys import BlockKey, Scope
from wellkept.rules.instants import to_instant, to_number
from wellkept.stores.postgresql.deleted_agents import refuse_for, refused
from wellkept.stores.postgresql.hops import Hops, Transaction, Value
from wellkept.stores.postgresql.statements import statements

_SQL: Final = statements("blocks.sql")
_BEHIND_THE_LAST: Final = 2**63 - 1

PURGE: Final = tuple(
    _SQL[name] for name in ("lock_owner", "delete_owners_heads", "delete_owners_revisions", "delete_owners_blocks")
)
"""Forgets all blocks of an owner (`scope`, `owner`) and their history; the last says how many blocks there were."""

_Rewrite = Callable[[Block | None], Block]


class PostgresBlocks(Hops, BlockStore):
    """The part of the store that keeps blocks."""

    async def get(self, key: BlockKey) -> Block | None:
        rows = await self._ask(key.tenant, _SQL["get"], **_place(key))
        return Block(key=key, text=rows[0][0], updated_at=to_instant(rows[0][1])) if rows else None

    async def get_many(self, keys: Sequence[BlockKey]) -> list[Block | None]:
        found: dict[BlockKey, Block] = {}
        for tenant in dict.fromkeys(key.tenant for key in keys):
            mine = [key for key in keys if key.tenant == tenant]
            rows = await self._ask(
                tenant,
                _SQL["get_many"],
                scopes=[str(key.scope) for key in mine],
                owners=[key.owner for key in mine],
                keys=[key.key for key in mine],
            )
            for scope, owner, name, text, updated_at in rows:
                key = BlockKey(tenant=tenant, scope=scope, owner=owner, key=name)
                found[key] = Block(key=key, text=text, updated_at=to_instant(updated_at))
        return [found.get(key) for key in keys]

    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        return await self._rewrite(block.key, lambda _: block, expect, change)

    async def edit(self, key: BlockKey, decide: Decide, *, change: Change, expect: Expect = ANY) -> BlockEdited:
        def rewrite(stored: Block | None) -> Block:
            return Block(key=key, text=decide(stored), updated_at=change.at)

        return await self._rewrite(key, rewrite, expect, change)

    async def _rewrite(self, key: BlockKey, rewrite: _Rewrite, expect: Expect, change: Change) -> BlockEdited:
        async def work(transaction: Transaction) -> BlockEdited:
            stored = await _locked(transaction, key, *refuse_for(key))
            block = rewrite(stored)
            etag = stored.etag if stored else None
            if not replaces(stored, block.text, key=key, expect=expect) and stored is not None:
                await transaction.leave()
                return BlockEdited(block=stored, changed=False, etag_before=etag)
            await transaction.finish(
                _SQL["put"],
                _SQL["add_revision"],
                **_revision(key, etag, block, change),
                updated_at=to_number(block.updated_at),
            )
            return BlockEdited(block=block, changed=True, etag_before=etag)

        with refused(key.owner):
            return await self._transact(key.tenant, work)

    async def delete(self, key: BlockKey, *, expect: Expect = ANY, change: Change) -> bool:
        async def work(transaction: Transaction) -> bool:
            stored = await _locked(transaction, key)
            if not replaces(stored, None, key=key, expect=expect) or stored is None:
                await transaction.leave()
                return False
            await transaction.finish(_SQL["delete"], _SQL["add_revision"], **_revision(key, stored.etag, None, change))
            return True

        return await self._transact(key.tenant, work)

    async def blocks(self, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
        rows = await self._ask(tenant, _SQL["of_owner"], scope=scope, owner=owner)
        return [
            Block(
                key=BlockKey(tenant=tenant, scope=scope, owner=owner, key=key),
                text=text,
                updated_at=to_instant(updated_at),
            )
            for key, text, updated_at in rows
        ]

    async def purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        ((count,),) = await self._tell(tenant, *PURGE, scope=scope, owner=owner)
        return int(count)

    async def revisions(self, key: BlockKey, *, before: int | None = None, limit: int = 50) -> list[BlockRevision]:
        end = _BEHIND_THE_LAST if before is None else before
        rows = await self._ask(key.tenant, _SQL["revisions"], **_place(key), before=end, limit=limit)
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
            for number, text, actor, at, session, etag_before, etag_after in rows
        ]


async def _locked(transaction: Transaction, key: BlockKey, *first: str) -> Block | None:
    """Lock the address and read what is there; nobody changes it until the transaction ends."""
    rows = await transaction.run(*first, _SQL["lock"], _SQL["get"], **_place(key), agent=key.owner)
    return Block(key=key, text=rows[0][0], updated_at=to_instant(rows[0][1])) if rows else None


def _revision(key: BlockKey, etag_before: str | None, after: Block | None, change: Change) -> dict[str, Value]:
    return {
        **_place(key),
        "actor": change.actor,
        "at": to_number(change.at),
        "session": change.session,
        "etag_before": etag_before,
        "etag_after": after.etag if after else None,
        "text": after.text if after else None,
    }


def _place(key: BlockKey) -> dict[str, Value]:
    return {"scope": key.scope, "owner": key.owner, "key": key.key}
