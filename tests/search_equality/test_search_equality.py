"""Mode `web` finds the same in every store that keeps memories, and what PostgreSQL's own functions find."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from search_equality import __main__, comparing
from search_equality.comparing import Figures, compare
from search_equality.generated import KINDS
from search_equality.releases import Differs, ranges
from search_equality.searchers import Found, Searcher, Store, differs_of, searchers

import postgres_server
from sources import ROOT
from wellkept.model.memories import Memory
from wellkept.stores.inproc import InprocStore

PAIRS = 600
"""Few, for every day. `scripts/search-equality` compares more."""


def test_everybody_finds_the_same() -> None:
    with asyncio.Runner() as runner:
        until = AsyncExitStack()
        everybody = runner.run(until.enter_async_context(searchers()))
        figures = compare(everybody, runner.run, pairs=PAIRS, seed=1)
        runner.run(until.aclose())
    assert figures.differences == []
    assert len(everybody) == (6 if postgres_server.HAS_OLDEST else 4)
    assert figures.pairs >= PAIRS
    assert 0.05 < figures.found / figures.pairs < 0.95
    assert all(count < figures.pairs / 2 for count in figures.set_aside.values())


class Odd(Store):
    """Finds as the in-process store does, but for what a test changes."""

    def __init__(self) -> None:
        super().__init__("odd", InprocStore())


class Forgetful(Odd):
    async def find(self, memories: Sequence[Memory], queries: Sequence[str]) -> Found:
        return [found[1:] for found in await super().find(memories, queries)]


class Backward(Odd):
    async def find(self, memories: Sequence[Memory], queries: Sequence[str]) -> Found:
        return [found[::-1] for found in await super().find(memories, queries)]


class Excused(Forgetful):
    differs = Differs(in_texts=frozenset(map(chr, range(0x110000))))


def figures_of(other: Searcher) -> Figures:
    with asyncio.Runner() as runner:
        return compare([Store("in process", InprocStore()), other], runner.run, pairs=PAIRS, seed=1)


def test_a_difference_is_noticed() -> None:
    assert "only one finds it" in figures_of(Forgetful()).differences[0]
    assert "another order" in figures_of(Backward()).differences[0]


def test_what_is_known_to_differ_is_set_aside_and_counted() -> None:
    figures = figures_of(Excused())
    assert (figures.differences, figures.set_aside) == ([], {"odd": figures.pairs})


def test_the_same_seed_generates_the_same_pairs() -> None:
    assert figures_of(Odd()) == figures_of(Odd())


def test_every_kind_can_be_generated() -> None:
    assert {"words", "numbers", "e-mails", "URLs", "hosts", "paths", "versions", "hyphens", "signs"} <= KINDS.keys()
    assert {"quotes", "operators", "scripts", "emoji"} <= KINDS.keys()


@asynccontextmanager
async def nobody() -> AsyncIterator[Sequence[Searcher]]:
    yield []


def test_the_command_prints_figures_and_fails_on_a_difference(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = Figures(seed=1, searchers=["in process", "odd"], pairs=200, set_aside={}, differences=["query 'tea'"])
    monkeypatch.setattr(__main__, "compare", lambda *_, **__: wrong)
    monkeypatch.setattr(__main__, "searchers", nobody)
    assert __main__.main(["--pairs", "1", "--seed", "1"]) == 1
    assert "WRONG: query 'tea'" in capsys.readouterr().out
    wrong.differences.clear()
    assert __main__.main(["--pairs", "1", "--seed", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pairs"] == 200


# ---------------------------------------------------------------- releases

if postgres_server.HAS_OLDEST:

    def test_release_15_reads_every_character_as_we_do() -> None:
        assert differs_of(postgres_server.oldest()) == Differs()


def test_the_page_lists_what_a_later_release_reads_differently() -> None:
    found = differs_of(postgres_server.embedded())
    page = " ".join((ROOT / "docs" / "why" / "search.md").read_text(encoding="utf-8").split())
    assert found.in_texts
    for characters in (found.in_texts, found.in_queries):
        assert f"`{ranges(characters)}`" in page
        assert f"{len(characters)} characters" in page


@pytest.mark.parametrize(
    ("characters", "written"), [("", ""), ("\u00ad", "00AD"), ("abcx", "0061-0063 0078"), ("ac", "0061 0063")]
)
def test_characters_are_written_as_ranges(characters: str, written: str) -> None:
    assert ranges(characters) == written


def test_a_text_without_anything_visible_is_no_memory() -> None:
    assert [memory.text for memory in comparing.memories_of(["tea", " ", "milk"])] == ["tea", "milk"]
