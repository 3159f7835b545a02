"""Looking at every key there is: what is damaged, foreign or not listed."""

from collections.abc import AsyncIterator
from typing import Final

from wellkept.model.errors import StoreCorrupt
from wellkept.model.keys import BlockKey
from wellkept.stores.redis.keys import Keys, Owner
from wellkept.stores.redis.link import Link, Refusal, Reply
from wellkept.stores.redis.listing import Listing
from wellkept.stores.redis.problems import translated
from wellkept.stores.redis.value import FIELDS, block_of

_AT_ONCE: Final = 500
"""Keys that the server looks at in one step, while others wait."""


async def keys_like(link: Link, pattern: str) -> AsyncIterator[str]:
    """Give the keys that fit, in no order, some perhaps twice. A key that is there all the time is among them."""
    for shard in await link.shards():
        cursor = "0"
        while True:
            (reply,) = await link.send([("SCAN", cursor, "MATCH", pattern, "COUNT", _AT_ONCE)], shard=shard, again=True)
            cursor, found = _page(reply, store=link.name)
            for key in found:
                yield key
            if cursor == "0":
                break


async def problems(link: Link, keys: Keys, listing: Listing) -> AsyncIterator[str]:
    """Give one line for each thing that is not as the store would have it. What is not listed is listed now."""
    for pattern in keys.patterns():
        async for spelled in keys_like(link, pattern):
            match keys.read(spelled):
                case BlockKey() as key:
                    found = await _block_problem(link, listing, key, spelled)
                case Owner() as owner:
                    found = await _index_problem(link, keys, listing, owner, spelled)
                case None:
                    found = "not made by this store; left alone"
            if found:
                yield f"{spelled if spelled.isprintable() else ascii(spelled)}: {found}"


async def _block_problem(link: Link, listing: Listing, key: BlockKey, spelled: str) -> str | None:
    if await _is_gone(link, spelled):
        return None
    damage = await _damage(link, key, spelled)
    if damage is not None:
        return f"cannot be read: {damage}"
    # A block that was removed a moment ago is no longer listed: only one that is still there is missed.
    if await listing.mention(key):
        if not await _is_gone(link, spelled):
            return "was missing in its owner's list; listed now"
        await listing.tidy(key)
    return None


async def _index_problem(link: Link, keys: Keys, listing: Listing, owner: Owner, spelled: str) -> str | None:
    (kind,) = await link.send([("TYPE", spelled)], again=True)
    if kind not in (b"hash", b"none"):
        return "no index lies there; its owner's blocks can be neither listed nor made"
    for entry in await listing.entries(owner):
        key = BlockKey(tenant=owner.tenant, scope=owner.scope, owner=owner.owner, key=entry.name)
        if await _is_gone(link, keys.block(key)):
            await listing.tidy(key)
    return None


async def _is_gone(link: Link, spelled: str) -> bool:
    kind, gone = await link.send([("TYPE", spelled), ("HEXISTS", spelled, "gone")], again=True)
    return kind == b"none" or gone == 1


async def _damage(link: Link, key: BlockKey, spelled: str) -> str | None:
    (reply,) = await link.send([("HMGET", spelled, *FIELDS)], again=True)
    if isinstance(reply, Refusal):
        if reply.code == "WRONGTYPE":
            return "no block lies there"
        raise translated(reply, store=link.name)
    try:
        block = block_of(key, reply if isinstance(reply, list) else (), spelled=spelled, store=link.name)
    except StoreCorrupt as error:
        return str(error.facts["problem"])
    # A hash without a single field of ours reads like none.
    return "no block lies there" if block is None and not await _is_gone(link, spelled) else None


def _page(reply: Reply, *, store: str) -> tuple[str, list[str]]:
    match reply:
        case [bytes() as cursor, list() as found]:
            return cursor.decode(), [key.decode("utf-8", "replace") for key in found if isinstance(key, bytes)]
        case Refusal():
            raise translated(reply, store=store)
        case _:
            raise translated(Refusal("UNEXPECTED"), store=store)
