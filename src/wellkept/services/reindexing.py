"""Giving stored passages the vectors that they lack."""

from collections.abc import AsyncGenerator, Sequence
from itertools import groupby

import msgspec

from wellkept.contract.passage_store import PassageStore
from wellkept.model.errors import InvalidInput, NoEmbedder
from wellkept.model.ids import TenantId
from wellkept.model.passages import Passage
from wellkept.services.embedding import Embedding


class Reindexed(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How far a reindex has come: passages that have a vector of `model` by now, of those that lacked one."""

    model: str
    done: int
    total: int


async def reindexing(
    store: PassageStore, embedding: Embedding, tenant: TenantId, *, batch: int
) -> AsyncGenerator[Reindexed]:
    """Embed what has no vector of the embedder's model, batch by batch, and tell how far it has come.

    Raises:
        NoEmbedder: There is none.
        InvalidInput: `batch` is not from 1 to 1000.
        EmbedderFailed: A batch could not be embedded; those before it are.
    """
    model = embedding.model
    if model is None:
        raise NoEmbedder
    if not 1 <= batch <= 1000:
        raise InvalidInput(param="batch", problem="must be from 1 to 1000")
    counts = await store.count_passages(tenant)
    told = Reindexed(model=model, done=0, total=counts.passages - counts.vectors.get(model, 0))
    yield told
    after: Passage | None = None
    while passages := await store.without_vector(tenant, model, limit=batch, after=after):
        await put_vectors_of(store, embedding, passages)
        after = passages[-1]
        done = told.done + len(passages)
        told = Reindexed(model=model, done=done, total=max(told.total, done))
        yield told


async def put_vectors_of(store: PassageStore, embedding: Embedding, passages: Sequence[Passage]) -> None:
    """Embed passages and store their vectors. One whose text has changed meanwhile gets that of its new text.

    Raises:
        EmbedderFailed: None of them could be embedded.
    """
    left = list(passages)
    while left:
        vectors = zip(left, await embedding.of_passages(left), strict=True)
        mine = [(passage, vector) for passage, vector in vectors if vector is not None]
        left = list[Passage]()
        for owner, group in groupby(mine, key=lambda pair: pair[0].owner):
            theirs = list(group)
            await store.put_vectors(owner, {passage.id: vector for passage, vector in theirs})
            now = await store.passages(owner, [passage.id for passage, _ in theirs])
            left += [now[passage.id] for passage, _ in theirs if now.get(passage.id, passage) != passage]
