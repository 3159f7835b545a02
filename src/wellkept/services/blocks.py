"""Blocks as an administrator sees them: any key, no screen (who approves needs none), limits kept."""

from wellkept.contract.block_store import ANY, BlockStore, Expect, replaces
from wellkept.contract.clock import Clock
from wellkept.contract.events import Event, Listener, unheard
from wellkept.model.audit import AuditAction, AuditEntry
from wellkept.model.blocks import (
    DEFAULT_CHAR_LIMIT,
    MAX_CHAR_LIMIT,
    ActorKind,
    Block,
    BlockEdited,
    BlockRevision,
    Change,
)
from wellkept.model.edits import Add, Remove, Replace, Write
from wellkept.model.errors import Conflict, InvalidInput, NotFound
from wellkept.model.ids import SessionId, TenantId
from wellkept.model.keys import BlockKey, Scope, checked_owner, checked_scope
from wellkept.model.pages import DEFAULT_LIMIT, Page, Position, checked_limit
from wellkept.rules.cursor import fingerprint
from wellkept.rules.diff import unified
from wellkept.rules.edit import apply
from wellkept.services.audit import Note, block_entry, unnoted
from wellkept.services.paging import number_after, page_of

# Named out here: inside the class, `list` is the method.
_Blocks = list[Block]
_Revisions = list[BlockRevision]


class Blocks:
    """The blocks of one store, for those who may see all of them."""

    def __init__(self, store: BlockStore, *, clock: Clock, listener: Listener = unheard, note: Note = unnoted) -> None:
        self._note = note
        self._store = store
        self._clock = clock
        self._listener = listener

    async def list(self, tenant: TenantId, scope: Scope, owner: str) -> _Blocks:
        """Give all blocks of one owner, sorted by key."""
        return await self._store.blocks(tenant, checked_scope(scope), checked_owner(owner))

    async def get(self, key: BlockKey) -> Block:
        """Read a block.

        Raises:
            NotFound: There is none.
        """
        block = await self._store.get(key)
        if block is None:
            raise NotFound(what="block", key=key.key)
        return block

    async def put(
        self,
        key: BlockKey,
        text: str,
        *,
        expect: Expect = ANY,
        limit: int = DEFAULT_CHAR_LIMIT,
        actor: ActorKind = "admin",
        session: SessionId | None = None,
    ) -> BlockEdited:
        """Make `text` the block's text.

        Raises:
            InvalidInput: The text cannot be stored.
            OverLimit: It is longer than `limit`, and not shorter than what is stored.
            Conflict: Another text than the one that `expect` names is stored.
        """
        return await self.edit(key, Write(text), expect=expect, limit=limit, actor=actor, session=session)

    async def edit(
        self,
        key: BlockKey,
        edit: Add | Replace | Remove | Write,
        *,
        expect: Expect = ANY,
        limit: int = DEFAULT_CHAR_LIMIT,
        template: str = "",
        actor: ActorKind = "admin",
        session: SessionId | None = None,
    ) -> BlockEdited:
        """Edit a block as it is at that moment.

        Raises:
            EntryNotFound: No entry contains `match`.
            EntryAmbiguous: Several do.
            OverLimit: The block would be longer than `limit`.
            Conflict: Another text than the one that `expect` names is stored.
        """
        change = Change(actor=actor, at=self._clock.now(), session=session)
        return await self._edit(key, edit, change, expect=expect, limit=limit, template=template)

    async def delete(self, key: BlockKey, *, expect: Expect = ANY) -> None:
        """Forget a block; its history stays, where there is one.

        Raises:
            NotFound: There is none.
            Conflict: Another text than the one that `expect` names is stored.
        """
        etag, change = await self._delete(key, expect)
        self._listener(block_changed(key))
        await self._note(block_entry(key, "block.deleted", at=change.at, etag_before=etag, etag_after=None))

    async def history(self, key: BlockKey, *, before: int | None = None, limit: int = 50) -> _Revisions:
        """Give the changes of a block, newest first, from below number `before`.

        Raises:
            NotSupported: The store keeps no history.
        """
        return await self._store.revisions(key, before=before, limit=checked_limit(limit))

    async def history_page(
        self, key: BlockKey, *, cursor: str | None = None, limit: int = DEFAULT_LIMIT
    ) -> Page[BlockRevision]:
        """Give a page of the changes of a block, newest first.

        Raises:
            InvalidCursor: The cursor is not one that this list gave out.
            NotSupported: The store keeps no history.
        """
        name = fingerprint("revisions", key.tenant, key.scope, key.owner, key.key)
        before = number_after(cursor, list_name=name)
        rows = await self._store.revisions(key, before=before, limit=checked_limit(limit) + 1)
        return page_of(rows, limit=limit, place=lambda row: Position(row.at, str(row.number)), list_name=name)

    async def diff(self, key: BlockKey, old: int, new: int) -> str:
        """Show what changed from one revision to another, as a unified diff; `old` 0 is the time before the first.

        Raises:
            NotFound: There is no such revision.
            NotSupported: The store keeps no history.
        """
        before = "" if old == 0 else (await self._revision(key, old)).text or ""
        after = (await self._revision(key, new)).text or ""
        names = (f"{key.key} {old}", f"{key.key} {new}")
        return unified(before, after, names=names)

    async def restore(self, key: BlockKey, number: int, *, expect: Expect = ANY) -> BlockEdited:
        """Give the block the text of an earlier revision again, as a new revision. Its limit does not matter.

        Raises:
            NotFound: There is no such revision.
            InvalidInput: That revision is the block's deletion.
            Conflict: Another text than the one that `expect` names is stored.
            NotSupported: The store keeps no history.
        """
        revision = await self._revision(key, number)
        if revision.text is None:
            raise InvalidInput(param="number", problem="is a deletion; restore another, or delete the block")
        change = Change(actor="admin", at=self._clock.now())
        edit = Write(revision.text)
        return await self._edit(key, edit, change, expect=expect, limit=MAX_CHAR_LIMIT, action="block.restored")

    async def _edit(
        self,
        key: BlockKey,
        edit: Add | Replace | Remove | Write,
        change: Change,
        *,
        expect: Expect,
        limit: int,
        template: str = "",
        action: AuditAction = "block.written",
    ) -> BlockEdited:
        def decide(before: Block | None) -> str:
            return apply(edit, before.text if before else "", limit=limit, template=template)

        edited = await self._store.edit(key, decide, change=change, expect=expect)
        if edited.changed:
            self._listener(block_changed(key))
            await self._note(edited_entry(edited, change, action))
        return edited

    async def _delete(self, key: BlockKey, expect: Expect) -> tuple[str, Change]:
        """Delete exactly what was read before, so that its etag is known."""
        while True:
            block = await self.get(key)
            replaces(block, None, key=key, expect=expect)
            change = Change(actor="admin", at=self._clock.now())
            try:
                if await self._store.delete(key, expect=block.etag, change=change):
                    return block.etag, change
            except Conflict:
                continue  # each lost race is another writer's success

    async def _revision(self, key: BlockKey, number: int) -> BlockRevision:
        found = await self._store.revisions(key, before=number + 1, limit=1)
        if not found or found[0].number != number:
            raise NotFound(what="revision", key=key.key, number=number)
        return found[0]


def edited_entry(edited: BlockEdited, change: Change, action: AuditAction = "block.written") -> AuditEntry:
    """Make the entry of an edit that changed a block."""
    return block_entry(
        edited.block.key,
        action,
        at=change.at,
        etag_before=edited.etag_before,
        etag_after=edited.block.etag,
        session=change.session,
    )


def block_changed(key: BlockKey) -> Event:
    """Make the event of a changed block. A user's id is not in it: events go to logs."""
    agent = key.owner if key.scope == "agent" else ""
    return Event(kind="block_changed", tenant=key.tenant, agent=agent, id=f"{key.scope}/{key.key}")
