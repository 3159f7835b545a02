"""Generated pairs of a text and a query, asked of everybody."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Final

import msgspec
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

from search_equality.generated import Batch, batches
from search_equality.releases import Differs
from search_equality.searchers import Searcher
from wellkept.model.errors import InvalidInput
from wellkept.model.memories import Memory
from wellkept.testing.samples import a_memory

TEXTS: Final = 10
QUERIES: Final = 20
PAIRS: Final = TEXTS * QUERIES
"""In one batch; less where a text has nothing visible in it, and is no memory."""


class Figures(msgspec.Struct, kw_only=True):
    """What the comparison came to."""

    seed: int
    searchers: Sequence[str]
    pairs: int = 0
    found: int = 0
    """In how many of them the query finds the text."""
    set_aside: dict[str, int]
    """How many were not compared with a searcher that is known to read one of their characters in another way."""
    differences: list[str] = msgspec.field(default_factory=list)


def compare(
    asked: Sequence[Searcher], run: Callable[[Coroutine[object, object, None]], None], *, pairs: int, seed: int
) -> Figures:
    """Generate pairs until there are so many, and ask everybody: the first is whom the others are compared with.

    `run` waits for a coroutine.
    """
    aside = {one.name: 0 for one in asked if one.differs != Differs()}
    figures = Figures(seed=seed, searchers=[one.name for one in asked], set_aside=aside)
    while figures.pairs < pairs:

        @seeded(seed + figures.pairs)
        @settings(
            max_examples=-(-(pairs - figures.pairs) // PAIRS),
            phases=[Phase.generate],
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(batches(texts=TEXTS, queries=QUERIES))
        def generated(batch: Batch) -> None:
            run(_ask(asked, batch, figures))

        generated()
    return figures


async def _ask(asked: Sequence[Searcher], batch: Batch, figures: Figures) -> None:
    memories = memories_of(batch.texts)
    expected = await asked[0].find(memories, batch.queries)
    figures.pairs += len(memories) * len(batch.queries)
    figures.found += sum(map(len, expected))
    for other in asked[1:]:
        found = await other.find(memories, batch.queries)
        for query, ours, theirs in zip(batch.queries, expected, found, strict=True):
            aside = {number for number, memory in enumerate(memories) if other.differs.in_pair(memory.text, query)}
            if aside:
                figures.set_aside[other.name] += len(aside)
            figures.differences += [
                f"query {query!r}, {told}: {asked[0].name} and {other.name}"
                for told in _differences(memories, *([n for n in one if n not in aside] for one in (ours, theirs)))
            ]


def _differences(memories: Sequence[Memory], ours: Sequence[int], theirs: Sequence[int]) -> Iterator[str]:
    """Tell which texts only one finds, and whether the order differs."""
    for number in sorted({*ours} ^ {*theirs}):
        yield f"text {memories[number].text!r}: only one finds it"
    if sorted(ours) == sorted(theirs) and ours != theirs:
        yield f"another order: {ours} and {theirs}"


def memories_of(texts: Sequence[str]) -> list[Memory]:
    """Make a memory of each text that may be one."""
    made: list[Memory] = []
    for text in texts:
        try:
            made.append(a_memory(len(made), text))
        except InvalidInput:
            continue
    return made
