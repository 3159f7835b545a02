"""Where blocks are kept."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

from wellkept.contract.capability import Capability
from wellkept.model.blocks import Block, BlockEdited, BlockRevision, Change
from wellkept.model.errors import Conflict, NotSupported
from wellkept.model.ids import TenantId
from wellkept.model.keys import BlockKey, Scope


class AnyEtag:
    """The type of `ANY`."""


ANY: Final = AnyEtag()
"""As `expect`: whatever is stored, or nothing."""

Expect = str | None | AnyEtag
"""The etag that a write replaces; None: there must be no block; `ANY`: no matter."""

Decide = Callable[[Block | None], str]
"""From the block that is stored (None: there is none) to the text that shall be.

Pure; called again after a race; raises to refuse.
"""


def replaces(stored: Block | None, text: str | None, *, key: BlockKey, expect: Expect) -> bool:
    """Say whether writing `text` (None: deleting) in place of `stored` changes anything: the rule of every write.

    Raises:
        Conflict: It does, and `expect` names another text than the stored one.
    """
    if (stored.text if stored else None) == text:
        return False
    etag = stored.etag if stored else None
    if not isinstance(expect, AnyEtag) and expect != etag:
        raise Conflict(key=key.key, etag=etag)
    return True


EDIT_ATTEMPTS: Final = 200
"""Races that the default `edit` loses before it gives up. Each lost race is another writer's success."""


class BlockStore(ABC):
    """Keeps blocks.

    Obligations, each held by a test in `wellkept.testing.block_store`:

    * two different keys never share a row, whatever characters they hold;
    * a text comes back exactly as it went in;
    * `put` is atomic: a reader sees the old block or the new, never half;
    * `put` or `delete` with an `expect` that is not the stored etag changes
      nothing and raises `Conflict` with the stored etag in its facts
      (`etag`, None when there is no block), unless the store already holds
      that text (for `delete`: already holds nothing);
    * of two concurrent `edit`s both take effect, from tasks, threads and
      processes that share the data;
    * a write that changes nothing leaves time and history alone;
    * with `Capability.HISTORY` every change leaves a revision, in the same
      transaction (`wellkept.testing.block_history`).
    """

    capabilities: ClassVar[frozenset[Capability]] = frozenset()

    @abstractmethod
    async def get(self, key: BlockKey) -> Block | None:
        """Read a block; None when there is none."""

    async def get_many(self, keys: Sequence[BlockKey]) -> list[Block | None]:
        """Read several blocks, in the order of `keys`."""
        return [await self.get(key) for key in keys]

    @abstractmethod
    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        """Store `block`.

        Raises:
            Conflict: Another text than the one that `expect` names is stored.
            NotFound: It is a block of an agent that was deleted from a directory in the same store (see `Directory`).
        """

    @abstractmethod
    async def delete(self, key: BlockKey, *, expect: Expect = ANY, change: Change) -> bool:
        """Forget the block (its history stays, where there is one); say whether there was one.

        Raises:
            Conflict: Another text than the one that `expect` names is stored.
        """

    async def edit(self, key: BlockKey, decide: Decide, *, change: Change, expect: Expect = ANY) -> BlockEdited:
        """Read, decide and write as one: what `decide` saw is what its answer replaces.

        Raises:
            Conflict: `expect` does not name what is stored, or `EDIT_ATTEMPTS` races were lost.
            NotFound: As `put`.
        """
        for lost in range(EDIT_ATTEMPTS):
            if lost:
                await self.lost_race(lost)
            before = await self.get(key)
            text = decide(before)
            if not replaces(before, text, key=key, expect=expect) and before is not None:
                return BlockEdited(block=before, changed=False, etag_before=before.etag)
            seen = before.etag if before else None
            try:
                return await self.put(Block(key=key, text=text, updated_at=change.at), expect=seen, change=change)
            except Conflict:
                continue
        raise Conflict(key=key.key, attempts=EDIT_ATTEMPTS)

    async def lost_race(self, times: int) -> None:
        """Do what helps before the default `edit` tries again, having lost so many races: by default nothing."""

    @abstractmethod
    async def blocks(self, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
        """Give all blocks of one owner, sorted by key."""

    @abstractmethod
    async def purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        """Forget all blocks of one owner and their history; say how many blocks there were."""

    async def revisions(self, key: BlockKey, *, before: int | None = None, limit: int = 50) -> list[BlockRevision]:
        """Give the changes of a block, newest first, from below number `before`.

        Raises:
            NotSupported: The store keeps no history (`Capability.HISTORY`).
        """
        raise NotSupported(what="revisions", key=key.key)

    async def check(self) -> list[str]:
        """Say what is wrong with the data, one line each; empty when all is well."""
        return []

    async def facts(self) -> Mapping[str, str]:
        """Say what an operator may want to know: where the data lies (`path`), which schema it has (`schema`)."""
        return {}

    async def close(self) -> None:
        """Let go of files and connections. A second time does nothing."""
