"""What a run came to, for people and for programs."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

import msgspec

from bench.cases import CASES
from bench.machine import Machine
from bench.running import RAW, Figures


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A run: where, of what, and its figures."""

    machine: Machine
    rows: int
    seconds: float
    results: Sequence[Figures]


_COLUMNS: Final = ("p50 µs", "p95 µs", "CPU µs", "ops/s ×1", "ops/s ×8", "p50/raw", "CPU/raw")


def as_json(report: Report) -> str:
    """Write the report as JSON."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


def as_table(report: Report) -> str:
    """Write the report as a table for each store."""
    lines = [_about(report)]
    for store, of_store in groupby(report.results, key=lambda one: one.store):
        lines += ["", _row((store, *_COLUMNS))]
        for case, figures in groupby(of_store, key=lambda one: one.case):
            lines += [CASES[case].says, *(_row(_cells(one)) for one in figures)]
    return "\n".join(lines)


def _about(report: Report) -> str:
    on = report.machine
    return (
        f"{on.cores} cores, load {on.load:g}, {on.system}, {on.python}, SQLite {on.sqlite}, "
        f"fsync {on.fsync_us:,.0f} µs; pools of {report.rows}, {report.seconds:g} s each"
    )


def _cells(one: Figures) -> tuple[str, ...]:
    rates = (f"{one.per_second_1:,.0f}", "" if one.per_second_8 is None else f"{one.per_second_8:,.0f}")
    ratios = ("", "") if one.level == RAW else (f"{one.ratio:.1f}", f"{one.cpu_ratio:.1f}")
    return (f"  {one.level}", *(f"{time:,.1f}" for time in (one.p50_us, one.p95_us, one.cpu_us)), *rates, *ratios)


def _row(cells: Sequence[str]) -> str:
    name, *rest = cells
    return (f"{name:<10}" + "".join(f"{cell:>10}" for cell in rest)).rstrip()
