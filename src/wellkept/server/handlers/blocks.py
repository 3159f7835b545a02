"""Blocks and their history. A limited caller has the user and shared blocks that its user owns."""

from typing import Final

from starlette.responses import Response

from wellkept.contract.block_store import Expect
from wellkept.model.blocks import BlockEdited
from wellkept.model.errors import Forbidden, NotFound
from wellkept.model.keys import BlockKey, Scope, checked_scope
from wellkept.server.answers import not_modified
from wellkept.server.call import Answer, B, Call, Handler, Q
from wellkept.server.caller import Caller
from wellkept.server.conditions import conditional, expected, unchanged
from wellkept.wire.blocks import (
    BlockAnswer,
    BlockEditedAnswer,
    BlockPatch,
    BlockPut,
    BlockQuery,
    BlocksAnswer,
    BlocksQuery,
    DiffAnswer,
    DiffQuery,
    RestoreBody,
    RevisionAnswer,
    RevisionsPage,
    RevisionsQuery,
)
from wellkept.wire.endpoint import NoBody


async def list_all(call: Call[BlocksQuery, NoBody]) -> Answer:
    """Give all blocks of an owner."""
    query = call.query
    _admit(call.caller, query.scope, query.owner)
    blocks = await call.services.blocks.list(call.caller.tenant, query.scope, query.owner)
    return Answer(value=BlocksAnswer(data=tuple(map(BlockAnswer.of, blocks))))


async def get(call: Call[BlockQuery, NoBody]) -> Answer | Response:
    """Read a block."""
    block = await call.services.blocks.get(_key(call, call.query.owner))
    if unchanged(call.head, block.etag):
        return not_modified(block.etag)
    return Answer(value=BlockAnswer.of(block), etag=block.etag)


async def put(call: Call[BlockQuery, BlockPut]) -> Answer:
    """Write a block's whole text."""
    key = _key(call, call.query.owner)
    with conditional(call.head):
        expect = await _expected(call, key)
        return _edited(await call.services.blocks.put(key, call.body.text, expect=expect, limit=call.body.limit))


async def edit(call: Call[BlockQuery, BlockPatch]) -> Answer:
    """Edit a block."""
    key = _key(call, call.query.owner)
    with conditional(call.head):
        expect = await _expected(call, key)
        return _edited(await call.services.blocks.edit(key, call.body.edit, expect=expect, limit=call.body.limit))


async def delete(call: Call[BlockQuery, NoBody]) -> Answer:
    """Forget a block."""
    key = _key(call, call.query.owner)
    with conditional(call.head):
        await call.services.blocks.delete(key, expect=await _expected(call, key))
    return Answer()


async def history(call: Call[RevisionsQuery, NoBody]) -> Answer:
    """Give a page of a block's changes."""
    query = call.query
    page = await call.services.blocks.history_page(_key(call, query.owner), cursor=query.cursor, limit=query.limit)
    return Answer(value=RevisionsPage(data=tuple(map(RevisionAnswer.of, page.data)), next_cursor=page.next_cursor))


async def diff(call: Call[DiffQuery, NoBody]) -> Answer:
    """Compare two revisions."""
    query = call.query
    return Answer(value=DiffAnswer(diff=await call.services.blocks.diff(_key(call, query.owner), query.old, query.new)))


async def restore(call: Call[BlockQuery, RestoreBody]) -> Answer:
    """Make a revision's text the block's again."""
    key = _key(call, call.query.owner)
    with conditional(call.head):
        expect = await _expected(call, key)
        return _edited(await call.services.blocks.restore(key, call.body.number, expect=expect))


def _admit(caller: Caller, scope: Scope, owner: str) -> None:
    if caller.user is not None and scope == "agent":
        raise Forbidden
    caller.acting_for(owner)


def _key(call: Call[Q, B], owner: str) -> BlockKey:
    scope = checked_scope(call.path["scope"])
    _admit(call.caller, scope, owner)
    return BlockKey(tenant=call.caller.tenant, scope=scope, owner=owner, key=call.path["key"])


async def _expected(call: Call[Q, B], key: BlockKey) -> Expect:
    async def current() -> str | None:
        try:
            return (await call.services.blocks.get(key)).etag
        except NotFound:
            return None

    return await expected(call.head, current)


def _edited(edited: BlockEdited) -> Answer:
    block = edited.block
    return Answer(value=BlockEditedAnswer(block=BlockAnswer.of(block), changed=edited.changed), etag=block.etag)


HANDLERS: Final[dict[str, Handler]] = {
    "blocks.list": list_all,
    "blocks.get": get,
    "blocks.put": put,
    "blocks.edit": edit,
    "blocks.delete": delete,
    "blocks.history": history,
    "blocks.diff": diff,
    "blocks.restore": restore,
}
