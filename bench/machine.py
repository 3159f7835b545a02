"""Facts about the machine that figures need beside them. No names, no paths."""

import os
import platform
import sqlite3
import statistics
import time
from pathlib import Path
from typing import Final

import msgspec

_SYNCS: Final = 20


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What the figures were measured on. `load` is the mean number of busy processes in the minute before, ours not."""

    cores: int
    system: str
    python: str
    sqlite: str
    fsync_us: float
    load: float


def machine(folder: Path) -> Machine:
    """Look at the machine, and at the disk that `folder` is on."""
    return Machine(
        cores=os.cpu_count() or 1,
        system=f"{platform.system()} {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        sqlite=sqlite3.sqlite_version,
        fsync_us=_fsync(folder) * 1e6,
        load=round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else 0.0,
    )


def _fsync(folder: Path) -> float:
    """Measure how long the disk takes to keep a page: the least that a durable write costs."""
    took: list[float] = []
    with (folder / "sync").open("wb", buffering=0) as file:
        for _ in range(_SYNCS):
            file.write(bytes(4_096))
            start = time.perf_counter()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - start)
    return statistics.median(took)
