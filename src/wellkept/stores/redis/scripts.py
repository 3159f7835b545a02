"""The scripts that a server runs as one step: the `.lua` files beside this module."""

import hashlib
from importlib.resources import files
from typing import Final

import msgspec

from wellkept.stores.redis.link import Link, Refusal, Reply
from wellkept.stores.redis.problems import translated


class Script(msgspec.Struct, frozen=True):
    """A script over one key, which is all that a cluster runs without knowing more about keys."""

    text: str
    digest: str

    async def run(self, link: Link, key: str, *arguments: str | int, again: bool = False) -> list[Reply] | int:
        """Run the script, which the server knows by its digest unless it was restarted.

        Raises:
            WellkeptError: The server refuses, or does not answer.
        """
        (reply,) = await link.send([("EVALSHA", self.digest, 1, key, *arguments)], again=again)
        if isinstance(reply, Refusal) and reply.code == "NOSCRIPT":
            (reply,) = await link.send([("EVAL", self.text, 1, key, *arguments)], again=again)
        if isinstance(reply, Refusal):
            raise translated(reply, store=link.name, key=key)
        if not isinstance(reply, list | int):
            raise translated(Refusal("UNEXPECTED"), store=link.name)
        return reply

    async def words(self, link: Link, key: str, *arguments: str | int, again: bool = False) -> tuple[str, list[Reply]]:
        """Run a script that answers with a word and what belongs to it.

        Raises:
            WellkeptError: As `run`.
        """
        reply = await self.run(link, key, *arguments, again=again)
        if isinstance(reply, int) or not isinstance(reply[0], bytes):
            raise translated(Refusal("UNEXPECTED"), store=link.name)
        return reply[0].decode(), reply[1:]


def _load(file: str) -> Script:
    text = files("wellkept.stores.redis").joinpath(file).read_text(encoding="utf-8")
    # SHA-1 is how the protocol names scripts; nothing is kept safe by it.
    return Script(text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


PUT: Final = _load("put.lua")
REMOVE: Final = _load("remove.lua")
ENTRIES: Final = _load("entries.lua")
WITHDRAW: Final = _load("withdraw.lua")
