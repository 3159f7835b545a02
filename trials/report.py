"""What a trial came to, for people and for programs."""

from collections.abc import Mapping, Sequence

import msgspec

Figure = int | float | str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One trial on one store: its figures, and a line for each thing that was lost or wrong."""

    trial: str
    store: str
    figures: Mapping[str, Figure]
    wrong: Sequence[str]


_SHOWN = 20
"""Lines of what was wrong that people are shown; programs get all."""


def as_json(reports: Sequence[Report]) -> str:
    """Write the reports as JSON."""
    return msgspec.json.format(msgspec.json.encode(reports), indent=2).decode()


def as_table(report: Report) -> str:
    """Write a report for people."""
    lines = [f"{report.trial} on {report.store}: {len(report.wrong) or 'nothing'} lost or wrong"]
    lines += [f"  {name:<40}{_shown(value):>24}" for name, value in report.figures.items()]
    lines += [f"  WRONG: {line}" for line in report.wrong[:_SHOWN]]
    return "\n".join(lines)


def _shown(value: Figure) -> str:
    match value:
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.3g}" if value < 100 else f"{value:,.0f}"
        case _:
            return value
