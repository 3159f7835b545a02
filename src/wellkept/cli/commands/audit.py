"""`wellkept audit`: who changed what."""

from datetime import datetime
from typing import Annotated, cast, get_args

import msgspec
import typer

from wellkept.cli.backend import Backend
from wellkept.cli.command import Run, command, group
from wellkept.cli.commands.arguments import PAGE, All, Cursor, Limit
from wellkept.cli.times import moment
from wellkept.model.audit import AuditAction
from wellkept.model.errors import InvalidInput
from wellkept.wire.audit import AuditEntryAnswer, AuditPage, AuditQuery

app = group("audit", "Who changed what and when, without any text.")

ACTIONS = tuple(str(action) for action in get_args(AuditAction))
_WHEN = "an instant as in 2026-01-31T12:00 (this machine's time) or 2026-01-31T12:00Z"


def _actions() -> list[str]:
    return list(ACTIONS)


@command(app, "list")
async def list_audit(
    run: Run,
    *,
    agent: Annotated[str | None, typer.Option("--agent", "-a", metavar="ID", help="Only of this agent")] = None,
    user: Annotated[str | None, typer.Option("--user", "-u", metavar="ID", help="Only by or for this user")] = None,
    action: Annotated[
        str | None,
        typer.Option("--action", metavar="ACTION", help="Only of this kind", autocompletion=_actions),
    ] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="WHEN", help=f"From then on: {_WHEN}")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="WHEN", help="Before then")] = None,
    limit: Limit = PAGE,
    cursor: Cursor = None,
    everything: All = False,
) -> None:
    """List changes that took effect, newest first."""
    if action not in (None, *ACTIONS):
        raise InvalidInput(param="--action", problem=f"must be one of {', '.join(ACTIONS)}")
    query = AuditQuery(
        agent_id=agent,
        user_id=user,
        action=cast("AuditAction | None", action),
        since=_instant(since, param="--since"),
        until=_instant(until, param="--until"),
        cursor=cursor,
        limit=limit,
    )

    async def pages(on: Backend) -> AuditPage:
        page = await on.list_audit(query)
        rows = list(page.data)
        while everything and page.next_cursor is not None:
            page = await on.list_audit(msgspec.structs.replace(query, cursor=page.next_cursor))
            rows += page.data
        return AuditPage(data=tuple(rows), next_cursor=page.next_cursor)

    page = await run.ask(pages, told="Reading the audit log")
    if run.out.json:
        return run.out.value(page)
    run.out.table(["when", "who", "action", "what"], [_row(entry) for entry in page.data])
    return run.more(page.next_cursor)


def _row(entry: AuditEntryAnswer) -> tuple[str, str, str, str]:
    actor = entry.actor
    who = " ".join(filter(None, (actor.role, actor.user_id, actor.key_id)))
    place = f"{entry.scope}/{entry.target} of {entry.owner}" if entry.scope else entry.target
    kind = "passages" if entry.action.startswith("passages.") else "memories"
    count = None if entry.count is None else f"{entry.count} {kind}"
    what = ", ".join(filter(None, (place, count, entry.agent_id and f"agent {entry.agent_id}")))
    return moment(entry.at), who, entry.action, what


def _instant(said: str | None, *, param: str) -> datetime | None:
    if said is None:
        return None
    try:
        return datetime.fromisoformat(said).astimezone()
    except (ValueError, OverflowError) as error:
        raise InvalidInput(param=param, problem=f"must be {_WHEN}") from error
