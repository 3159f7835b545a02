"""What the suites of recall are played on."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

import pytest

from wellkept.contract.embedder import Embedder
from wellkept.model.ids import DEFAULT_TENANT
from wellkept.model.passages import Metadata, PassageCounts, PassagesPut, Said
from wellkept.model.recall import Recalled, RecallFilter
from wellkept.testing.words_embedder import WordsEmbedder

START: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
NO_FILTER: Final = RecallFilter()


class RecallService(Protocol):
    """What a recall service offers, as `wellkept.SqliteRecall` does."""

    async def ingest(self, messages: Sequence[Said], *, agent: str, user_id: str, session_id: str) -> PassagesPut:
        """Keep messages."""
        ...

    async def search(
        self, query: str, *, agent: str, user_id: str, limit: int = 10, filter: RecallFilter = NO_FILTER
    ) -> Recalled:
        """Find what was said."""
        ...

    async def delete(
        self,
        *,
        agent: str,
        user_id: str | None = None,
        session_id: str | None = None,
        ids: Sequence[str] | None = None,
    ) -> int:
        """Forget passages."""
        ...

    async def erase_user(self, user_id: str) -> int:
        """Forget a user's passages."""
        ...

    async def stats(self, *, agent: str | None = None) -> PassageCounts:
        """Count passages."""
        ...

    async def settled(self) -> bool:
        """Embed what could not be embedded before."""
        ...


class OpenService(Protocol):
    """Opens a service on the same data each time, as another process would."""

    def __call__(
        self, embedder: Embedder | None, *, tenant: str = DEFAULT_TENANT
    ) -> AbstractAsyncContextManager[RecallService]:
        """Open one; None: without an embedder."""
        ...


def said(
    text: str, number: int = 1, *, speaker: str = "Maya", id: str | None = None, metadata: Metadata | None = None
) -> Said:
    """Say something, `number` hours after the start."""
    return Said(
        text=text,
        speaker=speaker,
        at=START + timedelta(hours=number),
        id=f"m{number}" if id is None else id,
        number=number,
        metadata=metadata or {},
    )


def texts(recalled: Recalled) -> list[str]:
    """Give what was found."""
    return [found.passage.text for found in recalled.data]


class RecallStage:
    """Fixtures to give: `open_service`, an `OpenService` on an empty place; `yardstick`, one in process."""

    @pytest.fixture
    def embedder(self) -> WordsEmbedder:
        return WordsEmbedder()

    @pytest.fixture
    async def recall(self, open_service: OpenService, embedder: WordsEmbedder) -> AsyncIterator[RecallService]:
        async with open_service(embedder) as opened:
            yield opened

    async def keep(
        self,
        recall: RecallService,
        *messages: Said,
        user: str = "maya",
        agent: str = "support",
        session: str = "s1",
    ) -> PassagesPut:
        return await recall.ingest(messages, agent=agent, user_id=user, session_id=session)

    async def find(
        self,
        recall: RecallService,
        query: str,
        *,
        user: str = "maya",
        agent: str = "support",
        limit: int = 10,
        filter: RecallFilter = NO_FILTER,
    ) -> Recalled:
        return await recall.search(query, agent=agent, user_id=user, limit=limit, filter=filter)
