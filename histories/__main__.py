"""`scripts/histories`: play each store beside the in-process one, count the steps, and report differences."""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from wellkept.compose.stores import AnyStore, open_store
from wellkept.stores.inproc import InprocStore
from wellkept.testing.histories import HISTORIES, BlockHistory, MemoryHistory, Twins, play
from wellkept.testing.histories.plain import PlainBlocks, PlainMemories
from wellkept.testing.histories.twins import Opens

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
import postgres_server  # what the tests share, of which no package is made
from combinations import COMBINATIONS, Places
from store_places import SERVERS, placed

PLACES = [
    *("inproc://", "files://{tmp}/blocks", "sqlite:///{tmp}/wellkept.db"),
    *(f"{{{name}}}" for name in SERVERS if postgres_server.HAS_OLDEST or name != "postgresql_15"),
    *COMBINATIONS,
]
PLAIN: dict[type[Twins], type[PlainBlocks | PlainMemories]] = {BlockHistory: PlainBlocks, MemoryHistory: PlainMemories}


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/histories", description=__doc__)
    parser.add_argument("--steps", type=int, default=20_000, help="how many for each store, over all it keeps")
    parser.add_argument(
        "--store",
        metavar="STORE",
        nargs="+",
        default=PLACES,
        help="a URL, in which {tmp} is a fresh folder; {postgresql}, {redis} and the like for an empty store on a "
        f"server of the tests; or stores in wrappers: {', '.join(COMBINATIONS)}",
    )
    return parser.parse_args()


def main() -> int:
    asked = options()
    differences = 0
    print("| store | history | steps | differences | seconds |\n|---|---|---|---|---|")
    for place in asked.store:
        with tempfile.TemporaryDirectory(prefix="wellkept-histories-") as folder:
            differences += sum(told(place, history, asked.steps, Path(folder)) for history in histories(place, folder))
    return 1 if differences else 0


def histories(place: str, folder: str) -> list[tuple[type[Twins], int]]:
    """Choose the histories that the store has, each with how many there are."""
    store = asyncio.run(_closed(opens(place, Path(folder))))
    found = [one for one in HISTORIES if one.runs_on(store) and (store is not InprocStore or one in PLAIN)]
    return [(history, len(found)) for history in found]


async def _closed(opens: Opens) -> type[AnyStore]:
    store = await opens()
    await store.close()
    return type(store)


def told(place: str, chosen: tuple[type[Twins], int], steps: int, folder: Path) -> int:
    """Play one kind of history; say how many differences there were, which is one or none."""
    history, among = chosen
    started = time.monotonic()

    async def beside() -> AnyStore:
        return PLAIN[history]() if place == "inproc://" else InprocStore()

    try:
        played, found = play(history, beside, opens(place, folder), steps=-(-steps // among)), 0
    except AssertionError as error:
        played, found = 0, 1
        print("\n".join([str(error), *getattr(error, "__notes__", [])]), file=sys.stderr)
    print(f"| `{place}` | {history.__name__} | {played:,} | {found} | {time.monotonic() - started:.0f} |", flush=True)
    return found


def opens(place: str, folder: Path) -> Opens:
    """Open the store of a place, each time an empty one."""

    async def opened() -> AnyStore:
        fresh = Path(tempfile.mkdtemp(dir=folder))
        return await open_store(COMBINATIONS[place](Places(fresh)) if place in COMBINATIONS else placed(place, fresh))

    return opened


if __name__ == "__main__":
    sys.exit(main())
