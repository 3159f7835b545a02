"""What the README and docs show is what happens."""

from pathlib import Path

import pytest

from fences import fences, name, pages
from follower import PICTURES, Follower

RUNNING = [page for page in pages() if any(block.language not in PICTURES for block in fences(page))]


@pytest.mark.parametrize("page", RUNNING, ids=name)
def test_a_page_shows_what_happens(page: Path, reader: Follower) -> None:
    reader.follow(page)


def test_the_readme_and_the_tutorial_have_examples() -> None:
    assert {"README.md", "docs/tutorial.md"} <= {name(page) for page in RUNNING}
