"""`ETag`, `If-Match` and `If-None-Match`, as RFC 9110 (13.1) has them.

An etag names a text. On a write the condition becomes the `expect` of a service, so that it is decided where the
write happens and not a moment before; and a write of what is stored already succeeds, whatever etag it names.
"""

import re
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Final

import msgspec

from wellkept.contract.block_store import ANY, AnyEtag, Expect
from wellkept.model.errors import Conflict, InvalidInput, PreconditionFailed
from wellkept.server.head import Head

MATCH: Final = "If-Match"
NONE_MATCH: Final = "If-None-Match"
_ENTITY_TAG: Final = re.compile(r'[ \t]*(W/)?"([!#-~\x80-\xff]*)"[ \t]*(?:,|$)')
_NO_ETAG: Final = ""  # the etag of no text

Current = Callable[[], Awaitable[str | None]]
"""Reads the etag of what is stored; None: nothing is."""


class _Tags(msgspec.Struct, frozen=True):
    """The tags that a header lists. `anything`: it says `*`."""

    strong: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    anything: bool = False

    def has(self, etag: str) -> bool:
        """Compare weakly: an etag of ours is never weak, but one that passed a proxy may be."""
        return self.anything or etag in self.strong or etag in self.weak


def quoted(etag: str) -> str:
    """Spell an etag as HTTP does."""
    return f'"{etag}"'


def unchanged(head: Head, etag: str) -> bool:
    """Say whether a reader has this text already (304).

    Raises:
        InvalidInput: `If-None-Match` is not a list of entity tags.
    """
    tags = _tags(head, NONE_MATCH)
    return tags is not None and tags.has(etag)


async def expected(head: Head, current: Current) -> Expect:
    """Give what a write expects to replace: an etag, None (nothing), or `ANY`.

    Raises:
        PreconditionFailed: What is stored is not what the headers want.
        InvalidInput: They are not lists of entity tags, or both are there.
    """
    match, none_match = _tags(head, MATCH), _tags(head, NONE_MATCH)
    if match is not None and none_match is not None:
        raise InvalidInput(param=NONE_MATCH, problem=f"must not come together with {MATCH}")
    if match is not None:
        return await _matching(match, current)
    if none_match is not None:
        return await _not_matching(none_match, current)
    return ANY


async def expected_etag(head: Head, current: Current) -> str | None:
    """Give the etag that a write of a thing that is there expects; None: whatever it is.

    Raises:
        PreconditionFailed: As `expected`; also when nothing was to be there.
        InvalidInput: As `expected`.
    """
    expect = await expected(head, current)
    if expect is None:
        raise PreconditionFailed(etag=await current())
    return None if isinstance(expect, AnyEtag) else expect


@contextmanager
def conditional(head: Head) -> Generator[None, None, None]:
    """Tell a conflict in the body as the failed precondition that it is, when the request has a condition.

    Raises:
        PreconditionFailed: The text changed since it was read; `etag` is the stored one.
    """
    try:
        yield
    except Conflict as error:
        if type(error) is not Conflict or not (head.all(MATCH) or head.all(NONE_MATCH)):
            raise
        raise PreconditionFailed(etag=error.facts.get("etag")) from error


async def _matching(tags: _Tags, current: Current) -> Expect:
    if tags.anything:
        if await current() is None:
            raise PreconditionFailed(etag=None)
        return ANY
    if len(tags.strong) == 1:
        return tags.strong[0]
    # Several: the stored one if it is among them; else one that will not fit, so that the write decides.
    # A weak tag never fits: what differs in any way may not be replaced.
    etag = await current()
    return etag if etag in tags.strong else next(iter(tags.strong), _NO_ETAG)


async def _not_matching(tags: _Tags, current: Current) -> Expect:
    if tags.anything:
        return None
    etag = await current()
    if etag is not None and tags.has(etag):
        raise PreconditionFailed(etag=etag)
    return etag


def _tags(head: Head, name: str) -> _Tags | None:
    if not head.all(name):
        return None
    said = head.listed(name)
    if said.strip(" \t") == "*":
        return _Tags(anything=True)
    strong: list[str] = []
    weak: list[str] = []
    at = 0
    while at < len(said) or not at:
        tag = _ENTITY_TAG.match(said, at)
        if tag is None:
            raise InvalidInput(param=name, problem='must be * or a list of entity tags, each in quotes: "…"')
        (weak if tag[1] else strong).append(tag[2])
        at = tag.end()
    return _Tags(tuple(strong), tuple(weak))
