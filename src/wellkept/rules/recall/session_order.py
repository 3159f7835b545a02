"""The messages of one session in their order, and who is whose context.

The context of a message is what was said around it: the first words of the two
messages before it and of the one after. Only a message of one piece has one:
a long answer says what it is about.
"""

from bisect import bisect_left
from datetime import datetime

from wellkept.rules.recall.columns import Columns

_Place = tuple[int, datetime, str]


class SessionOrder:
    """The messages of a session by number, time and name, each with the slots of its pieces."""

    def __init__(self) -> None:
        self._places: list[_Place] = []
        self._pieces: list[dict[int, int]] = []

    def __bool__(self) -> bool:
        return bool(self._places)

    def add(self, place: tuple[int, datetime, str, int], slot: int, columns: Columns) -> None:
        """Put a piece where it belongs."""
        number, time, message, part = place
        key = (number, time, message)
        at = bisect_left(self._places, key)
        if at == len(self._places) or self._places[at] != key:
            self._places.insert(at, key)
            self._pieces.insert(at, {})
        self._pieces[at][part] = slot
        self._lead(at, columns)

    def remove(self, place: tuple[int, datetime, str, int], columns: Columns) -> None:
        """Take a piece out."""
        number, time, message, part = place
        key = (number, time, message)
        at = bisect_left(self._places, key)
        del self._pieces[at][part]
        if not self._pieces[at]:
            del self._places[at], self._pieces[at]
        self._lead(at, columns)

    def _lead(self, changed: int, columns: Columns) -> None:
        """Lay the ways anew between messages around one that came, changed or went."""
        first, last = max(changed - 2, 0), min(changed + 3, len(self._places))
        for at in range(first, last):
            for piece in self._pieces[at].values():
                columns.second[piece] = columns.next[piece] = columns.previous[piece] = -1
                columns.set_context(piece, 0)
            source = self._source(at)
            columns.second[source] = self._target(at + 2)
            columns.next[source] = self._target(at + 1)
            columns.previous[source] = self._target(at - 1)
        for at in range(first, last):
            target = self._target(at)
            if target >= 0:
                around = (self._source(near) for near in (at - 2, at - 1, at + 1) if 0 <= near < len(self._places))
                columns.set_context(target, sum(columns.near_length[source] for source in around))

    def _source(self, at: int) -> int:
        pieces = self._pieces[at]
        return pieces[min(pieces)]

    def _target(self, at: int) -> int:
        if not 0 <= at < len(self._pieces):
            return -1
        pieces = self._pieces[at]
        return next(iter(pieces.values())) if len(pieces) == 1 else -1
