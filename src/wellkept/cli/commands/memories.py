"""`wellkept memories`: rows of durable text that an agent owns."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
import typer

from wellkept.cli.backend import Backend
from wellkept.cli.command import Run, command, group
from wellkept.cli.commands.arguments import (
    PAGE,
    Agent,
    All,
    Cursor,
    FileOption,
    IfMatch,
    Limit,
    TextOption,
    User,
    given_text,
)
from wellkept.cli.times import moment
from wellkept.compose.defaults import ASSISTANT
from wellkept.model.errors import InvalidInput
from wellkept.model.memories import Memory, MemoryFound, SearchMode
from wellkept.wire.memories import MemoriesPage

app = group("memories", "Memories: what an agent can look up.")

MODES: tuple[SearchMode, ...] = ("web", "ranked")
_MOST_EXPLAINED = 20


def _modes() -> list[str]:
    return list(MODES)


Id = Annotated[str, typer.Argument(metavar="ID", help="The memory's id, mem_…")]
Whose = Annotated[
    str | None, typer.Option("--user", "-u", metavar="ID", help='Only this user\'s; "" for the general ones')
]
Pinned = Annotated[bool | None, typer.Option("--pin/--unpin", help="Evicted last, or like any other")]


@command(app, "add")
async def add(
    run: Run,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember; - reads standard input")],
    *,
    user: User = None,
    pin: Annotated[bool, typer.Option("--pin", help="Evicted last when the pool is full")] = False,
    agent: Agent = ASSISTANT,
) -> None:
    """Store a memory, for a user or, without one, for all."""
    given = given_text(text, None) or ""
    answer = await run.ask(
        lambda on: on.create_memory(agent, given, user=user or "", pinned=pin), told="Storing the memory"
    )
    return run.out.value(answer) if run.out.json else run.out.line(answer.memory.id)


@command(app, "list")
async def list_memories(
    run: Run,
    *,
    user: Whose = None,
    agent: Agent = ASSISTANT,
    limit: Limit = PAGE,
    cursor: Cursor = None,
    everything: All = False,
) -> None:
    """List memories, newest first."""

    async def pages(on: Backend) -> MemoriesPage:
        page = await on.list_memories(agent, user=user, cursor=cursor, limit=limit)
        rows = list(page.data)
        while everything and page.next_cursor is not None:
            page = await on.list_memories(agent, user=user, cursor=page.next_cursor, limit=limit)
            rows += page.data
        return msgspec.structs.replace(page, data=tuple(rows))

    page = await run.ask(pages, told="Reading memories")
    if run.out.json:
        return run.out.value(page)
    _table(run, page.data)
    return run.more(page.next_cursor)


@command(app, "search")
async def search(
    run: Run,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for")],
    *,
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            metavar="|".join(MODES),
            help="ranked: the best first; web: all that match, newest first",
            autocompletion=_modes,
        ),
    ] = "ranked",
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Search as a turn does (the user's and the general ones, which then count as used) "
            "and show the parts of each score",
        ),
    ] = False,
    user: Whose = None,
    agent: Agent = ASSISTANT,
    limit: Limit = 10,
    cursor: Cursor = None,
) -> None:
    """Search memories."""
    chosen = _mode(mode)
    if explain:
        if chosen != "ranked" or cursor is not None:
            raise InvalidInput(param="--explain", problem="goes with --mode ranked alone, which has one page")
        found = await run.ask(
            lambda on: on.explain_search(agent, query, user=user, limit=min(limit, _MOST_EXPLAINED)), told="Searching"
        )
        return run.out.value(found) if run.out.json else _explained(run, found.data)
    page = await run.ask(
        lambda on: on.list_memories(agent, user=user, search=query, mode=chosen, cursor=cursor, limit=limit),
        told="Searching",
    )
    if run.out.json:
        return run.out.value(page)
    _table(run, page.data)
    return run.more(page.next_cursor)


@command(app, "show")
async def show(run: Run, memory: Id, *, agent: Agent = ASSISTANT) -> None:
    """Print a memory's text, exactly."""
    answer = await run.ask(lambda on: on.get_memory(agent, memory), told="Reading the memory")
    if run.out.json:
        return run.out.value(answer)
    row = answer.memory
    whose = f"of {row.user_id}" if row.user_id else "general"
    run.out.aside(f"{whose}, from {row.origin}, made {moment(row.created_at)}, etag {row.etag}")
    return run.out.exactly(row.text)


@command(app, "update")
async def update(
    run: Run,
    memory: Id,
    *,
    text: TextOption = None,
    file: FileOption = None,
    pin: Pinned = None,
    agent: Agent = ASSISTANT,
    if_match: IfMatch = None,
) -> None:
    """Replace a memory's text, pin or unpin it."""
    given = given_text(text, file)
    if given is None and pin is None:
        raise InvalidInput(param="--text", problem="is missing; pass --text, --file, --pin or --unpin")
    answer = await run.ask(
        lambda on: on.update_memory(agent, memory, text=given, pinned=pin, if_match=if_match), told="Writing the memory"
    )
    return run.out.value(answer) if run.out.json else run.out.line(f"{answer.memory.id} updated.")


@command(app, "remove")
async def remove(run: Run, memory: Id, *, agent: Agent = ASSISTANT, if_match: IfMatch = None) -> None:
    """Forget a memory, for good."""
    await run.ask(lambda on: on.delete_memory(agent, memory, if_match=if_match), told="Removing")
    return run.out.value({"removed": True}) if run.out.json else run.out.line(f"{memory} removed.")


def _mode(said: str) -> SearchMode:
    for mode in MODES:
        if said == mode:
            return mode
    raise InvalidInput(param="--mode", problem=f"must be one of {', '.join(MODES)}")


def _table(run: Run, rows: Sequence[Memory]) -> None:
    cells = [(row.id, row.user_id, moment(row.created_at), "pinned" if row.pinned else "", row.text) for row in rows]
    run.out.table(["id", "user", "created", "state", "text"], cells)


def _explained(run: Run, found: Sequence[MemoryFound]) -> None:
    cells = [
        (
            f"{one.score:.3f}",
            " ".join(f"{name}={part:.3f}" for name, part in one.parts.items()),
            one.memory.id,
            one.memory.text,
        )
        for one in found
    ]
    run.out.table(["score", "parts", "id", "text"], cells)
