"""What every embedder has to do."""

import math
import struct

import pytest

from wellkept.contract.embedder import Embedder

_TEXTS = ("the cat sat on the mat", "a kitten was sitting on a rug", "interest rates rose again in spring")

ODD = (
    "x", "🙂🙂🙂", "我喜欢在海里游泳", "수영을 좋아해요", "я люблю плавать", "أحب السباحة", "मुझे तैरना पसंद है", "…",
    "a" * 5_000, "long words " * 20_000, "line\nbreak\ttab", "e\u0301", "\u202eright to left",
)  # fmt: skip


class EmbedderContract:
    """Give a fixture `embedder`; it is closed by the fixture."""

    async def test_each_text_gets_a_vector_of_length_1_stamped_with_model_and_size(self, embedder: Embedder) -> None:
        vectors = await embedder.embed([*_TEXTS, *ODD])
        assert len(vectors) == len(_TEXTS) + len(ODD)
        for vector in vectors:
            assert (vector.model, vector.size) == (embedder.model, embedder.size)
            numbers = struct.unpack(f"<{vector.size}e", vector.data)
            assert math.fsum(number * number for number in numbers) == pytest.approx(1.0, abs=0.01)

    async def test_the_same_text_gets_the_same_vector_in_whatever_company(self, embedder: Embedder) -> None:
        together = await embedder.embed(_TEXTS)
        again = await embedder.embed(_TEXTS)
        alone = [(await embedder.embed([text]))[0] for text in _TEXTS]
        assert together == again
        for one, other in zip(together, alone, strict=True):
            assert cosine(one.data, other.data) == pytest.approx(1.0, abs=0.002)

    async def test_vectors_come_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        forth = await embedder.embed(_TEXTS)
        back = await embedder.embed(_TEXTS[::-1])
        for one, other in zip(forth, back[::-1], strict=True):
            assert cosine(one.data, other.data) == pytest.approx(1.0, abs=0.002)

    async def test_nothing_is_embedded_as_nothing(self, embedder: Embedder) -> None:
        assert await embedder.embed([]) == []

    async def test_the_name_of_the_model_is_short_and_visible(self, embedder: Embedder) -> None:
        assert 1 <= len(embedder.model) <= 128
        assert all("!" <= character <= "~" for character in embedder.model)

    async def test_closing_twice_is_closing_once(self, embedder: Embedder) -> None:
        await embedder.close()
        await embedder.close()


class MeaningContract(EmbedderContract):
    """For an embedder that knows what words mean."""

    async def test_what_means_the_same_is_nearer_than_what_does_not(self, embedder: Embedder) -> None:
        cat, kitten, rates = await embedder.embed(_TEXTS)
        assert cosine(cat.data, kitten.data) > cosine(cat.data, rates.data) + 0.2


def cosine(one: bytes, other: bytes) -> float:
    """Compare two vectors of length 1."""
    size = len(one) // 2
    pairs = zip(struct.unpack(f"<{size}e", one), struct.unpack(f"<{size}e", other), strict=True)
    return math.fsum(left * right for left, right in pairs)
