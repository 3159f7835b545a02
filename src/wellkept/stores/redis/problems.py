"""What a server refuses, in wellkept's own errors."""

from collections.abc import Mapping
from typing import Final

from wellkept.model.errors import (
    Misconfigured,
    StoreCorrupt,
    StoreFailed,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    WellkeptError,
)
from wellkept.stores.redis.link import Refusal

_FAILURES: Final[Mapping[str, type[StoreFailed]]] = {
    "OOM": StoreFull,
    "READONLY": StoreReadOnly,
    "MISCONF": StoreReadOnly,  # it cannot save, and so takes no writes
    "NOREPLICAS": StoreReadOnly,
    "WRONGTYPE": StoreCorrupt,
    "BUSY": StoreUnavailable,
    "CLUSTERDOWN": StoreUnavailable,
    "LOADING": StoreUnavailable,
    "MASTERDOWN": StoreUnavailable,
    "TRYAGAIN": StoreUnavailable,
}

_SETTINGS: Final[Mapping[str, str]] = {
    "NOAUTH": "the server wants a password; write it into the URL: redis://:PASSWORD@host",
    "WRONGPASS": "the server does not know this user and password",
    "NOPERM": "the user may not run a command that the store needs; see docs/howto/run-on-redis.md",
    "MOVED": "the server is part of a cluster; add ?cluster=true to the URL",
    "NOCLUSTER": "the server is not part of a cluster; take cluster=true off the URL",
    "CROSSSLOT": "the server is part of a cluster; add ?cluster=true to the URL",
}


def translated(refusal: Refusal, *, store: str, key: str | None = None) -> WellkeptError:
    """Give our error for a refusal. It names the code, and `key`; the server's message may hold what a user wrote."""
    ours: WellkeptError
    if refusal.code in _SETTINGS:
        ours = Misconfigured(store=store, reason=refusal.code, problem=_SETTINGS[refusal.code])
    else:
        ours = _FAILURES.get(refusal.code, StoreFailed)(
            **{"store": store, "reason": refusal.code, **({"key": key} if key else {})}
        )
    ours.__cause__ = refusal.cause
    return ours
