"""The indexes of those whose conversations were searched lately, each kept up with its store."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeVar

from wellkept.contract.passage_store import PassageStore
from wellkept.model.ids import PassageId, TenantId, UserId
from wellkept.model.passages import PassageOwner, PassageStamp, StoredPassage
from wellkept.rules.recall.index import Index

T = TypeVar("T")

MOST_PASSAGES: Final = 500_000
"""Passages that all indexes of a process hold together; the owners that were asked about longest ago make room."""

_EACH: Final = 100
"""What an index weighs beside its passages, in passages."""

_PAGE: Final = 2_000
_MANY: Final = 2_000
"""Passages from which on work on an index is done beside the event loop."""


class _Entry:
    """An owner's index, what it has come to, and a lock: whoever reads or changes it holds that."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0
        self.weight = 0
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.index = Index()
        self.stamp = PassageStamp()
        self.ids: set[PassageId] = set()


class IndexCache:
    """Indexes by owner. `model` names the vectors that they hold; `most` bounds their passages together."""

    def __init__(self, store: PassageStore, *, model: str | None, most: int = MOST_PASSAGES) -> None:
        self._store = store
        self._model = model
        self._most = most
        self._entries: OrderedDict[PassageOwner, _Entry] = OrderedDict()
        self._weight = 0

    @property
    def owners(self) -> int:
        """Count the indexes."""
        return len(self._entries)

    async def ask(self, owner: PassageOwner, question: Callable[[Index], T]) -> T:
        """Ask the owner's index, as the store is now. Loading it is done once, for all who wait for it."""
        async with self._held(owner) as entry:
            await self._keep_up(owner, entry)
            return await beside(len(entry.ids), lambda: question(entry.index))

    def forget(self, tenant: TenantId, user: UserId) -> None:
        """Let the indexes of a user go."""
        for owner in [owner for owner in self._entries if (owner.tenant, owner.user) == (tenant, user)]:
            self._drop(owner)

    @asynccontextmanager
    async def _held(self, owner: PassageOwner) -> AsyncGenerator[_Entry]:
        entry = self._entries.setdefault(owner, _Entry())
        self._entries.move_to_end(owner)
        entry.users += 1
        try:
            async with entry.lock:
                yield entry
        finally:
            entry.users -= 1
            if self._entries.get(owner) is entry:
                weight = len(entry.ids) + _EACH
                self._weight += weight - entry.weight
                entry.weight = weight
                self._make_room()

    def _make_room(self) -> None:
        """Let those go that were asked longest ago. Who is being asked stays, and so does the last one."""
        if self._weight <= self._most:
            return
        for owner, entry in list(self._entries.items())[:-1]:
            if not entry.users:
                self._drop(owner)
            if self._weight <= self._most:
                return

    def _drop(self, owner: PassageOwner) -> None:
        self._weight -= self._entries.pop(owner).weight

    async def _keep_up(self, owner: PassageOwner, entry: _Entry) -> None:
        """Bring an index to what the store's stamp says, or beyond. Cut short, it begins at the same place again."""
        stamp = await self._store.stamp(owner)
        if stamp == entry.stamp:
            return
        if stamp.revision < entry.stamp.revision:
            entry.forget()
        known = entry.stamp.revision
        revision, after = known, None
        while rows := await self._store.changed_since(owner, revision, model=self._model, limit=_PAGE, after=after):
            await self._apply(entry, rows, ())
            revision, after = rows[-1].revision, rows[-1].passage.id
            if len(rows) < _PAGE:
                break
        if stamp.removals > known:
            await self._apply(entry, (), entry.ids - await self._store.passage_ids(owner))
        entry.stamp = stamp

    async def _apply(self, entry: _Entry, rows: Sequence[StoredPassage], removed: Collection[PassageId]) -> None:
        # Before the work is done: should it fail half-way, what it may have left is known.
        entry.ids.update(row.passage.id for row in rows)
        await beside(len(rows), lambda: entry.index.apply(rows, removed))
        entry.ids.difference_update(removed)


async def beside(many: int, work: Callable[[], T]) -> T:
    """Do work at once, or in a thread when there is much of it. A caller who gives up leaves when it is done."""
    if many < _MANY:
        return work()
    running = asyncio.create_task(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    finally:
        while not running.done():
            await asyncio.wait([running])
