"""Looking for text that tries to instruct the model."""

from abc import ABC, abstractmethod

from wellkept.model.review import Screened


class Screen(ABC):
    """Says whether a text may be stored.

    It is shown the text as it would be stored: the whole resulting block, or
    the whole memory. Deterministic, without I/O, and it fails closed: a screen
    that cannot decide says `hold`.
    """

    @abstractmethod
    def look(self, text: str) -> Screened:
        """Give the verdict on `text`: accept, hold or reject, with the names of the patterns met."""
