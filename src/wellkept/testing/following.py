"""A follower of passages: it keeps a copy up to date as an index does, by what the contract says is enough."""

from wellkept.contract.passage_store import PassageStore
from wellkept.model.ids import PassageId
from wellkept.model.passages import PassageOwner, PassageStamp, StoredPassage


class Follower:
    """Knows an owner's passages, each with its vector of `model`; reads `page` of them at a time."""

    def __init__(self, store: PassageStore, owner: PassageOwner, *, model: str | None = None, page: int = 3) -> None:
        self.known: dict[PassageId, StoredPassage] = {}
        self.stamp = PassageStamp()
        self._store = store
        self._owner = owner
        self._model = model
        self._page = page

    async def catch_up(self) -> None:
        """Learn all that is stored by now."""
        stamp = await self._store.stamp(self._owner)
        if stamp == self.stamp:
            return
        if stamp.revision < self.stamp.revision:
            self.known, self.stamp = {}, PassageStamp()
        for changed in await changes(self._store, self._owner, self.stamp.revision, model=self._model, page=self._page):
            self.known[changed.passage.id] = changed
        if stamp.removals > self.stamp.revision:
            there = await self._store.passage_ids(self._owner)
            self.known = {id: known for id, known in self.known.items() if id in there}
        self.stamp = stamp


async def changes(
    store: PassageStore, owner: PassageOwner, revision: int = 0, *, model: str | None = None, page: int = 1_000
) -> list[StoredPassage]:
    """Read all that changed since a revision, page by page; a passage that changes meanwhile may come twice."""
    found: list[StoredPassage] = []
    after: PassageId | None = None
    while True:
        part = await store.changed_since(owner, revision, model=model, limit=page, after=after)
        found += part
        if len(part) < page:
            return found
        revision, after = part[-1].revision, part[-1].passage.id


async def stored(
    store: PassageStore, owner: PassageOwner, *, model: str | None = None
) -> dict[PassageId, StoredPassage]:
    """Read all passages of an owner."""
    return {one.passage.id: one for one in await changes(store, owner, model=model)}
