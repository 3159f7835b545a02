"""How many turns a tenant may run at once."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

from wellkept.model.errors import RateLimited
from wellkept.model.ids import TenantId


class TurnLimit:
    """Counts running turns, tenant by tenant, so that one tenant cannot take the whole server."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._running: Counter[TenantId] = Counter()

    @contextmanager
    def one(self, tenant: TenantId) -> Generator[None, None, None]:
        """Count a turn while the body runs.

        Raises:
            RateLimited: The tenant runs as many as it may.
        """
        if self._running[tenant] >= self._most:
            raise RateLimited(turns_at_once=self._most)
        self._running[tenant] += 1
        try:
            yield
        finally:
            self._running[tenant] -= 1
            if not self._running[tenant]:
                del self._running[tenant]
