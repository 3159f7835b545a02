"""`wellkept blocks`: the short texts that stand in the prompt every turn."""

from typing import Annotated

import typer

from wellkept.cli.command import Run, command, group
from wellkept.cli.commands.arguments import PAGE, Cursor, FileOption, IfMatch, Limit, TextOption, given_text
from wellkept.cli.times import moment
from wellkept.compose.defaults import ASSISTANT
from wellkept.model.blocks import DEFAULT_CHAR_LIMIT, MAX_CHAR_LIMIT
from wellkept.model.edits import Add, Remove
from wellkept.model.errors import InvalidInput, NotFound, WellkeptError
from wellkept.model.keys import SCOPES, Scope, checked_scope
from wellkept.wire.blocks import BlockEditedAnswer

app = group("blocks", "Blocks: short texts that stand in the prompt every turn.")


def _scopes() -> list[str]:
    return list(SCOPES)


Key = Annotated[str, typer.Argument(metavar="KEY", help="The block's name, like USER")]
ScopeOption = Annotated[
    str, typer.Option("--scope", metavar="|".join(SCOPES), help="Whose kind of block", autocompletion=_scopes)
]
Owner = Annotated[
    str | None,
    typer.Option("--owner", "-o", metavar="ID", help=f"Whose: a user's or an agent's id [agent: {ASSISTANT}]"),
]
CharLimit = Annotated[
    int, typer.Option("--limit", min=1, max=MAX_CHAR_LIMIT, help="Characters that the block may have")
]


@command(app, "list")
async def list_blocks(run: Run, *, scope: ScopeOption = "user", owner: Owner = None) -> None:
    """List the blocks of one owner."""
    kind, whose = _whose(scope, owner)
    answer = await run.ask_blocks(lambda on: on.list_blocks(kind, whose), told="Reading blocks")
    if run.out.json:
        return run.out.value(answer)
    rows = [(block.key, str(block.chars), moment(block.updated_at), block.text) for block in answer.data]
    return run.out.table(["key", "chars", "updated", "text"], rows)


@command(app, "show")
async def show(run: Run, key: Key, *, scope: ScopeOption = "user", owner: Owner = None) -> None:
    """Print a block's text, exactly."""
    kind, whose = _whose(scope, owner)
    block = await run.ask_blocks(lambda on: on.get_block(kind, whose, key), told="Reading the block")
    if run.out.json:
        return run.out.value(block)
    run.out.aside(f"etag {block.etag}, {block.chars} characters, of {moment(block.updated_at)}")
    return run.out.exactly(block.text)


@command(app, "edit")
async def edit(
    run: Run, key: Key, *, scope: ScopeOption = "user", owner: Owner = None, limit: CharLimit = DEFAULT_CHAR_LIMIT
) -> None:
    """Open a block in $VISUAL or $EDITOR, and write what was saved. What others wrote meanwhile is not lost."""
    from wellkept.cli.editor import edited, kept
    from wellkept.compose.settings import editor

    kind, whose = _whose(scope, owner)
    try:
        stored = await run.ask_blocks(lambda on: on.get_block(kind, whose, key), told="Reading the block")
    except NotFound:
        stored = None
    before = "" if stored is None else stored.text
    after = edited(before, editor=editor())
    if after == before:
        return run.out.note("Nothing was changed.")
    etag = None if stored is None else stored.etag
    try:
        answer = await run.ask_blocks(
            lambda on: on.put_block(kind, whose, key, after, limit=limit, if_match=etag, only_new=etag is None),
            told="Writing the block",
        )
    except WellkeptError as error:
        # Whatever refused it, nobody types a text twice.
        error.facts["kept"] = str(kept(after))
        run.out.note(f"Your text is kept in {error.facts['kept']}")
        raise
    return _told(run, answer)


@command(app, "set")
async def set_text(
    run: Run,
    key: Key,
    *,
    text: TextOption = None,
    file: FileOption = None,
    scope: ScopeOption = "user",
    owner: Owner = None,
    limit: CharLimit = DEFAULT_CHAR_LIMIT,
    if_match: IfMatch = None,
) -> None:
    """Write a block's whole text."""
    kind, whose = _whose(scope, owner)
    given = given_text(text, file)
    if given is None:
        raise InvalidInput(param="--text", problem="is missing; pass --text TEXT, --text - or --file PATH")
    answer = await run.ask_blocks(
        lambda on: on.put_block(kind, whose, key, given, limit=limit, if_match=if_match), told="Writing the block"
    )
    return _told(run, answer)


@command(app, "add")
async def add(
    run: Run,
    key: Key,
    content: Annotated[str, typer.Argument(metavar="TEXT", help="The entry; - reads standard input")],
    *,
    scope: ScopeOption = "user",
    owner: Owner = None,
    limit: CharLimit = DEFAULT_CHAR_LIMIT,
    if_match: IfMatch = None,
) -> None:
    """Append an entry to a block."""
    kind, whose = _whose(scope, owner)
    entry = Add(given_text(content, None) or "")
    answer = await run.ask_blocks(
        lambda on: on.edit_block(kind, whose, key, entry, limit=limit, if_match=if_match), told="Writing the block"
    )
    return _told(run, answer)


@command(app, "remove")
async def remove(
    run: Run,
    key: Key,
    match: Annotated[str | None, typer.Argument(metavar="MATCH", help="A piece of the entry")] = None,
    *,
    whole: Annotated[bool, typer.Option("--whole", help="The whole block, not an entry")] = False,
    scope: ScopeOption = "user",
    owner: Owner = None,
    if_match: IfMatch = None,
) -> None:
    """Remove the one entry that contains MATCH, or the whole block."""
    kind, whose = _whose(scope, owner)
    if (match is None) is not whole:
        raise InvalidInput(param="MATCH", problem="names the entry to remove; --whole removes the block instead")
    if match is None:
        await run.ask_blocks(lambda on: on.delete_block(kind, whose, key, if_match=if_match), told="Removing")
        return run.out.value({"removed": True}) if run.out.json else run.out.line(f"Removed {kind}/{key}.")
    entry = Remove(match)
    answer = await run.ask_blocks(
        lambda on: on.edit_block(kind, whose, key, entry, limit=DEFAULT_CHAR_LIMIT, if_match=if_match), told="Removing"
    )
    return _told(run, answer)


@command(app, "history")
async def history(
    run: Run,
    key: Key,
    *,
    scope: ScopeOption = "user",
    owner: Owner = None,
    limit: Limit = PAGE,
    cursor: Cursor = None,
) -> None:
    """List the changes of a block, newest first."""
    kind, whose = _whose(scope, owner)
    page = await run.ask_blocks(
        lambda on: on.block_history(kind, whose, key, cursor=cursor, limit=limit), told="Reading the history"
    )
    if run.out.json:
        return run.out.value(page)
    rows = [
        (
            str(revision.number),
            moment(revision.at),
            revision.actor,
            revision.session_id or "",
            "(deleted)" if revision.text is None else revision.text,
        )
        for revision in page.data
    ]
    run.out.table(["number", "at", "by", "session", "text"], rows)
    return run.more(page.next_cursor)


@command(app, "diff")
async def diff(
    run: Run,
    key: Key,
    old: Annotated[int, typer.Argument(metavar="OLD", help="A revision's number; 0: before the first", min=0)],
    new: Annotated[int, typer.Argument(metavar="NEW", help="A revision's number", min=1)],
    *,
    scope: ScopeOption = "user",
    owner: Owner = None,
) -> None:
    """Show what changed from one revision to another, as a unified diff."""
    kind, whose = _whose(scope, owner)
    answer = await run.ask_blocks(
        lambda on: on.block_diff(kind, whose, key, old=old, new=new), told="Reading the history"
    )
    return run.out.value(answer) if run.out.json else run.out.exactly(answer.diff)


@command(app, "restore")
async def restore(
    run: Run,
    key: Key,
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="The revision's number", min=1)],
    *,
    scope: ScopeOption = "user",
    owner: Owner = None,
    if_match: IfMatch = None,
) -> None:
    """Give a block the text of an earlier revision again."""
    kind, whose = _whose(scope, owner)
    answer = await run.ask_blocks(
        lambda on: on.restore_block(kind, whose, key, number, if_match=if_match), told="Writing the block"
    )
    return _told(run, answer)


def _whose(scope: str, owner: str | None) -> tuple[Scope, str]:
    kind = checked_scope(scope, param="--scope")
    if owner is None and kind != "agent":
        raise InvalidInput(param="--owner", problem="is missing; say whose block it is")
    return kind, ASSISTANT if owner is None else owner


def _told(run: Run, answer: BlockEditedAnswer) -> None:
    if run.out.json:
        return run.out.value(answer)
    block = answer.block
    state = "changed" if answer.changed else "was like that already"
    return run.out.line(f"{block.scope}/{block.key} {state}: {block.chars} characters, etag {block.etag}")
