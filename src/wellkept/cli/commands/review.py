"""`wellkept review`: writes that wait until someone approves them."""

from typing import Annotated

import typer

from wellkept.cli.command import Run, command, group
from wellkept.cli.commands.arguments import PAGE, Cursor, Limit
from wellkept.cli.times import moment
from wellkept.model.edits import Add, Remove, Replace, Write
from wellkept.model.review import HeldAction, HeldBlockEdit, HeldMemoryDelete, HeldMemorySave, HeldMemoryUpdate

app = group("review", "Writes that wait for approval.")

Id = Annotated[str, typer.Argument(metavar="ID", help="The write's id, hold_…")]


@command(app, "list")
async def list_held(run: Run, *, limit: Limit = PAGE, cursor: Cursor = None) -> None:
    """List the writes that wait, newest first."""
    page = await run.ask(lambda on: on.list_held(cursor=cursor, limit=limit), told="Reading what waits")
    if run.out.json:
        return run.out.value(page)
    rows = [
        (
            held.id,
            moment(held.created_at),
            held.agent_id,
            held.user_id,
            ", ".join((held.reason, *held.findings)),
            _what(held.action),
        )
        for held in page.data
    ]
    run.out.table(["id", "asked", "agent", "user", "why", "what"], rows)
    return run.more(page.next_cursor)


@command(app, "approve")
async def approve(run: Run, held: Id) -> None:
    """Do a write that waits; one that cannot be done any more stays."""
    answer = await run.ask(lambda on: on.approve(held), told="Writing")
    return run.out.value(answer) if run.out.json else run.out.line(f"Done: {_what(answer.action)}")


@command(app, "reject")
async def reject(run: Run, held: Id) -> None:
    """Throw a write that waits away."""
    answer = await run.ask(lambda on: on.reject(held), told="Rejecting")
    return run.out.value(answer) if run.out.json else run.out.line(f"Rejected: {_what(answer.action)}")


def _what(action: HeldAction) -> str:
    match action:
        case HeldBlockEdit(key, edit):
            return f"{key.scope}/{key.key} of {key.owner}: {_edit(edit)}"
        case HeldMemorySave(text, _):
            return f"new memory: {text}"
        case HeldMemoryUpdate(memory, text, _):
            return f"{memory} becomes: {text}"
        case HeldMemoryDelete(memory, _):
            return f"forget {memory}"


def _edit(edit: Add | Replace | Remove | Write) -> str:
    match edit:
        case Add(content):
            return f"add: {content}"
        case Replace(content, None):
            return f"replace all with: {content}"
        case Replace(content, match):
            return f"replace what has {match!r} with: {content}"
        case Remove(match):
            return f"remove what has {match!r}"
        case Write(text):
            return f"write: {text}"
