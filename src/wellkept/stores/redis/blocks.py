"""Blocks under keys of their own, on any `Link`: Redis, Valkey, a cluster of them, or Upstash."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from wellkept.contract.block_store import ANY, AnyEtag, BlockStore, Expect
from wellkept.contract.capability import Capability
from wellkept.model.blocks import Block, BlockEdited, Change
from wellkept.model.errors import Conflict, StoreCorrupt, StoreFailed, StoreUnavailable
from wellkept.model.ids import TenantId
from wellkept.model.keys import BlockKey, Scope
from wellkept.rules.instants import to_number
from wellkept.stores.redis import health, sweep
from wellkept.stores.redis.keys import Keys, Owner, owner_of
from wellkept.stores.redis.link import Link, Refusal, Reply
from wellkept.stores.redis.listing import Listing, fresh_token
from wellkept.stores.redis.problems import translated
from wellkept.stores.redis.scripts import PUT, REMOVE
from wellkept.stores.redis.value import FIELDS, block_of

_ATTEMPTS: Final = 50
"""Times that a block is announced anew because others make and remove it, before a write gives up."""

_LONGEST_PAUSE: Final = 0.1
"""Seconds that a writer waits at most before it tries again."""


class RedisBlocks(BlockStore):
    """Keeps blocks, never with a time after which they end. Several processes may use the same data.

    What was acknowledged lasts as long as the server keeps it: `facts` says when that is not for ever.
    """

    capabilities: ClassVar[frozenset[Capability]] = frozenset({Capability.DURABLE, Capability.SHARED})

    def __init__(self, link: Link, keys: Keys) -> None:
        """Use `link`, and close it in the end."""
        self._link = link
        self._keys = keys
        self._listing = Listing(link, keys)

    async def get(self, key: BlockKey) -> Block | None:
        (block,) = await self.get_many([key])
        return block

    async def get_many(self, keys: Sequence[BlockKey]) -> list[Block | None]:
        return [self._read(key, reply) for key, reply in zip(keys, await self._fetch(keys), strict=True)]

    async def put(self, block: Block, *, expect: Expect, change: Change) -> BlockEdited:
        key, spelled = block.key, self._keys.block(block.key)
        content = (block.etag, block.text, to_number(block.updated_at))
        seen, deadline = "", "0"
        for attempt in range(_ATTEMPTS):
            word, more = await PUT.words(self._link, spelled, _spell(expect), *content, seen, deadline)
            match word:
                case "stored":
                    before = _etag(more[0])
                    if before is not None and self._link.apart:
                        await self._mention(key)
                    return BlockEdited(block=block, changed=True, etag_before=before)
                case "same":
                    stored = block_of(key, more, spelled=spelled, store=self._link.name)
                    return BlockEdited(block=stored or block, changed=False, etag_before=block.etag)
                case "announce":
                    if attempt > 1:
                        await self.lost_race(attempt)
                    await self._listing.announce(key)
                    seen, deadline = _text(more[0]), _text(more[1])
                case _:
                    raise self._refused(key, word, more)
        raise StoreUnavailable(store=self._link.name, reason="others make and remove the block all the time")

    async def delete(self, key: BlockKey, *, expect: Expect = ANY, change: Change) -> bool:
        owner = owner_of(key)
        entries = [entry for entry in await self._listing.entries(owner) if entry.name == key.key]
        word, more = await REMOVE.words(self._link, self._keys.block(key), "delete", _spell(expect), fresh_token())
        match word:
            case "removed":
                for entry in entries:
                    await self._listing.withdraw(owner, entry)
                return True
            case "none":
                return False
            case _:
                raise self._refused(key, word, more)

    async def blocks(self, tenant: TenantId, scope: Scope, owner: str) -> list[Block]:
        whose = Owner(tenant, scope, owner)
        keys = sorted(_key(whose, entry.name) for entry in await self._listing.entries(whose))
        found: list[Block] = []
        for key, reply in zip(keys, await self._fetch(keys), strict=True):
            try:
                block = self._read(key, reply)
            except StoreCorrupt:
                continue  # `check` names it
            if block is None:
                await self._listing.tidy(key)
            else:
                found.append(block)
        return found

    async def purge(self, tenant: TenantId, scope: Scope, owner: str) -> int:
        """Forget all blocks of one owner: those in its index, and those that a look at every key finds beside.

        What is to be forgotten must not stay because an index was lost, so this takes time where there are many keys.
        """
        whose = Owner(tenant, scope, owner)
        entries = await self._listing.entries(whose)
        keys = {_key(whose, entry.name) for entry in entries}
        async for spelled in sweep.keys_like(self._link, self._keys.pattern(whose)):
            key = self._keys.read(spelled)
            if isinstance(key, BlockKey):
                keys.add(key)
        removed = [await REMOVE.words(self._link, self._keys.block(key), "purge", "*", fresh_token()) for key in keys]
        for entry in entries:
            await self._listing.withdraw(whose, entry)
        return sum(word == "removed" for word, _ in removed)

    async def lost_race(self, times: int) -> None:
        """Wait a little, at random, so that those who race for a block do not meet again."""
        # Chance that nobody need be unable to guess.
        await asyncio.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.001 * 2 ** min(times, 10))))  # noqa: S311

    async def check(self) -> list[str]:
        """Look at every key, list what is not listed, and say what is damaged or foreign, one line each."""
        return [line async for line in sweep.problems(self._link, self._keys, self._listing)]

    async def facts(self) -> Mapping[str, str]:
        return (await health.look(self._link)).facts

    async def close(self) -> None:
        await self._link.close()

    async def _fetch(self, keys: Sequence[BlockKey]) -> list[Reply]:
        commands = [("HMGET", self._keys.block(key), *FIELDS) for key in keys]
        return await self._link.send(commands, again=True) if commands else []

    def _read(self, key: BlockKey, reply: Reply) -> Block | None:
        return read_block(key, reply, spelled=self._keys.block(key), store=self._link.name)

    async def _mention(self, key: BlockKey) -> None:
        try:
            if await self._listing.mention(key):
                await self._listing.tidy(key)  # if somebody has removed it by now
        except StoreFailed:
            return  # The block is stored; the next write or `check` mentions it.

    def _refused(self, key: BlockKey, word: str, more: Sequence[Reply]) -> Conflict | StoreFailed:
        if word == "conflict":
            return Conflict(key=key.key, etag=_etag(more[0]))
        return StoreCorrupt(store=self._link.name, key=self._keys.block(key), problem="no block lies there")


def read_block(key: BlockKey, reply: Reply, *, spelled: str, store: str) -> Block | None:
    """Give the block that a reply to `HMGET` is.

    Raises:
        StoreCorrupt: It is none that the store wrote.
        WellkeptError: The server refused.
    """
    if isinstance(reply, Refusal):
        if reply.code == "WRONGTYPE":
            raise StoreCorrupt(store=store, key=spelled, problem="no block lies there") from reply.cause
        raise translated(reply, store=store)
    if not isinstance(reply, list):
        raise StoreFailed(store=store, reason="UNEXPECTED")
    return block_of(key, reply, spelled=spelled, store=store)


def _key(whose: Owner, name: str) -> BlockKey:
    return BlockKey(tenant=whose.tenant, scope=whose.scope, owner=whose.owner, key=name)


def _spell(expect: Expect) -> str:
    if isinstance(expect, AnyEtag):
        return "*"
    return "-" if expect is None else expect


def _text(reply: Reply) -> str:
    return reply.decode() if isinstance(reply, bytes) else ""


def _etag(reply: Reply) -> str | None:
    spelled = _text(reply)
    return None if spelled == "-" else spelled
