"""`scripts/search-equality`: is mode `web` the same everywhere? Prints figures; ends with 1 if it is not."""

import argparse
import asyncio
import secrets
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Final

import msgspec

from search_equality.comparing import Figures, compare
from search_equality.releases import Differs, ranges
from search_equality.searchers import differs_of, searchers, servers

SHOWN: Final = 20
"""Differences that people are shown; programs get all."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments (those of the process) ask for; 1: there is a difference."""
    asked = _parser().parse_args(arguments)
    if asked.releases:
        listed = {name: differs_of(server) for name, server in servers().items()}
        print(_json(listed) if asked.json else "\n".join(_listed(name, found) for name, found in listed.items()))
        return 0
    with asyncio.Runner() as runner:
        until = AsyncExitStack()
        everybody = runner.run(until.enter_async_context(searchers()))
        figures = compare(everybody, runner.run, pairs=asked.pairs, seed=asked.seed)
        runner.run(until.aclose())
    print(_json(figures) if asked.json else _table(figures))
    return int(bool(figures.differences))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/search-equality",
        description="Asks generated queries of generated texts: in process, of SQLite, of PostgreSQL as a store, and "
        "of PostgreSQL's own functions, on each release there is. Prints figures; 1: there is a difference.",
    )
    parser.add_argument("--pairs", type=int, default=20_000, help="of a text and a query, at least (%(default)s)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="generates the same pairs again")
    parser.add_argument(
        "--releases", action="store_true", help="list instead which characters each release reads in another way"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _json(told: object) -> str:
    return msgspec.json.format(msgspec.json.encode(told, order="deterministic"), indent=2).decode()


def _listed(name: str, found: Differs) -> str:
    if found == Differs():
        return f"{name} reads every character alike"
    lines = [f"{name} reads {len(found.in_texts)} characters in another way", f"  {ranges(found.in_texts)}"]
    lines += [f"  and in queries {len(found.in_queries)} more", f"  {ranges(found.in_queries)}"]
    return "\n".join(lines)


def _table(figures: Figures) -> str:
    shown = {
        "seed": figures.seed,
        "pairs of a text and a query": figures.pairs,
        "of these found": figures.found,
        **{f"of these set aside for {name}": count for name, count in figures.set_aside.items()},
        "differences": len(figures.differences),
    }
    lines = [f"compared: {'; '.join(figures.searchers)}"]
    lines += [f"  {name:<66}{value:>9,}" for name, value in shown.items()]
    return "\n".join([*lines, *(f"  WRONG: {difference}" for difference in figures.differences[:SHOWN])])


if __name__ == "__main__":
    sys.exit(main())
