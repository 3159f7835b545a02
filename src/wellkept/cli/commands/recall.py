"""`wellkept recall`: what was said in past conversations."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from wellkept.cli.backend import Backend
from wellkept.cli.command import Run, command, group
from wellkept.cli.commands.arguments import Agent, Limit, Session, User
from wellkept.cli.times import moment
from wellkept.cli.transcripts import batches
from wellkept.compose.defaults import ASSISTANT
from wellkept.model.errors import InvalidInput
from wellkept.model.ids import session_id
from wellkept.model.passages import PassagesPut
from wellkept.model.recall import PassageFound, RecallFilter
from wellkept.wire.passages import MOST_MESSAGES, PassagesDeleted, ReindexAnswer

app = group("recall", "Recall: what was said in past conversations.")

_BATCH = MOST_MESSAGES // 2

Whose = Annotated[str, typer.Option("--user", "-u", metavar="ID", help="Whose conversations")]
Since = Annotated[str | None, typer.Option("--since", metavar="TIME", help="Said from then on: 2026-01-31T00:00:00Z")]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Said before then")]


@command(app, "search")
async def search(
    run: Run,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for")],
    *,
    user: Whose,
    session: Session = None,
    speaker: Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Said by this one")] = None,
    since: Since = None,
    until: Until = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the parts of each score")] = False,
    agent: Agent = ASSISTANT,
    limit: Limit = 10,
) -> None:
    """Find what was said, best first."""
    chosen = RecallFilter(
        sessions=None if session is None else (session_id(session, param="--session"),),
        speaker=speaker,
        since=_instant("--since", since),
        until=_instant("--until", until),
    )
    answer = await run.ask(lambda on: on.recall(agent, query, user=user, limit=limit, filter=chosen), told="Searching")
    if run.out.json:
        return run.out.value(answer)
    run.out.table(
        ["score", *(["parts"] if explain else []), "said", "speaker", "session", "text"],
        [_cells(one, explain=explain) for one in answer.data],
    )
    for half in answer.degraded:
        run.out.note(f"Without its {half} half: some or all passages were found by their words alone.")
    return None


@command(app, "ingest")
async def ingest(
    run: Run,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="JSON Lines of {session, speaker, time, text}; - is standard input")
    ],
    *,
    user: User = None,
    agent: Agent = ASSISTANT,
) -> None:
    """Keep the messages of a transcript, each of them once."""

    async def kept(on: Backend) -> PassagesPut:
        total = PassagesPut()
        with _lines(file) as lines:
            for (whose, session), messages in batches(lines, user=user, size=_BATCH):
                total = total.plus(await on.ingest(agent, user=whose, session=session, messages=messages))
                if sys.stderr.isatty():
                    run.out.note(f"{total.stored + total.replaced + total.unchanged} passages")
        return total

    put = await run.ask(kept, told="Ingesting")
    if run.out.json:
        return run.out.value(put)
    return run.out.line(
        f"{put.stored} passages stored, {put.replaced} replaced, {put.removed} removed, {put.unchanged} as they were."
    )


@command(app, "forget")
async def forget(
    run: Run,
    *,
    user: User = None,
    session: Session = None,
    passage: Annotated[str | None, typer.Option("--passage", metavar="ID", help="One passage, psg_…")] = None,
    agent: Agent = ASSISTANT,
) -> None:
    """Forget what was said, for good.

    By a user, in a session, or in one passage: what is named holds together.
    """
    if (user, session, passage) == (None, None, None):
        raise InvalidInput(param="--user", problem="is missing; pass --user, --session or --passage")
    gone = await run.ask(lambda on: on.forget(agent, user=user, session=session, passage=passage), told="Forgetting")
    return run.out.value(PassagesDeleted(deleted=gone)) if run.out.json else run.out.line(f"{gone} passages forgotten.")


@command(app, "stats")
async def stats(run: Run, *, agent: Agent = ASSISTANT) -> None:
    """Count an agent's passages, and the vectors of each model."""
    counts = await run.ask(lambda on: on.recall_stats(agent), told="Counting")
    if run.out.json:
        return run.out.value(counts)
    run.out.line(f"{counts.passages} passages of {counts.users} users in {counts.sessions} sessions.")
    for model, vectors in sorted(counts.vectors.items()):
        run.out.line(f"{vectors} vectors of {model}")
    return None


@command(app, "reindex")
async def reindex(run: Run) -> None:
    """Embed what has no vector of the embedder in use.

    It may be stopped, and goes on where it was.
    """

    async def embedded(on: Backend) -> ReindexAnswer | None:
        last = None
        async for step in on.reindex():
            last = step
            if sys.stderr.isatty():
                run.out.note(f"{step.done} embedded, {step.left} left")
        return last

    last = await run.ask(embedded, told="Embedding")
    if run.out.json:
        return run.out.value(last)
    return run.out.line(f"{last.done} passages embedded by {last.model}." if last else "Nothing to embed.")


def _cells(one: PassageFound, *, explain: bool) -> tuple[str, ...]:
    said = one.passage
    parts = " ".join(f"{name}={part:.3f}" for name, part in one.parts.items())
    return (
        f"{one.score:.3f}",
        *((parts,) if explain else ()),
        moment(said.at),
        said.speaker,
        said.session_id,
        said.text,
    )


def _instant(option: str, value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        instant = datetime.fromisoformat(value)
    except ValueError as error:
        raise InvalidInput(param=option, problem="must be a time, as 2026-01-31T12:00:00Z") from error
    if instant.tzinfo is None:
        raise InvalidInput(param=option, problem="must have a time zone, as 2026-01-31T12:00:00Z")
    return instant


@contextmanager
def _lines(file: Path) -> Generator[BinaryIO]:
    if str(file) == "-":
        yield sys.stdin.buffer
        return
    try:
        opened = file.open("rb")
    except OSError as error:
        raise InvalidInput(param="FILE", problem=f"cannot be read: {error.strerror}") from error
    with opened:
        yield opened
