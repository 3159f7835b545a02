"""Which blocks an owner has: an index that lists all there are, and sometimes one more.

Redis keeps keys in no order, and in a cluster a block and the index of its
owner lie on different servers, so that nothing changes both at once. What holds
all the same, whoever is killed or cut off between two steps: **a block that is
there is in its owner's index.** A name in the index without a block is harmless: it is left out, and taken out.

*To make a block*, a writer first **announces** it: it sets the name's entry to a
fresh token. It then writes the block, which the script allows only

* within a minute of asking for it (by the clock of the server that keeps the block), and
* if the key still bears the mark that the writer saw when it asked: most often none.

*To take a name out*, one first reads the entry's token, then removes the block
(or sees that there is none) and **marks** the key as gone, for two minutes. It
then **withdraws** the name, which the script allows only

* within a minute of reading the token (by the clock of the server that keeps the index), and
* if the entry still has that token.

Why that is enough: suppose that a block was written and its name withdrawn
after the writer had announced it. The token that was withdrawn is then the
writer's, or was read after the writer's; so the mark was made after the announcement, and
the withdrawal came less than a minute after the reading, thus less than a
minute after the mark. If the block was written before the mark was made, then
marking removed it, or found it and was given up. If it was written after, the
writer had not seen that mark, so the key no longer bore it: two minutes had
passed, while the writer had asked less than a minute before it wrote, hence
more than a minute after the mark, and announced later still, when the
withdrawal could come no more. `tests/stores/test_redis_listing.py` plays the orders.

A block that exists is rewritten in one step. In a cluster its name is then
mentioned, in case the index was lost: a server may fail before its replica
knows of an announcement, while the one that keeps the block does not. (One server by
itself loses the latest changes first, and never an announcement alone.)
`check` mentions all blocks there are.
"""

import secrets

import msgspec

from wellkept.model.errors import InvalidInput, StoreFailed
from wellkept.model.ids import block_name
from wellkept.model.keys import BlockKey
from wellkept.stores.redis.keys import Keys, Owner, owner_of
from wellkept.stores.redis.link import Link, Refusal
from wellkept.stores.redis.problems import translated
from wellkept.stores.redis.scripts import ENTRIES, REMOVE, WITHDRAW


class Entry(msgspec.Struct, frozen=True):
    """A name in an index as it was read, and until when it may be withdrawn."""

    name: str
    token: str
    deadline: str


def _is_name(name: str) -> bool:
    """Say whether a block can have this name; what others put into an index is not ours to list."""
    try:
        block_name(name)
    except InvalidInput:
        return False
    return True


def fresh_token() -> str:
    """Make a word that was never used: the token of an announcement, or the name of a mark."""
    return secrets.token_hex(8)


class Listing:
    """The indexes of all owners."""

    def __init__(self, link: Link, keys: Keys) -> None:
        self._link = link
        self._keys = keys

    async def announce(self, key: BlockKey) -> None:
        """List a block that is about to be made.

        Raises:
            WellkeptError: The server refuses, or does not answer.
        """
        await self._set("HSET", key)

    async def mention(self, key: BlockKey) -> bool:
        """List a block that is there, if it is not listed; say whether it was not.

        Raises:
            WellkeptError: The server refuses, or does not answer.
        """
        return await self._set("HSETNX", key) == 1

    async def entries(self, owner: Owner) -> list[Entry]:
        """Read an owner's index.

        Raises:
            WellkeptError: The server refuses, or does not answer.
        """
        deadline, found = await ENTRIES.words(self._link, self._keys.index(owner), again=True)
        words = [word.decode("utf-8", "replace") for word in found if isinstance(word, bytes)]
        pairs = zip(words[::2], words[1::2], strict=True)
        return [Entry(name, token, deadline) for name, token in pairs if _is_name(name)]

    async def withdraw(self, owner: Owner, entry: Entry) -> None:
        """Take a name out, after its block was removed and its key marked.

        Nothing depends on it: what stays in the index without a block is taken out at the next listing.
        """
        try:
            await WITHDRAW.run(self._link, self._keys.index(owner), entry.name, entry.token, entry.deadline)
        except StoreFailed:
            return

    async def tidy(self, key: BlockKey) -> None:
        """Take out the name of a block that seems not to be there; do nothing if it is.

        Nothing depends on it, as on `withdraw`.
        """
        owner = owner_of(key)
        try:
            for entry in await self.entries(owner):
                if entry.name == key.key:
                    word, _ = await REMOVE.words(self._link, self._keys.block(key), "mark", "-", fresh_token())
                    if word != "there":
                        await self.withdraw(owner, entry)
        except StoreFailed:
            return

    async def _set(self, command: str, key: BlockKey) -> int:
        index = self._keys.index(owner_of(key))
        (reply,) = await self._link.send([(command, index, key.key, fresh_token())])
        if isinstance(reply, Refusal):
            raise translated(reply, store=self._link.name, key=index)
        return reply if isinstance(reply, int) else 0
