"""Looking at all passages there are: what is damaged, and what is not ours."""

from collections.abc import AsyncIterator
from typing import Final

from wellkept.model.errors import StoreCorrupt
from wellkept.model.passages import PassageOwner
from wellkept.stores.redis import passage_rows, sweep
from wellkept.stores.redis.link import Link, Refusal
from wellkept.stores.redis.passage_keys import OwnersKeys, PassageKeys
from wellkept.stores.redis.problems import translated

_AT_ONCE: Final = 500


async def problems(link: Link, keys: PassageKeys) -> AsyncIterator[str]:
    """Give one line for each owner or key that is not as the store would have it. Nothing is changed."""
    owners: set[PassageOwner] = set()
    async for spelled in sweep.keys_like(link, keys.everything()):
        owner = keys.read(spelled)
        if owner is None:
            yield f"{spelled if spelled.isprintable() else ascii(spelled)}: not made by this store; left alone"
        elif owner not in owners:
            owners.add(owner)
            found = await _owner_problem(link, owner, keys.of(owner))
            if found:
                yield f"{keys.of(owner).start}: {found}"


async def _owner_problem(link: Link, owner: PassageOwner, keys: OwnersKeys) -> str | None:
    counts = await link.send(
        [("HLEN", keys.rows), *(("ZCARD", key) for key in (keys.order, keys.places, keys.times))], again=True
    )
    if any(isinstance(count, Refusal) for count in counts):
        return "no passages lie there"
    if len(set(map(str, counts))) > 1:
        return "some of it was lost; delete these passages and store them again"
    cursor = "0"
    while True:
        (reply,) = await link.send([("HSCAN", keys.rows, cursor, "COUNT", _AT_ONCE)], again=True)
        match reply:
            case [bytes() as next_one, list() as found]:
                cursor = next_one.decode()
            case Refusal():
                raise translated(reply, store=link.name, key=keys.rows)
            case _:
                raise translated(Refusal("UNEXPECTED"), store=link.name)
        if any(not _is_passage(owner, id, row) for id, row in zip(found[::2], found[1::2], strict=True)):
            return "a passage cannot be read"
        if cursor == "0":
            return None


def _is_passage(owner: PassageOwner, id: object, row: object) -> bool:
    if not (isinstance(id, bytes) and isinstance(row, bytes)):
        return False
    try:
        passage, _ = passage_rows.read(owner, row, spelled="", store="")
    except StoreCorrupt:
        return False
    return passage.id.encode() == id
