"""The vectors of an index, one row a slot, as numpy compares them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wellkept.model.passages import Vector

Floats = NDArray[np.float32]


class Matrix:
    """Vectors of one size by slot. The first decides the size; others are not kept."""

    def __init__(self) -> None:
        self._rows: Floats = np.zeros((0, 0), np.float32)
        self._has: NDArray[np.bool_] = np.zeros(0, np.bool_)

    def put(self, slot: int, vector: Vector) -> bool:
        """Keep the vector of a slot; False: it is of another size or not finite."""
        return self._put(slot, _row(vector))

    def _put(self, slot: int, row: Floats) -> bool:
        if not self._has.any():
            self._rows = np.zeros((max(slot + 1, 64), len(row)), np.float32)
            self._has = np.zeros(len(self._rows), np.bool_)
        if len(row) != self._rows.shape[1] or not np.isfinite(row).all():
            return False
        if slot >= len(self._has):
            more = max(slot + 1, len(self._has) * 3 // 2) - len(self._has)
            self._rows = np.concatenate([self._rows, np.zeros((more, len(row)), np.float32)])
            self._has = np.concatenate([self._has, np.zeros(more, np.bool_)])
        self._rows[slot] = row
        self._has[slot] = True
        return True

    def drop(self, slot: int) -> None:
        """Forget the vector of a slot."""
        if slot < len(self._has):
            self._rows[slot] = 0.0
            self._has[slot] = False

    def has(self, slots: int) -> NDArray[np.bool_]:
        """Say of the first slots which have a vector."""
        known = self._has[:slots]
        return np.concatenate([known, np.zeros(slots - len(known), np.bool_)])

    def take(self, slot: int, other: "Matrix", there: int) -> bool:
        """Keep what another matrix has in one of its slots; False: nothing."""
        if there >= len(other._has) or not other._has[there]:
            return False
        return self._put(slot, other._rows[there])

    def cosines(self, vector: Vector, slots: int) -> NDArray[np.float64] | None:
        """Compare with the first slots, where one without a vector has 0; None: none has one of this size."""
        asked = _row(vector)
        if len(asked) != self._rows.shape[1] or not self._has.any():
            return None
        told = np.zeros(slots)
        known = min(slots, len(self._rows))
        told[:known] = self._rows[:known] @ asked
        return told

    def alike(self, slots: Sequence[int]) -> list[list[float]]:
        """Compare some slots with each other; one without a vector is like none."""
        rows = np.zeros((len(slots), self._rows.shape[1]), np.float32)
        for at, slot in enumerate(slots):
            if slot < len(self._rows):
                rows[at] = self._rows[slot]
        # Rounded, so that what processors sum up differently decides nothing.
        told: list[list[float]] = np.round(rows @ rows.T, 5).tolist()
        return told


def _row(vector: Vector) -> Floats:
    return np.frombuffer(vector.data, "<f2").astype(np.float32)
