"""The suite of `wellkept.contract.embedder.Embedder`: give a fixture `embedder`, and derive from `EmbedderContract`."""

import math

import pytest

from wellkept.contract.embedder import Embedder
from wellkept.rules.recall.vectors import numbers_of

TEXTS = [
    "My sister keeps bees behind the old mill.",
    "x",
    "紫色が好きです",
    "ما هو لونك المفضل؟",
    "🙂🙂🙂",
    "!!! ??? ...",
    "e\u0301 \u202e \ufeff \u2028",
    "word " * 5_000,
    "x" * 20_000,
]
"""Texts of every kind: each has a vector."""


class EmbedderContract:
    """The obligations of an embedder."""

    def test_its_model_has_a_name_and_its_vectors_a_size(self, embedder: Embedder) -> None:
        assert 1 <= len(embedder.model) <= 128
        assert all("!" <= char <= "~" for char in embedder.model)
        assert embedder.size > 0

    async def test_every_text_has_a_vector_of_length_1_in_order(self, embedder: Embedder) -> None:
        vectors = await embedder.embed(TEXTS)
        assert len(vectors) == len(TEXTS)
        for vector in vectors:
            numbers = numbers_of(vector)
            assert (vector.model, vector.size, len(numbers)) == (embedder.model, embedder.size, embedder.size)
            assert math.isclose(math.hypot(*numbers), 1.0, abs_tol=0.01)
        for text, vector in zip(TEXTS[:3], vectors, strict=False):
            (alone,) = await embedder.embed([text])
            assert sum(a * b for a, b in zip(numbers_of(alone), numbers_of(vector), strict=True)) > 0.999

    async def test_the_same_text_has_the_same_vector(self, embedder: Embedder) -> None:
        first, second = await embedder.embed([TEXTS[0], TEXTS[0]])
        assert first == second
        assert await embedder.embed([TEXTS[0]]) == await embedder.embed([TEXTS[0]])

    async def test_no_texts_have_no_vectors(self, embedder: Embedder) -> None:
        assert await embedder.embed([]) == []

    @pytest.mark.parametrize("query", [False, True])
    async def test_other_texts_have_other_vectors(self, embedder: Embedder, query: bool) -> None:
        one, other = await embedder.embed(["green tea in the morning", "the server listens on port 9077"], query=query)
        assert one.data != other.data

    async def test_it_may_be_closed_twice(self, embedder: Embedder) -> None:
        await embedder.embed(["x"])
        await embedder.close()
        await embedder.close()
