"""A run: every case on every level, and raw, in turn."""

import gc
import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from bench.cases import CASES, LEVELS, Case
from bench.measuring import Operation, Tally, measure
from bench.raw import Raw, raw
from bench.world import World, filled

STORES: Final = {"inproc": "inproc://", "sqlite": "sqlite:///{folder}/store.db"}
"""What is measured, and where it lies."""

RAW: Final = "raw"
"""The name of the baseline among the levels."""

MANY: Final = 8
"""Callers at once, where they are several."""

ROUNDS: Final = 5
"""Each gets its seconds in so many pieces, in turn with the others: what else the machine does then meets all alike."""

Tell = Callable[[str], None]


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What one operation came to. Times in microseconds; the ratios, of median and processor time, are to `RAW`."""

    case: str
    store: str
    level: str
    p50_us: float
    p95_us: float
    cpu_us: float
    per_second_1: float
    per_second_8: float | None
    ratio: float
    cpu_ratio: float


async def run(
    stores: Sequence[str], cases: Sequence[str], *, rows: int, seconds: float, folder: Path, tell: Tell
) -> list[Figures]:
    """Measure cases on stores: `seconds` for each level, alone and again by `MANY`."""
    figures: list[Figures] = []
    numbers = itertools.count(rows)  # those before are the memories that are there from the start
    async with raw(f"sqlite:///{quote(str(folder))}/raw.db", rows) as baseline:
        for store in stores:
            async with filled(STORES[store].format(folder=quote(str(folder))), rows) as world:
                for case in cases:
                    tell(f"{store}: {CASES[case].says}")
                    figures += await _case(case, store, world, baseline, numbers=numbers, seconds=seconds)
    return figures


async def _case(
    case: str, store: str, world: World, baseline: Raw, *, numbers: Iterator[int], seconds: float
) -> list[Figures]:
    alone = {name: Tally() for name in (RAW, *LEVELS)}
    together = {name: Tally() for name in LEVELS}  # a bare connection has one caller
    piece = partial(measure, numbers=numbers, seconds=seconds / ROUNDS, settle=world.settle)
    gc.collect()  # the garbage of the cases before
    for _ in range(ROUNDS):
        await piece(_bare(CASES[case], baseline), alone[RAW], callers=1)
        for level in LEVELS:
            operation = partial(CASES[case].on(level), world)
            await piece(operation, alone[level], callers=1)
            await piece(operation, together[level], callers=MANY)
    return [_figures(case, store, level, alone, together) for level in alone]


def _bare(case: Case, baseline: Raw) -> Operation:
    async def operation(number: int) -> object:
        return case.raw(baseline, number)

    return operation


def _figures(case: str, store: str, level: str, alone: dict[str, Tally], together: dict[str, Tally]) -> Figures:
    tally, base = alone[level], alone[RAW]
    return Figures(
        case=case,
        store=store,
        level=level,
        p50_us=tally.percentile(0.50) * 1e6,
        p95_us=tally.percentile(0.95) * 1e6,
        cpu_us=tally.cpu_per_call * 1e6,
        per_second_1=tally.per_second,
        per_second_8=together[level].per_second if level in together else None,
        ratio=tally.percentile(0.50) / base.percentile(0.50),
        cpu_ratio=tally.cpu_per_call / base.cpu_per_call,
    )
