"""`scripts/trial NAME`: try it, print the figures, and end with 1 if anything was lost or wrong."""

import argparse
import sys
from collections.abc import Sequence

from trials.places import STORES, place
from trials.report import Report, as_json, as_table
from trials.table import TRIALS


def main(arguments: Sequence[str] | None = None) -> int:
    """Do the trials that the arguments (those of the process) ask for; 1: something was lost or wrong."""
    asked = _parser().parse_args(arguments)
    reports: list[Report] = []
    for name in TRIALS if asked.name == "all" else [asked.name]:
        trial = TRIALS[name]
        for store in asked.store or STORES:
            if not trial.fits(store):
                continue
            print(f"{name} on {store}", file=sys.stderr, flush=True)
            with place(store) as here:
                count = trial.count if asked.count is None else asked.count
                seconds = trial.seconds if asked.seconds is None else asked.seconds
                reports.append(trial.run(here, count=count, seconds=seconds))
            if not asked.json:
                print(as_table(reports[-1]), flush=True)
    if asked.json:
        print(as_json(reports))
    return int(not reports or any(report.wrong for report in reports))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/trial",
        description="What happens to the data when things go wrong on purpose; 1 if anything was lost or wrong.",
        epilog="\n".join(f"{name:<10} {trial.says}" for name, trial in TRIALS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=[*TRIALS, "all"], help="which trial")
    parser.add_argument("--store", nargs="+", choices=list(STORES), help="these stores alone, of those that it fits")
    parser.add_argument("--count", type=int, help="how often, or how many; each trial has its own meaning and default")
    parser.add_argument("--seconds", type=float, help="how long, where a trial takes a time")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
