"""`scripts/faults`: seed faults, and report those that no test notices."""

import argparse
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from faults.copies import Copy
from faults.fault import Fault
from faults.report import as_json, line, table
from faults.servers import lend
from faults.table import TABLE
from faults.trying import Verdict, passes_untouched, try_fault


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/faults", description=__doc__)
    parser.add_argument("--store", choices=sorted(TABLE), nargs="+", default=sorted(TABLE), help="which stores")
    parser.add_argument("--only", metavar="WORDS", default="", help="faults whose name or file holds these words")
    parser.add_argument("--copies", type=int, default=2, help="how many at a time")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--list", action="store_true", help="name the faults, and seed none")
    parser.add_argument("--stages", type=int, metavar="N", help="run no more than so many stages, from the narrow on")
    parser.add_argument("--unchecked", action="store_true", help="do not run the tests without a fault first")
    return parser.parse_args()


def main() -> int:
    asked = options()
    faults = [(s, fault) for s in asked.store for fault in TABLE[s] if asked.only in f"{fault.name} {fault.file}"]
    if asked.list:
        print("\n".join(f"{store:12} {fault.file}: {fault.name}" for store, fault in faults))
        return 0
    lend(asked.store)
    folder = Path(tempfile.mkdtemp(prefix="wellkept-faults-"))
    copies = [Copy(folder / str(number)) for number in range(asked.copies)]
    try:
        verdicts = seed(faults, copies, check=not asked.unchecked, widest=asked.stages)
    finally:
        for copy in copies:
            copy.warm.close()
        shutil.rmtree(folder)
    print(as_json(verdicts) if asked.json else table(verdicts))
    return 0 if all(verdict.noticed_by for verdict in verdicts) else 1


def seed(faults: list[tuple[str, Fault]], copies: list[Copy], *, check: bool, widest: int | None) -> list[Verdict]:
    """Try each fault, several at a time, each copy with one fault at most."""
    free: SimpleQueue[Copy] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def without(store: str) -> None:
        copy = free.get()
        try:
            failing = passes_untouched(copy, store)
        finally:
            free.put(copy)
        if failing:
            raise SystemExit(f"without any fault, {failing} fails")

    def one(store: str, fault: Fault) -> Verdict:
        copy = free.get()
        try:
            verdict = try_fault(copy, store, fault, widest=widest)
        finally:
            free.put(copy)
        print(line(verdict), file=sys.stderr, flush=True)
        return verdict

    with ThreadPoolExecutor(len(copies)) as pool:
        if check:
            list(pool.map(without, sorted({store for store, _ in faults})))
        return list(pool.map(lambda pair: one(*pair), faults))


if __name__ == "__main__":
    sys.exit(main())
