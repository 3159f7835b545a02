"""Where each term stands: for every term, the slots of the passages that have it, in order."""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from wellkept.rules.lexical.inflection import SHORTEST_STEM, related
from wellkept.rules.recall.analysis import COMMON_MARK
from wellkept.rules.recall.entry import Entry


class Posting:
    """The passages that have a term: how often (`own`), and how often among their first words (`near`)."""

    __slots__ = ("near", "own", "slots")

    def __init__(self) -> None:
        self.slots = array("I")
        self.own = array("H")
        self.near = array("H")

    def __len__(self) -> int:
        return len(self.slots)


class Postings:
    """All postings of an index. Slots are given out in ascending order."""

    def __init__(self) -> None:
        self._of: dict[str, Posting] = {}
        self._alike: dict[str, set[str]] = {}

    def __contains__(self, term: str) -> bool:
        return term in self._of

    def get(self, term: str) -> Posting | None:
        """Give the posting of a term."""
        return self._of.get(term)

    def count(self, term: str) -> int:
        """Count the passages that have a term."""
        posting = self._of.get(term)
        return 0 if posting is None else len(posting)

    def add(self, slot: int, entry: Entry, *, first: Sequence[str]) -> None:
        """Note what the passage of a slot, the highest yet, has; `first` are its first terms."""
        near = Counter(first)
        for term, times in counted(entry).items():
            posting = self._of.get(term)
            if posting is None:
                posting = self._of[term] = Posting()
                self._alike.setdefault(term[:SHORTEST_STEM], set()).add(term)
            posting.slots.append(slot)
            posting.own.append(min(times, 0xFFFF))
            posting.near.append(near[term])

    def remove(self, slot: int, entry: Entry) -> None:
        """Forget what the passage of a slot has."""
        for term in counted(entry):
            posting = self._of[term]
            at = bisect_left(posting.slots, slot)
            del posting.slots[at], posting.own[at], posting.near[at]
            if not posting.slots:
                del self._of[term]
                alike = self._alike[term[:SHORTEST_STEM]]
                alike.discard(term)
                if not alike:
                    del self._alike[term[:SHORTEST_STEM]]

    def relatives(self, term: str) -> Iterator[str]:
        """Yield the terms that look like other forms of a word, in their order."""
        for other in sorted(self._alike.get(term[:SHORTEST_STEM], ())):
            if other != term and related(term, other):
                yield other


def counted(entry: Entry) -> dict[str, int]:
    """Count the terms of an entry."""
    times: dict[str, int] = Counter(entry.ordered)
    for term in entry.beside:
        times[term] = times.get(term, 0) + 1
    return times


def evidence(terms: Iterable[str]) -> int:
    """Count the terms that are not common: what a passage's length is for its score."""
    return sum(not term.startswith(COMMON_MARK) for term in terms)
