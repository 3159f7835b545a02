"""Blocks, in process."""

from wellkept.contract.block_store import ANY, BlockStore, Decide, Expect, replaces
from wellkept.model.blocks import Block, BlockEdited, BlockRevision, Change
from wellkept.model.ids import AgentId, TenantId
from wellkept.model.keys import BlockKey, Scope
from wellkept.stores.inproc.data import Data, Shelf


class InprocBlocks(BlockStore):
    """The part of the store that keeps blocks."""

    _data: Data

    async def get(self, key: BlockKey) -> Block | None:
        with self._data.lock:
            return self._seen(key).blocks.get(key.key)

    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        with self._data.lock:
            self._refuse_deleted(block.key)
            return _write(self._shelf(block.key), block, expect=expect, change=change)

    async def edit(self, key: BlockKey, decide: Decide, *, change: Change, expect: Expect = ANY) -> BlockEdited:
        with self._data.lock:
            self._refuse_deleted(key)
            shelf = self._shelf(key)
            block = Block(key=key, text=decide(shelf.blocks.get(key.key)), updated_at=change.at)
            return _write(shelf, block, expect=expect, change=change)

    async def delete(self, key: BlockKey, *, expect: Expect = ANY, change: Change) -> bool:
        with self._data.lock:
            shelf = self._seen(key)
            stored = shelf.blocks.get(key.key)
            if not replaces(stored, None, key=key, expect=expect):
                return False
            del shelf.blocks[key.key]
            _remember(shelf, key, stored, None, change)
            return True

    async def blocks(self, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
        with self._data.lock:
            shelf = self._data.shelves.get((tenant, scope, owner), Shelf())
            return [shelf.blocks[key] for key in sorted(shelf.blocks)]

    async def purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        with self._data.lock:
            return len(self._data.shelves.pop((tenant, scope, owner), Shelf()).blocks)

    async def revisions(self, key: BlockKey, *, before: int | None = None, limit: int = 50) -> list[BlockRevision]:
        with self._data.lock:
            past = self._seen(key).history.get(key.key, [])
            end = len(past) if before is None else min(len(past), max(0, before - 1))
            return past[max(0, end - limit) : end][::-1]

    def _refuse_deleted(self, key: BlockKey) -> None:
        if key.scope == "agent":
            self._data.refuse_deleted(key.tenant, AgentId(key.owner))

    def _seen(self, key: BlockKey) -> Shelf:
        return self._data.shelves.get((key.tenant, key.scope, key.owner), Shelf())

    def _shelf(self, key: BlockKey) -> Shelf:
        return self._data.shelves[key.tenant, key.scope, key.owner]


def _write(shelf: Shelf, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
    stored = shelf.blocks.get(block.key.key)
    etag = stored.etag if stored else None
    if not replaces(stored, block.text, key=block.key, expect=expect) and stored is not None:
        return BlockEdited(block=stored, changed=False, etag_before=etag)
    shelf.blocks[block.key.key] = block
    _remember(shelf, block.key, stored, block, change)
    return BlockEdited(block=block, changed=True, etag_before=etag)


def _remember(shelf: Shelf, key: BlockKey, before: Block | None, after: Block | None, change: Change) -> None:
    past = shelf.history.setdefault(key.key, [])
    past.append(
        BlockRevision(
            key=key,
            number=len(past) + 1,
            text=after.text if after else None,
            actor=change.actor,
            at=change.at,
            session=change.session,
            etag_before=before.etag if before else None,
            etag_after=after.etag if after else None,
        )
    )
