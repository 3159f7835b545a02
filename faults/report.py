"""What came of the faults, as a table or as JSON."""

import json
from collections import Counter
from collections.abc import Sequence

from faults.trying import Verdict


def line(verdict: Verdict) -> str:
    """Tell of one fault."""
    noticed = verdict.noticed_by.rpartition("::")[2] or verdict.noticed_by
    return f"{verdict.store:12} {verdict.seconds:5.1f} s  {verdict.fault.name}: {noticed or 'UNNOTICED'}"


def table(verdicts: Sequence[Verdict]) -> str:
    """Count them by store."""
    seeded = Counter(verdict.store for verdict in verdicts)
    unnoticed = Counter(verdict.store for verdict in verdicts if not verdict.noticed_by)
    rows = [f"| {store} | {count} | {unnoticed[store]} |" for store, count in sorted(seeded.items())]
    return "\n".join(["| store | faults | unnoticed |", "|---|---|---|", *rows])


def as_json(verdicts: Sequence[Verdict]) -> str:
    """Spell all of it, one object a fault."""
    return json.dumps(
        [
            {
                "store": verdict.store,
                "fault": verdict.fault.name,
                "file": verdict.fault.file,
                "noticedBy": verdict.noticed_by or None,
                "seconds": round(verdict.seconds, 1),
            }
            for verdict in verdicts
        ],
        indent=2,
    )
