"""Calls about blocks and their history, as an administrator sees them."""

from wellkept.client.call import Call, Conditions, call, order
from wellkept.model.blocks import DEFAULT_CHAR_LIMIT
from wellkept.model.edits import Add, Remove, Replace, Write
from wellkept.model.keys import Scope
from wellkept.model.pages import DEFAULT_LIMIT
from wellkept.wire import blocks as wire
from wellkept.wire.endpoints import blocks as table


def list_(scope: Scope, *, owner: str) -> Call[wire.BlocksAnswer]:
    """Give all blocks of one owner, by key."""
    return call(table.LIST_BLOCKS, query=wire.BlocksQuery(scope=scope, owner=owner))


def get(scope: Scope, key: str, *, owner: str) -> Call[wire.BlockAnswer]:
    """Read a block."""
    return call(table.GET_BLOCK, _block(scope, key), query=wire.BlockQuery(owner=owner))


def put(
    scope: Scope,
    key: str,
    *,
    owner: str,
    text: str,
    limit: int = DEFAULT_CHAR_LIMIT,
    if_match: str | None = None,
    only_new: bool = False,
) -> Call[wire.BlockEditedAnswer]:
    """Write a block's whole text.

    `if_match` is the etag of the text it replaces; `only_new`: there must be none yet.
    """
    return call(
        table.PUT_BLOCK,
        _block(scope, key),
        query=wire.BlockQuery(owner=owner),
        body=wire.BlockPut(text=text, limit=limit),
        conditions=Conditions(if_match=if_match, only_new=only_new),
    )


def edit(
    scope: Scope,
    key: str,
    *,
    owner: str,
    edit: Add | Replace | Remove | Write,
    limit: int = DEFAULT_CHAR_LIMIT,
    if_match: str | None = None,
) -> Call[wire.BlockEditedAnswer]:
    """Edit a block; `if_match` is the etag of the text that the edit was made for."""
    return call(
        table.PATCH_BLOCK,
        _block(scope, key),
        query=wire.BlockQuery(owner=owner),
        body=wire.BlockPatch(edit=edit, limit=limit),
        conditions=Conditions(if_match=if_match),
    )


def add(
    scope: Scope,
    key: str,
    *,
    owner: str,
    content: str,
    limit: int = DEFAULT_CHAR_LIMIT,
    if_match: str | None = None,
) -> Call[wire.BlockEditedAnswer]:
    """Append an entry to a block."""
    return edit(scope, key, owner=owner, edit=Add(content), limit=limit, if_match=if_match)


def replace(
    scope: Scope,
    key: str,
    *,
    owner: str,
    content: str,
    match: str | None = None,
    limit: int = DEFAULT_CHAR_LIMIT,
    if_match: str | None = None,
) -> Call[wire.BlockEditedAnswer]:
    """Put `content` in place of the one entry that contains `match`, or of the whole block without `match`."""
    return edit(scope, key, owner=owner, edit=Replace(content, match), limit=limit, if_match=if_match)


def remove(
    scope: Scope, key: str, *, owner: str, match: str, if_match: str | None = None
) -> Call[wire.BlockEditedAnswer]:
    """Delete the one entry that contains `match`."""
    return edit(scope, key, owner=owner, edit=Remove(match), if_match=if_match)


def delete(scope: Scope, key: str, *, owner: str, if_match: str | None = None) -> Call[None]:
    """Delete a block; `if_match` is the etag of the text that goes."""
    return order(
        table.DELETE_BLOCK,
        _block(scope, key),
        query=wire.BlockQuery(owner=owner),
        conditions=Conditions(if_match=if_match),
    )


def history(
    scope: Scope, key: str, *, owner: str, cursor: str | None = None, limit: int = DEFAULT_LIMIT
) -> Call[wire.RevisionsPage]:
    """Give a page of a block's changes, newest first."""
    query = wire.RevisionsQuery(owner=owner, cursor=cursor, limit=limit)
    return call(table.LIST_REVISIONS, _block(scope, key), query=query)


def diff(scope: Scope, key: str, *, owner: str, old: int, new: int) -> Call[wire.DiffAnswer]:
    """Compare the texts of two revisions."""
    return call(table.DIFF_REVISIONS, _block(scope, key), query=wire.DiffQuery(owner=owner, old=old, new=new))


def restore(
    scope: Scope, key: str, *, owner: str, number: int, if_match: str | None = None
) -> Call[wire.BlockEditedAnswer]:
    """Make the text of revision `number` the block's again."""
    return call(
        table.RESTORE_BLOCK,
        _block(scope, key),
        query=wire.BlockQuery(owner=owner),
        body=wire.RestoreBody(number=number),
        conditions=Conditions(if_match=if_match),
    )


def _block(scope: Scope, key: str) -> dict[str, str]:
    return {"scope": scope, "key": key}
