"""What an index knows of each slot, as columns that numpy reads where they are."""

from array import array


class Columns:
    """One row for each slot that was ever given out; an empty slot has length 0 and leads nowhere.

    `second`, `next` and `previous` lead from a message to those whose context
    it is part of: the second after it, the next, the one before; -1: there is none.
    """

    def __init__(self) -> None:
        self.total_context = 0
        self.alive = array("B")
        self.length = array("I")
        self.near_length = array("I")
        self.context_length = array("I")
        self.session = array("i")
        self.speaker = array("i")
        self.second = array("i")
        self.next = array("i")
        self.previous = array("i")

    def __len__(self) -> int:
        return len(self.alive)

    def add(self, *, length: int, near_length: int, session: int, speaker: int) -> int:
        """Append a row; give its slot."""
        self.alive.append(1)
        self.length.append(length)
        self.near_length.append(near_length)
        self.context_length.append(0)
        self.session.append(session)
        self.speaker.append(speaker)
        for leads in (self.second, self.next, self.previous):
            leads.append(-1)
        return len(self.alive) - 1

    def set_context(self, slot: int, length: int) -> None:
        """Say how many telling terms stand around a message."""
        self.total_context += length - self.context_length[slot]
        self.context_length[slot] = length

    def clear(self, slot: int) -> None:
        """Empty a slot."""
        self.set_context(slot, 0)
        self.alive[slot] = self.length[slot] = self.near_length[slot] = 0
        self.session[slot] = self.speaker[slot] = self.second[slot] = self.next[slot] = self.previous[slot] = -1
