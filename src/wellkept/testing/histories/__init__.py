"""Random histories: two stores are asked the same, step by step, and must answer the same.

    from wellkept.testing.histories import HISTORIES, play

    def test_my_store_tells_the_same_story() -> None:
        for history in HISTORIES:
            if history.runs_on(MyStore):
                play(history, opens_inproc, opens_mine, steps=2_000)

What opens a store is called without arguments, and gives an empty store at each call. A difference is raised with the
shortest history that shows it.

They need Hypothesis, too.
"""

from wellkept.testing.histories.audit import AuditHistory
from wellkept.testing.histories.blocks import BlockHistory
from wellkept.testing.histories.directory import DirectoryHistory
from wellkept.testing.histories.memories import MemoryHistory
from wellkept.testing.histories.passages import PassageHistory
from wellkept.testing.histories.review import ReviewHistory
from wellkept.testing.histories.sessions import SessionHistory
from wellkept.testing.histories.twins import Twins, play

__all__ = [
    "HISTORIES",
    "AuditHistory",
    "BlockHistory",
    "DirectoryHistory",
    "MemoryHistory",
    "PassageHistory",
    "ReviewHistory",
    "SessionHistory",
    "Twins",
    "play",
]

HISTORIES: tuple[type[Twins], ...] = (
    BlockHistory,
    MemoryHistory,
    DirectoryHistory,
    SessionHistory,
    ReviewHistory,
    PassageHistory,
    AuditHistory,
)
"""One for each contract of a store."""
