"""Recall: keeping what was said, and finding it again."""

from collections.abc import AsyncGenerator, Sequence
from typing import Final

from wellkept.contract.clock import Clock, SystemClock
from wellkept.contract.embedder import Embedder
from wellkept.contract.events import Event, EventKind, Listener, unheard
from wellkept.contract.passage_store import PassageStore
from wellkept.model.ids import AgentId, SessionId, TenantId, UserId, session_id
from wellkept.model.pages import DEFAULT_LIMIT, Page, Position, checked_limit
from wellkept.model.passages import (
    NewPassage,
    Passage,
    PassageCounts,
    PassageOwner,
    PassagesPut,
    Said,
    Selection,
    Vector,
)
from wellkept.model.recall import PassageFound, Recalled, RecallQuery
from wellkept.rules.cursor import fingerprint
from wellkept.rules.recall.entry import analysed
from wellkept.rules.recall.index import Asked, Hit, Index
from wellkept.services.audit import Note, entry, unnoted
from wellkept.services.catching_up import CATCH_UP_AFTER, CatchingUp
from wellkept.services.cutting import batches_of, messages_of
from wellkept.services.embedding import BATCH, Embedding
from wellkept.services.index_cache import MOST_PASSAGES, IndexCache, beside
from wellkept.services.paging import page_of, place_after
from wellkept.services.reindexing import Reindexed, reindexing

_SEMANTIC: Final = ("semantic",)

_WORK_OF_ANALYSIS: Final = 20
"""What analysing a passage takes, beside putting it into an index."""


class Recall:
    """Past conversations over one store. `embedder` None: they are found by their words alone.

    `most` bounds the passages that all indexes of this process hold together.
    What could not be embedded is tried again `catch_up_after` seconds later.
    """

    def __init__(
        self,
        store: PassageStore,
        *,
        embedder: Embedder | None = None,
        clock: Clock | None = None,
        listener: Listener = unheard,
        note: Note = unnoted,
        most: int = MOST_PASSAGES,
        catch_up_after: float = CATCH_UP_AFTER,
    ) -> None:
        self._store = store
        self._clock = clock or SystemClock()
        self._listener = listener
        self._note = note
        self._embedding = Embedding(embedder, listener=listener)
        self._indexes = IndexCache(store, model=self._embedding.model, most=most)
        self._catching_up = CatchingUp(store, self._embedding, first_wait=catch_up_after)

    @property
    def indexed_owners(self) -> int:
        """Count those whose passages are held in memory."""
        return self._indexes.owners

    async def ingest(self, owner: PassageOwner, session: SessionId, messages: Sequence[Said]) -> PassagesPut:
        """Keep messages of a session, each once however often it comes; one with another text replaces the old.

        Text that was rendered from memory is left out. What cannot be embedded
        now is found by its words until it is.

        Raises:
            InvalidInput: The session's id is not valid.
        """
        put = PassagesPut()
        for batch in batches_of(messages_of(owner, session_id(session), messages)):
            put = put.plus(await self._put(owner, batch))
        self._tell("passages_stored", owner, put.stored + put.replaced)
        if changed := put.stored + put.replaced + put.removed:
            at = self._clock.now()
            await self._note(
                entry(
                    owner.tenant,
                    "passages.stored",
                    at=at,
                    agent=owner.agent,
                    whose=owner.user,
                    session=session,
                    count=changed,
                )
            )
        return put

    async def propose(self, owner: PassageOwner, facts: Sequence[Passage]) -> PassagesPut:
        """Keep facts beside the messages that they came from. No message is replaced or deleted by any."""
        put = await self._put(owner, facts) if facts else PassagesPut()
        self._tell("facts_stored", owner, put.stored + put.replaced)
        return put

    async def search(self, owner: PassageOwner, query: RecallQuery) -> Recalled:
        """Find what a user and an agent said to each other: best first, ties by id.

        It is what the store holds at this moment, whoever wrote or deleted
        last. `degraded` says `semantic` when words alone decided, over all
        passages or some.
        """
        vector = await self._embedding.of_query(owner.tenant, query.text)
        hits, whole = await self._indexes.ask(owner, lambda index: _search(index, query, vector))
        passages = await self._store.passages(owner, [hit.id for hit in hits])
        return Recalled(
            data=tuple(
                PassageFound(passage=passages[hit.id], score=hit.score, parts=hit.parts)
                for hit in hits
                if hit.id in passages
            ),
            degraded=() if whole else _SEMANTIC,
        )

    async def last_number(self, owner: PassageOwner, session: SessionId) -> int:
        """Give the number of the last message of a session that is kept; 0 without any."""
        return await self._store.last_number(owner, session)

    async def listed(
        self, chosen: Selection, *, cursor: str | None = None, limit: int = DEFAULT_LIMIT
    ) -> Page[Passage]:
        """Give a page of passages, newest first.

        Raises:
            InvalidCursor: The cursor is not one that this list gave out.
        """
        ids = None if chosen.ids is None else ",".join(chosen.ids)
        name = fingerprint("passages", chosen.tenant, chosen.agent, chosen.user, chosen.session, ids)
        after = place_after(cursor, list_name=name)
        rows = await self._store.listed(chosen, limit=checked_limit(limit) + 1, after=after)
        return page_of(rows, limit=limit, place=lambda passage: Position(passage.at, passage.id), list_name=name)

    async def delete(self, chosen: Selection) -> int:
        """Forget passages, with the vectors of every model; say how many there were. No search finds them any more."""
        gone = await self._store.delete_passages(chosen)
        if gone:
            self._listener(Event(kind="passages_deleted", tenant=chosen.tenant, agent=chosen.agent, count=gone))
            target = chosen.ids[0] if chosen.ids is not None and len(chosen.ids) == 1 else None
            await self._note(
                entry(
                    chosen.tenant,
                    "passages.deleted",
                    at=self._clock.now(),
                    agent=chosen.agent,
                    whose=chosen.user,
                    session=chosen.session,
                    target=target,
                    count=gone,
                )
            )
        return gone

    async def purge_user(self, tenant: TenantId, user: UserId) -> int:
        """Forget all passages of a user, with every agent, here and in this process; say how many there were."""
        gone = await self._store.purge_user_passages(tenant, user)
        self._catching_up.forget(tenant, user)
        self._indexes.forget(tenant, user)
        if gone:
            self._listener(Event(kind="passages_deleted", tenant=tenant, count=gone))
            await self._note(entry(tenant, "passages.deleted", at=self._clock.now(), whose=user, count=gone))
        return gone

    async def stats(self, tenant: TenantId, agent: AgentId | None = None) -> PassageCounts:
        """Count a tenant's passages, or those of one of its agents, and the vectors of each model."""
        return await self._store.count_passages(tenant, agent)

    def reindex(self, tenant: TenantId, *, batch: int = BATCH) -> AsyncGenerator[Reindexed]:
        """Embed all passages of a tenant that have no vector of this embedder's model; tell of each batch.

        Searches and ingest go on meanwhile. It may be stopped at any point;
        begun again, it goes on with what is left.

        Raises:
            NoEmbedder: There is none.
            EmbedderFailed: A batch could not be embedded; those before it are.
        """
        return reindexing(self._store, self._embedding, tenant, batch=batch)

    async def settled(self) -> bool:
        """Embed now what could not be embedded when it was stored; say whether all of it could be."""
        return await self._catching_up.flush()

    async def close(self) -> None:
        """Stop what goes on in the background, and let the embedder go. A second time does nothing."""
        await self._catching_up.close()
        await self._embedding.close()

    async def _put(self, owner: PassageOwner, passages: Sequence[Passage]) -> PassagesPut:
        stored = await self._store.passages(owner, [passage.id for passage in passages])
        new = [passage for passage in passages if stored.get(passage.id) != passage]
        vectors = dict(
            zip((passage.id for passage in new), await self._embedding.of_new(owner.tenant, new), strict=True)
        )
        entries = await beside(
            len(new) * _WORK_OF_ANALYSIS, lambda: {each.id: analysed(each.text).encode() for each in new}
        )
        put = await self._store.put_passages(
            owner,
            [
                NewPassage(passage=passage, entry=entries.get(passage.id, b""), vector=vectors.get(passage.id))
                for passage in passages
            ],
        )
        if self._embedding.model is not None:
            self._catching_up.note(owner, [id for id, vector in vectors.items() if vector is None])
        return put

    def _tell(self, kind: EventKind, owner: PassageOwner, count: int) -> None:
        if count:
            self._listener(Event(kind=kind, tenant=owner.tenant, agent=owner.agent, count=count))


def _search(index: Index, query: RecallQuery, vector: Vector | None) -> tuple[list[Hit], bool]:
    """Search an index; say also whether every passage could be compared by meaning."""
    hits = index.search(Asked(text=query.text, vector=vector, limit=query.limit, filter=query.filter))
    return hits, vector is not None and index.without_vector == 0
