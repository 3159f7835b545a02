"""What takes facts from conversations."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

import msgspec

from wellkept.model.passages import Said

MOST_FACTS: Final = 25
"""Facts of one extraction that are kept."""

MAX_FACT_CHARS: Final = 200


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """A short sentence, and which of the messages (by their index) it came from."""

    text: str
    sources: tuple[int, ...]


class Extractor(ABC):
    """Proposes facts beside the messages. It never replaces or deletes any; what it answers is checked, not trusted."""

    @abstractmethod
    async def facts(self, messages: Sequence[Said]) -> list[Fact]:
        """Give what is worth keeping of these messages.

        Raises:
            ModelFailed: The model failed, or answered nonsense.
        """
