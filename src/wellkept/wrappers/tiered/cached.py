"""The cache, as the tiered store uses it: each step of the protocol, within a call's patience."""

import asyncio
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import msgspec

from wellkept.contract.block_store import BlockStore
from wellkept.contract.capability import Capability
from wellkept.contract.clock import Clock
from wellkept.model.blocks import Block, Change
from wellkept.model.errors import Conflict
from wellkept.model.keys import BlockKey
from wellkept.wrappers.tiered import envelope
from wellkept.wrappers.tiered.debts import Debt, Debts, Owed, Owner
from wellkept.wrappers.tiered.envelope import Copy, Damaged, Fence, Foreign
from wellkept.wrappers.tiered.patience import Late, Missed, Patience
from wellkept.wrappers.tiered.stats import CacheStats, Counts

_MOST_PAID: Final = 8
"""How many debts one call pays on its way."""


class Looked(msgspec.Struct, frozen=True):
    """What the cache said: copies by key, and for other keys the etag that a copy may replace."""

    copies: dict[BlockKey, Block | None]
    places: dict[BlockKey, str]


class Placed(msgspec.Struct, frozen=True):
    """A writer's fence: who, since when, and the envelope; None: it could not be placed in time."""

    writer: str
    since: datetime
    text: str | None


class Cached:
    """Envelopes in a store of blocks, each under the key of its block."""

    def __init__(self, store: BlockStore, *, ttl: timedelta, timeout: float, clock: Clock) -> None:
        self.store = store
        self._ttl = ttl
        self._timeout = timeout
        self._clock = clock
        self._counts = Counts()
        self._late = Late()
        self._debts = Debts(ttl)

    @property
    def stats(self) -> CacheStats:
        """Count what it was worth."""
        return self._counts.stats(owed=len(self._debts))

    def now(self) -> datetime:
        """Give the present instant."""
        return self._clock.now()

    def patience(self) -> Patience:
        """Give what one call may wait."""
        return Patience(self._timeout, counts=self._counts, late=self._late)

    # ---- reading

    async def look(self, keys: Sequence[BlockKey], patience: Patience) -> Looked:
        """Give the copies that may be shown, and for the other keys where a copy may be put.

        A place is seen, or made, before the durable store is asked. Whoever
        closes the block after that changes the envelope, and the copy finds no place.
        """
        await self._pay(self._debts.of(keys), patience)  # If that fails, the cache is given up for this call.
        stored = await patience.ask(self.store.get_many(keys))
        copies: dict[BlockKey, Block | None] = {}
        places: dict[BlockKey, str] = {}
        if stored is not Missed.MISSED:
            absent: list[BlockKey] = []
            for key, block in zip(keys, stored, strict=True):
                if block is None:
                    absent.append(key)
                else:
                    self._sort(key, block, copies, places)
            if absent:
                places |= await self._made(absent, patience)
        self._counts.add("hits", len(copies))
        self._counts.add("misses", len(keys) - len(copies))
        return Looked(copies, places)

    def _sort(
        self, key: BlockKey, stored: Block, copies: dict[BlockKey, Block | None], places: dict[BlockKey, str]
    ) -> None:
        now = self.now()
        match envelope.unseal(stored.text):
            case Copy() as copy if envelope.near(copy.as_of, now, self._ttl):
                copies[key] = copy.block(key)
            case Fence() as fence if fence.alive(now):
                pass
            case Foreign():
                self._counts.add("unreadable")
            case other:
                if isinstance(other, Damaged):
                    self._counts.add("unreadable")
                places[key] = stored.etag

    async def _made(self, keys: Sequence[BlockKey], patience: Patience) -> dict[BlockKey, str]:
        """Make places where nothing is. Nothing has no mark, so it tells nobody whether something was there since."""
        empty = {key: envelope.seal(Fence(mark=_mark())) for key in keys}
        made = await self._put(empty, dict.fromkeys(keys), patience)
        return {} if made is Missed.MISSED else made

    async def fill(
        self, blocks: dict[BlockKey, Block | None], places: dict[BlockKey, str], *, as_of: datetime, patience: Patience
    ) -> None:
        """Put copies into their places, where these are still as they were seen."""
        copies = {
            key: envelope.copy_of(block, mark=_mark(), as_of=as_of) for key, block in blocks.items() if key in places
        }
        if copies:
            filled = await self._put(copies, dict(places), patience)
            if filled is not Missed.MISSED:
                self._counts.add("fills", len(filled))

    async def _put(
        self, texts: dict[BlockKey, str], expect: dict[BlockKey, str | None], patience: Patience
    ) -> dict[BlockKey, str] | Missed:
        """Compare and set each; give the etags of those that were set."""
        change = self._change()

        async def put(key: BlockKey, text: str) -> tuple[BlockKey, str] | None:
            block = Block(key=key, text=text, updated_at=change.at)
            try:
                await self.store.put(block, expect=expect[key], change=change)
            except Conflict:
                return None  # Somebody else was there since: the rule, not trouble.
            return key, block.etag

        async def put_all() -> dict[BlockKey, str]:
            puts = [put(*of) for of in texts.items()]
            done = [await puts[0]] if len(puts) == 1 else await asyncio.gather(*puts)  # For one no task is made.
            return dict(of for of in done if of)

        return await patience.ask(put_all())

    # ---- writing

    async def close_block(self, key: BlockKey, patience: Patience) -> Placed:
        """Place a fence, before the durable store is written: the copy goes, and none can come."""
        writer, since = _mark(), self.now()
        decide = partial(envelope.fenced, writer=writer, mark=_mark(), now=since)
        edited = await patience.ask(self.store.edit(key, decide, change=self._change()), late=True)
        if edited is Missed.MISSED:
            self._counts.add("unfenced")
            return Placed(writer, since, None)
        return Placed(writer, since, edited.block.text)

    async def settle(self, key: BlockKey, fence: Placed, block: Block | None, patience: Patience) -> None:
        """Put a copy of what was written in the place of its fence; without the place, let the writer leave."""
        decide = partial(
            envelope.settled,
            fence=fence.text or "",
            copy=envelope.copy_of(block, mark=_mark(), as_of=fence.since),
            writer=fence.writer,
            mark=_mark(),
            now=self.now(),
        )
        edited = await patience.ask(self.store.edit(key, decide, change=self._change()), late=True)
        if edited is Missed.MISSED:
            self.give_up(key, fence)

    async def leave(self, key: BlockKey, fence: Placed, patience: Patience) -> None:
        """Open the block again, after a write that changed nothing."""
        decide = partial(envelope.opened, writer=fence.writer, mark=_mark(), now=self.now())
        await patience.ask(self.store.edit(key, decide, change=self._change()), late=True)

    def give_up(self, owed: Owed, fence: Placed) -> None:
        """Leave a block as it is. Its fence stands until its time is over; without one its old copy is owed."""
        if fence.text is None or not envelope.near(fence.since, self.now(), envelope.FENCE_LIFE):
            self._debts.note(owed, now=self.now())

    # ---- purging

    async def keys_of(self, owner: Owner, patience: Patience) -> set[BlockKey]:
        """Give the keys of an owner that the cache knows."""
        found = await patience.ask(self.store.blocks(owner.tenant, owner.scope, owner.owner))
        return set() if found is Missed.MISSED else {block.key for block in found}

    async def sweep(self, owner: Owner, fences: dict[BlockKey, Placed], patience: Patience) -> bool:
        """Take away all that there is of an owner, but for the fences of others; say whether it was done."""
        return await patience.ask(self._sweep(owner, fences), late=True) is not Missed.MISSED

    async def _sweep(self, owner: Owner, fences: dict[BlockKey, Placed]) -> None:
        left = False
        for block in await self.store.blocks(owner.tenant, owner.scope, owner.owner):
            fence = fences.get(block.key)
            left |= not await self._taken(block, writer=fence.writer if fence else None)
        if not left and Capability.HISTORY in self.store.capabilities:
            await self.store.purge(owner.tenant, owner.scope, owner.owner)

    async def _taken(self, block: Block, *, writer: str | None) -> bool:
        """Delete an envelope; one with other writers in it loses only what it says of us. Say whether it is gone."""
        seen: Block | None = block
        while seen is not None:
            found, change = envelope.unseal(seen.text), self._change()
            if isinstance(found, Foreign):
                return False
            try:
                if isinstance(found, Fence) and found.alive(change.at).keys() - {writer}:
                    text = envelope.opened(seen, writer=writer, mark=_mark(), now=change.at)
                    opened = Block(key=seen.key, text=text, updated_at=change.at)
                    await self.store.put(opened, expect=seen.etag, change=change)
                    return False
                await self.store.delete(seen.key, expect=seen.etag, change=change)
                return True
            except Conflict:
                seen = await self.store.get(seen.key)
        return True

    # ---- debts

    def owe(self, owed: Owed) -> None:
        """Distrust the copies of a block, or of an owner's blocks, until they are taken away."""
        self._debts.note(owed, now=self.now())

    async def pay_some(self, patience: Patience) -> None:
        """Take away some of the copies that are owed, while the cache answers."""
        if not patience.lost:
            await self._pay(self._debts.oldest(_MOST_PAID, now=self.now()), patience)

    async def _pay(self, debts: Sequence[Debt], patience: Patience) -> None:
        for debt in debts:
            if isinstance(debt.owed, Owner):
                done = await self.sweep(debt.owed, {}, patience)
            else:
                decide = partial(envelope.opened, writer=None, mark=_mark(), now=self.now())
                edited = await patience.ask(self.store.edit(debt.owed, decide, change=self._change()), late=True)
                done = edited is not Missed.MISSED
            if done:
                self._debts.paid(debt)

    async def end(self) -> None:
        """End what still goes on."""
        await self._late.end()

    def _change(self) -> Change:
        return Change(actor="admin", at=self.now())


def _mark() -> str:
    """Make what no other envelope has."""
    return secrets.token_hex(12)
