"""Vectors as they are kept: float16, little-endian, of length 1. Works without numpy."""

import math
import struct
from collections.abc import Sequence

from wellkept.model.errors import EmbedderFailed
from wellkept.model.passages import Vector


def vector_of(numbers: Sequence[float], *, model: str, size: int) -> Vector:
    """Return the vector of what an embedder answered, scaled to length 1.

    Raises:
        EmbedderFailed: It has another size, is not finite, or has no direction.
    """
    if len(numbers) != size:
        raise EmbedderFailed(model=model, problem=f"answered with {len(numbers)} dimensions, not {size}")
    length = math.sqrt(math.fsum(number * number for number in numbers))
    if not math.isfinite(length):
        raise EmbedderFailed(model=model, problem="answered with a number that is not finite")
    if length == 0.0:
        raise EmbedderFailed(model=model, problem="answered with a vector of length 0")
    return Vector(model=model, data=struct.pack(f"<{size}e", *(number / length for number in numbers)))


def numbers_of(vector: Vector) -> tuple[float, ...]:
    """Read a vector back."""
    return struct.unpack(f"<{vector.size}e", vector.data)
