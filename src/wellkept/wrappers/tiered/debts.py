"""Copies that this process could not take away, because the cache was in trouble: it distrusts them until it has."""

import threading
from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec

from wellkept.model.ids import TenantId
from wellkept.model.keys import BlockKey, Scope
from wellkept.wrappers.tiered.envelope import near


class Owner(msgspec.Struct, frozen=True):
    """Whose blocks: all of these are owed after a purge."""

    tenant: TenantId
    scope: Scope
    owner: str


def owner_of(key: BlockKey) -> Owner:
    """Say whose block it is."""
    return Owner(key.tenant, key.scope, key.owner)


Owed = BlockKey | Owner


class Debt(msgspec.Struct, frozen=True):
    """What is owed, and the number of the write that left it so: paying for an earlier one does not pay for it."""

    owed: Owed
    number: int


class Debts:
    """What is owed. Threads may share it. A debt ends by itself when no copy from before it is fresh any more."""

    def __init__(self, span: timedelta) -> None:
        self._span = span
        self._lock = threading.Lock()
        self._numbers: dict[Owed, tuple[int, datetime]] = {}
        self._last = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def note(self, owed: Owed, *, now: datetime) -> None:
        """Owe something from now on."""
        with self._lock:
            self._last += 1
            self._numbers[owed] = (self._last, now)

    def paid(self, debt: Debt) -> None:
        """Forget a debt, unless a later write left it again."""
        with self._lock:
            if self._numbers.get(debt.owed, (0, None))[0] == debt.number:
                del self._numbers[debt.owed]

    def of(self, keys: Iterable[BlockKey]) -> list[Debt]:
        """Give what is owed of these keys, or of their owners."""
        if not self._numbers:
            return []
        with self._lock:
            asked: dict[Owed, None] = {}
            for key in keys:
                asked |= {key: None, owner_of(key): None}
            return [Debt(owed, self._numbers[owed][0]) for owed in asked if owed in self._numbers]

    def oldest(self, most: int, *, now: datetime) -> list[Debt]:
        """Give up to `most` debts, after forgetting those that ended by themselves."""
        if not self._numbers:
            return []
        with self._lock:
            self._numbers = {owed: of for owed, of in self._numbers.items() if near(of[1], now, self._span)}
            return [Debt(owed, number) for owed, (number, _) in list(self._numbers.items())[:most]]
