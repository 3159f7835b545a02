"""Passages to fill an index with."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from wellkept.model.ids import AgentId, SessionId, TenantId, UserId
from wellkept.model.passages import Metadata, Passage, StoredPassage, Vector
from wellkept.rules.recall.cutting import pieces_of
from wellkept.rules.recall.entry import analysed
from wellkept.rules.recall.vectors import vector_of

START = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def spoken_passages(
    text: str,
    *,
    number: int = 0,
    session: str = "s1",
    speaker: str = "Ann",
    numbers: Sequence[float] | None = None,
    metadata: Metadata | None = None,
) -> list[StoredPassage]:
    """Return the pieces of a message, as a store gives them; `numbers` is the vector of each."""
    return [
        StoredPassage(
            passage=Passage(
                tenant_id=TenantId("default"),
                agent_id=AgentId("agent"),
                user_id=UserId("user"),
                session_id=SessionId(session),
                message=f"m{number}",
                part=part,
                number=number,
                speaker=speaker,
                at=START + timedelta(minutes=number),
                text=piece,
                metadata=metadata or {},
            ),
            revision=number + 1,
            entry=analysed(piece).encode(),
            vector=None if numbers is None else vector(numbers),
        )
        for part, piece in enumerate(pieces_of(text))
    ]


def vector(numbers: Sequence[float]) -> Vector:
    return vector_of(numbers, model="test", size=len(numbers))
