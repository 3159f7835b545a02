"""`wellkept review`: writes that wait until someone approves them."""

from typing import Annotated

import typer

from wellkept.cli.advice import sentence
from wellkept.cli.backend import Backend
from wellkept.cli.command import Run, command, group
from wellkept.cli.commands.arguments import PAGE, Cursor, Limit
from wellkept.model.errors import Refused
from wellkept.wire.admin import HeldWriteAnswer

app = group("review", "Writes that wait for approval.")

Id = Annotated[str, typer.Argument(metavar="ID", help="The write's id, hold_…")]


@command(app, "list")
async def list_held(run: Run, *, limit: Limit = PAGE, cursor: Cursor = None) -> None:
    """List the writes that wait, newest first."""
    from wellkept.cli.held import texts, what  # what it needs takes its time to import

    page = await run.ask(lambda on: on.list_held(cursor=cursor, limit=limit), told="Reading what waits")
    if run.out.json:
        return run.out.value(page)
    rows = [(held.id, held.reason, ": ".join((what(held.action), *texts(held.action).values()))) for held in page.data]
    # Three columns, so that the beginning of each text stands there on a narrow terminal too.
    run.out.table(["id", "why", "what"], rows)
    if rows:
        run.out.aside("`wellkept review show ID` shows a write whole.")
    return run.more(page.next_cursor)


@command(app, "show")
async def show(run: Run, held: Id) -> None:
    """Show who asked for a write, why it waits, and what would change."""
    from wellkept.cli.held import difference, texts, told

    async def both(on: Backend) -> tuple[HeldWriteAnswer, str | Refused]:
        answer = await on.get_held(held)
        if run.out.json:
            return answer, ""
        try:
            return answer, await difference(on, answer)
        except Refused as error:
            return answer, error

    answer, changes = await run.ask(both, told="Reading what waits")
    if run.out.json:
        return run.out.value(answer)
    for name, value in told(answer):
        run.out.line(f"{name:<8} {value}")
    run.out.line()
    if not isinstance(changes, Refused):
        return run.out.exactly(changes or "Nothing would change: it is like that already.\n")
    run.out.line(f"It cannot be done now: {sentence(changes)}")
    for name, text in texts(answer.action).items():
        run.out.line(f"{name:<8} {text}")
    return None


@command(app, "approve")
async def approve(run: Run, held: Id) -> None:
    """Do a write that waits; `show` says what. One that cannot be done any more stays."""
    from wellkept.cli.held import what

    answer = await run.ask(lambda on: on.approve(held), told="Writing")
    return run.out.value(answer) if run.out.json else run.out.line(f"Approved: {what(answer.action)}.")


@command(app, "reject")
async def reject(run: Run, held: Id) -> None:
    """Throw a write that waits away."""
    from wellkept.cli.held import what

    answer = await run.ask(lambda on: on.reject(held), told="Rejecting")
    return run.out.value(answer) if run.out.json else run.out.line(f"Rejected: {what(answer.action)}.")
