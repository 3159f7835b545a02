"""`scripts/bench`: measure, and print a table or JSON."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.cases import CASES
from bench.machine import machine
from bench.report import Report, as_json, as_table
from bench.running import STORES, run


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what the arguments (those of the process) ask for."""
    asked = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="wellkept-bench-") as name:
        folder = Path(name)
        on = machine(folder)
        measured = run(
            asked.store or list(STORES),
            asked.only or list(CASES),
            rows=asked.rows,
            seconds=asked.seconds,
            folder=folder,
            tell=lambda what: print(what, file=sys.stderr, flush=True),
        )
        report = Report(machine=on, rows=asked.rows, seconds=asked.seconds, results=asyncio.run(measured))
    print(as_json(report) if asked.json else as_table(report))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="How long the operations take, beside raw sqlite3. Files lie in TMPDIR; its disk counts.",
    )
    parser.add_argument("--store", nargs="+", choices=list(STORES), help="these stores alone")
    parser.add_argument(
        "--only", nargs="+", choices=list(CASES), metavar="CASE", help=f"these cases alone: {', '.join(CASES)}"
    )
    parser.add_argument("--seconds", type=float, default=0.5, help="for each figure (%(default)s)")
    parser.add_argument("--rows", type=int, default=500, help="memories in a pool, and its cap (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    main()
