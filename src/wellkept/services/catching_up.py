"""Embedding later what could not be embedded when it was stored."""

import asyncio
from collections.abc import Iterable
from typing import Final

from wellkept.contract.passage_store import PassageStore
from wellkept.model.errors import EmbedderFailed, StoreFailed
from wellkept.model.ids import PassageId, TenantId, UserId
from wellkept.model.passages import PassageOwner
from wellkept.services.embedding import BATCH, Embedding
from wellkept.services.reindexing import put_vectors_of

MOST_NOTED: Final = 100_000
"""Passages that are remembered for it; beyond that, the owners that waited longest wait for a reindex."""

CATCH_UP_AFTER: Final = 5.0
_LONGEST_WAIT: Final = 300.0


class CatchingUp:
    """The passages of this process that lack a vector because the embedder failed."""

    def __init__(self, store: PassageStore, embedding: Embedding, *, first_wait: float = CATCH_UP_AFTER) -> None:
        self._store = store
        self._embedding = embedding
        self._first_wait = first_wait
        self._noted: dict[PassageOwner, dict[PassageId, None]] = {}
        self._count = 0
        self._worker: asyncio.Task[None] | None = None

    @property
    def noted(self) -> int:
        """Count the passages that are waited with."""
        return self._count

    def note(self, owner: PassageOwner, ids: Iterable[PassageId]) -> None:
        """Note passages without a vector."""
        noted = dict.fromkeys(ids)
        if not noted:
            return
        before = self._noted.setdefault(owner, {})
        self._count -= len(before)
        before |= noted
        self._count += len(before)
        while self._count > MOST_NOTED and len(self._noted) > 1:
            self._count -= len(self._noted.pop(next(iter(self._noted))))
        loop = asyncio.get_running_loop()
        # A loop that was closed takes its tasks with it without ending them.
        if self._worker is None or self._worker.done() or self._worker.get_loop() is not loop:
            self._worker = loop.create_task(self._until_done())

    def forget(self, tenant: TenantId, user: UserId) -> None:
        """Let go of a user's."""
        for owner in [owner for owner in self._noted if (owner.tenant, owner.user) == (tenant, user)]:
            self._count -= len(self._noted.pop(owner))

    async def flush(self) -> bool:
        """Embed what is noted; say whether all of it could be. What could not is kept."""
        try:
            while self._noted:
                await self._one_batch(next(iter(self._noted)))
        except (EmbedderFailed, StoreFailed):
            return False
        return True

    async def close(self) -> None:
        """Stop. What is still noted is left to a reindex."""
        worker, self._worker = self._worker, None
        if worker is not None and worker.get_loop() is asyncio.get_running_loop():
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)

    async def _until_done(self) -> None:
        wait = self._first_wait
        while self._noted:
            await asyncio.sleep(wait)
            wait = self._first_wait if await self.flush() else min(wait * 2, _LONGEST_WAIT)

    async def _one_batch(self, owner: PassageOwner) -> None:
        ids = list(self._noted[owner])[:BATCH]
        passages = await self._store.passages(owner, ids)
        await put_vectors_of(self._store, self._embedding, list(passages.values()))
        noted = self._noted.get(owner, {})
        self._count -= len(noted)
        for id in ids:
            noted.pop(id, None)
        self._count += len(noted)
        if not noted:
            self._noted.pop(owner, None)
