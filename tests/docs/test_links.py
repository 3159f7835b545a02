"""Links between pages lead somewhere, and every page can be reached."""

from pathlib import Path

import pytest

from fences import anchors, links, name, pages
from sources import ROOT


def inner(page: Path) -> list[tuple[Path, str]]:
    """The page's links into the repository: file and fragment."""
    found = []
    for link in links(page):
        if "://" not in link and not link.startswith("mailto:"):
            path, _, fragment = link.partition("#")
            found.append(((page.parent / path).resolve() if path else page, fragment))
    return found


@pytest.mark.parametrize("page", pages(), ids=name)
def test_links_lead_to_what_is_there(page: Path) -> None:
    dead = [str(path) for path, _ in inner(page) if not path.exists() or not path.is_relative_to(ROOT)]
    lost = [
        f"{path.name}#{fragment}"
        for path, fragment in inner(page)
        if fragment and path.suffix == ".md" and path.exists() and fragment not in anchors(path)
    ]
    assert not dead + lost


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in seen or page.suffix != ".md" or not page.is_file():
            continue
        seen.add(page)
        ahead += [path for path, _ in inner(page)]
    assert not [name(page) for page in pages() if page not in seen]
