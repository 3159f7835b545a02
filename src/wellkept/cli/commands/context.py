"""`wellkept context`: what stands in the prompt."""

from typing import Annotated

import typer

from wellkept.cli.command import Run, command, group
from wellkept.cli.commands.arguments import Agent, Session, User
from wellkept.compose.defaults import ASSISTANT

app = group()


@command(app, "context")
async def context(
    run: Run,
    *,
    user: User = None,
    session: Session = None,
    agent: Agent = ASSISTANT,
    query: Annotated[str | None, typer.Option("--query", help="The user's latest message")] = None,
    receipt: Annotated[bool, typer.Option("--receipt", help="What went in and what did not, instead")] = False,
) -> None:
    """Print the memory part of the prompt for a turn."""
    made = await run.ask(lambda on: on.context(agent, user=user, session=session, query=query), told="Rendering")
    if run.out.json:
        return run.out.value(made.receipt if receipt else made)
    if not receipt:
        return run.out.exactly(made.text)
    rows = [
        (piece.kind, piece.id, str(piece.words), str(piece.chars), "cut" if piece.cut else "in")
        for piece in made.receipt.pieces
    ]
    rows += [(piece.kind, piece.id, "", "", f"left out: {piece.reason}") for piece in made.receipt.left_out]
    run.out.table(["kind", "id", "words", "chars", "state"], rows)
    run.out.note(f"{made.receipt.words} words, {made.receipt.chars} characters, hash {made.receipt.hash}")
    return None
