"""Which trials there are, a line each."""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

import msgspec

from trials import adders, cap, kill, power, processes, proxy, restart, rolling, wal
from trials.places import SERVERS, Place, can, keeps_memories
from trials.report import Report
from wellkept.contract.capability import Capability


class Run(Protocol):
    """Do a trial. What `count` and `seconds` are is the trial's own affair."""

    def __call__(self, place: Place, *, count: int, seconds: float) -> Report: ...


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """A trial, on which stores it can be done, and how much of it unless asked otherwise."""

    says: str
    run: Run
    fits: Callable[[str], bool]
    count: int = 0
    seconds: float = 0.0


TRIALS: Final[Mapping[str, Trial]] = {
    "kill": Trial(
        says="SIGKILL in the middle of mixed writes (count: kills)",
        run=kill.run,
        fits=lambda store: can(store, Capability.DURABLE),
        count=500,
    ),
    "power": Trial(
        says="power loss, in every state that the recorded system calls allow (count: recordings)",
        run=power.run,
        fits="files".__eq__,
        count=1_000,
    ),
    "processes": Trial(
        says="processes do all kinds of work on one store (count: processes)",
        run=processes.run,
        fits=lambda store: can(store, Capability.SHARED),
        count=8,
        seconds=60.0,
    ),
    "adders": Trial(
        says="16 writers add entries to one block (count: entries of each)",
        run=adders.run,
        fits=lambda store: True,
        count=50,
    ),
    "cap": Trial(
        says="64 tasks create memories in a full pool (count: creates)",
        run=cap.run,
        fits=keeps_memories,
        count=6_400,
    ),
    "proxy": Trial(
        says="connections cut, delayed and swallowed (count: faults; seconds: of each)",
        run=proxy.run,
        fits=SERVERS.__contains__,
        count=30,
        seconds=1.0,
    ),
    "restart": Trial(
        says="the store's server restarted under load (count: restarts)",
        run=restart.run,
        fits=SERVERS.__contains__,
        count=10,
    ),
    "rolling": Trial(
        says="two servers on one store, each replaced by a newer (count: replaced; seconds: between)",
        run=rolling.run,
        fits=lambda store: keeps_memories(store) and can(store, Capability.SHARED),
        count=6,
        seconds=1.0,
    ),
    "wal": Trial(
        says="what renderings of a full pool make PostgreSQL write (count: renderings)",
        run=wal.run,
        fits="postgresql".__eq__,
        count=10_000,
    ),
}
