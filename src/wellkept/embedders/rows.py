"""From rows of numbers to vectors."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wellkept.model.errors import EmbedderFailed
from wellkept.model.passages import Vector


def vectors_of(rows: NDArray[np.float32], *, model: str) -> list[Vector]:
    """Return the vectors of rows, scaled to length 1.

    Raises:
        EmbedderFailed: A row is not finite, or has no direction.
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise EmbedderFailed(model=model, problem="answered with a number that is not finite")
    if not lengths.all():
        raise EmbedderFailed(model=model, problem="answered with a vector of length 0")
    small: Sequence[NDArray[np.float16]] = list((rows / lengths).astype("<f2"))
    return [Vector(model=model, data=row.tobytes()) for row in small]
