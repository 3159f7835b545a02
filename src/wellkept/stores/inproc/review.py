"""Held writes, in process."""

from datetime import datetime

from wellkept.contract.review_store import ReviewStore
from wellkept.model.errors import Conflict
from wellkept.model.ids import TenantId
from wellkept.model.pages import Position
from wellkept.model.review import HeldWrite
from wellkept.stores.inproc.data import Claim, Data, newest_first


class InprocReview(ReviewStore):
    """The part of the store that keeps held writes."""

    _data: Data

    async def hold(self, write: HeldWrite, *, most: int) -> None:
        with self._data.lock:
            self._data.refuse_deleted(write.tenant, write.agent)
            agents = [(held.tenant, held.agent) for held in self._data.held.values()]
            if agents.count((write.tenant, write.agent)) >= most:
                raise Conflict(most=most)
            self._data.held[write.tenant, write.id] = write

    async def held(self, tenant: TenantId, *, limit: int, after: Position | None = None) -> list[HeldWrite]:
        with self._data.lock:
            return newest_first(
                (write for write in self._data.held.values() if write.tenant == tenant),
                lambda write: Position(write.created_at, write.id),
                limit=limit,
                after=after,
            )

    async def held_write(self, tenant: TenantId, id: str) -> HeldWrite | None:
        with self._data.lock:
            return self._data.held.get((tenant, id))

    async def claim_held(
        self, tenant: TenantId, id: str, holder: str, *, at: datetime, until: datetime
    ) -> HeldWrite | None:
        with self._data.lock:
            write, known = self._data.held.get((tenant, id)), self._data.deciding.get((tenant, id))
            if write is None or (known and known.keeps_out(holder, at)):
                return None
            self._data.deciding[tenant, id] = Claim(holder, until)
            return write

    async def release_held(self, tenant: TenantId, id: str, holder: str) -> None:
        with self._data.lock:
            known = self._data.deciding.get((tenant, id))
            if known and known.holder == holder:
                del self._data.deciding[tenant, id]

    async def take(self, tenant: TenantId, id: str) -> HeldWrite | None:
        with self._data.lock:
            self._data.deciding.pop((tenant, id), None)
            return self._data.held.pop((tenant, id), None)
