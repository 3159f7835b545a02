"""The scripts that a server runs as one step: the `.lua` files beside this module."""

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

import msgspec

from wellkept.stores.redis.link import Link, Refusal, Reply, Word
from wellkept.stores.redis.problems import translated


class Script(msgspec.Struct, frozen=True):
    """A script over one key, or several that lie in one slot: a cluster runs no others."""

    text: str
    digest: str

    async def run(
        self, link: Link, keys: str | Sequence[str], *arguments: Word, again: bool = False
    ) -> list[Reply] | int:
        """Run the script, which the server knows by its digest unless it was restarted.

        Raises:
            WellkeptError: The server refuses, or does not answer.
        """
        over = (keys,) if isinstance(keys, str) else tuple(keys)
        (reply,) = await link.send([("EVALSHA", self.digest, len(over), *over, *arguments)], again=again)
        if isinstance(reply, Refusal) and reply.code == "NOSCRIPT":
            (reply,) = await link.send([("EVAL", self.text, len(over), *over, *arguments)], again=again)
        if isinstance(reply, Refusal):
            raise translated(reply, store=link.name, key=over[0])
        if not isinstance(reply, list | int):
            raise translated(Refusal("UNEXPECTED"), store=link.name)
        return reply

    async def words(
        self, link: Link, keys: str | Sequence[str], *arguments: Word, again: bool = False
    ) -> tuple[str, list[Reply]]:
        """Run a script that answers with a word and what belongs to it.

        Raises:
            WellkeptError: As `run`.
        """
        reply = await self.run(link, keys, *arguments, again=again)
        if isinstance(reply, int) or not isinstance(reply[0], bytes):
            raise translated(Refusal("UNEXPECTED"), store=link.name)
        return reply[0].decode(), reply[1:]


def load(*names: str) -> Script:
    """Make a script of files, one behind the other."""
    folder = files("wellkept.stores.redis")
    text = "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
    # SHA-1 is how the protocol names scripts; nothing is kept safe by it.
    return Script(text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


PUT: Final = load("put.lua")
REMOVE: Final = load("remove.lua")
ENTRIES: Final = load("entries.lua")
WITHDRAW: Final = load("withdraw.lua")
