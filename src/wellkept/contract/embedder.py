"""What puts texts where their meaning is."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from wellkept.model.passages import Vector


class Embedder(ABC):
    """Embeds texts.

    Obligations, each held by a test in `wellkept.testing.embedder`:

    * `model` names what makes the vectors, down to what changes them: equal
      names, comparable vectors. `size` is the number of their dimensions;
    * the same text gets the same vector;
    * every answer has one vector for each text, in order, finite and of length 1;
    * it never falls back to another model.
    """

    local: ClassVar[bool] = False
    """True: it sends nothing anywhere, and answers in about a millisecond."""

    @property
    @abstractmethod
    def model(self) -> str:
        """Name what makes the vectors: 1 to 128 visible ASCII characters without spaces."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Give the number of dimensions."""

    @abstractmethod
    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        """Embed texts as they will be found, or with `query` as what looks for them.

        Any text has a vector; one that the embedder can make nothing of is refused.

        Raises:
            EmbedderFailed: It is down, late, or answered nonsense. Nothing is embedded then.
        """

    async def close(self) -> None:
        """Let go of files and connections. A second time does nothing."""
