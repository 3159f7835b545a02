"""The table: which faults each store gets."""

from collections.abc import Mapping, Sequence
from typing import Final

from faults.fault import Fault
from faults.table import passages
from faults.table.files import FILES
from faults.table.inproc import INPROC
from faults.table.postgresql import POSTGRESQL
from faults.table.redis import REDIS
from faults.table.routed import ROUTED
from faults.table.shared import SHARED
from faults.table.sqlite import SQLITE
from faults.table.tiered import TIERED
from faults.table.upstash import UPSTASH

_OWN: Final[Mapping[str, Sequence[Fault]]] = {
    "inproc": [*INPROC, *passages.RULE, *passages.INPROC],
    "files": FILES,
    "sqlite": [*SQLITE, *passages.RULE, *passages.SQLITE],
    "postgresql": POSTGRESQL,
    "redis": REDIS,
    "upstash": UPSTASH,
    "routed": ROUTED,
    "tiered": TIERED,
}

TABLE: Final[Mapping[str, Sequence[Fault]]] = {
    store: [*(fault for stores, fault in SHARED if store in stores), *own] for store, own in _OWN.items()
}
"""The faults of each store, those in shared rules first."""
