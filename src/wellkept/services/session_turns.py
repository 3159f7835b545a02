"""One turn of a session at a time: a lock in this process, and a claim in the store against the others."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from wellkept.contract.clock import Clock
from wellkept.contract.session_store import SessionStore
from wellkept.model.errors import SessionBusy, StoreFailed
from wellkept.model.sessions import SessionKey

CLAIM_SECONDS: Final = 60.0
"""How long a claim lasts when its process dies."""

RENEW_SECONDS: Final = 20.0

_FIRST_PAUSE: Final = 0.02
_LONGEST_PAUSE: Final = 0.5


class _Lock:
    """A lock with the number of those who hold or await it, so that the last one can put it away."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0


class SessionTurns:
    """The turns that run in this process."""

    def __init__(self, store: SessionStore, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._locks: dict[SessionKey, _Lock] = {}

    @asynccontextmanager
    async def one(self, key: SessionKey, *, wait: float) -> AsyncGenerator[None]:
        """Run the body while no other turn of the session runs.

        Raises:
            SessionBusy: Another turn was still running after `wait` seconds.
        """
        deadline = asyncio.get_running_loop().time() + wait
        async with self._locked(key, deadline), self._claimed(key, deadline):
            yield

    @asynccontextmanager
    async def _locked(self, key: SessionKey, deadline: float) -> AsyncGenerator[None]:
        entry = self._locks.setdefault(key, _Lock())
        entry.users += 1
        try:
            if entry.lock.locked() and deadline <= asyncio.get_running_loop().time():
                raise SessionBusy
            try:
                async with asyncio.timeout_at(deadline):
                    await entry.lock.acquire()
            except TimeoutError as error:
                raise SessionBusy from error
            try:
                yield
            finally:
                entry.lock.release()
        finally:
            entry.users -= 1
            if entry.users == 0:
                del self._locks[key]

    @asynccontextmanager
    async def _claimed(self, key: SessionKey, deadline: float) -> AsyncGenerator[None]:
        holder = secrets.token_hex(8)
        pause = _FIRST_PAUSE
        try:
            while not await self._claim(key, holder):
                left = deadline - asyncio.get_running_loop().time()
                if left <= 0:
                    raise SessionBusy
                await asyncio.sleep(min(pause, left))
                pause = min(pause * 2, _LONGEST_PAUSE)
            renewal = asyncio.get_running_loop().create_task(self._renew(key, holder))
            try:
                yield
            finally:
                renewal.cancel()
        finally:
            # Also after a claim that was cancelled half-way: it may have been stored.
            await asyncio.shield(self._release(key, holder))

    async def _claim(self, key: SessionKey, holder: str) -> bool:
        at = self._clock.now()
        return await self._store.claim(key, holder, at=at, until=at + timedelta(seconds=CLAIM_SECONDS))

    async def _renew(self, key: SessionKey, holder: str) -> None:
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            try:
                await self._claim(key, holder)
            except StoreFailed:
                # The claim outlasts two missed renewals, and the turn will meet the failure itself.
                continue

    async def _release(self, key: SessionKey, holder: str) -> None:
        try:
            await self._store.release(key, holder)
        except StoreFailed:
            # The turn is over and its outcome must not change; the claim runs out by itself.
            return
