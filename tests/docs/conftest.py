"""A reader for a page."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from follower import Follower


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Follower]:
    with ExitStack() as stack:
        yield Follower(tmp_path, monkeypatch, stack)
