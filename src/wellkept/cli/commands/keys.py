"""`wellkept keys`: what programs show to a server."""

from typing import Annotated

import typer

from wellkept.cli.backend import Backend
from wellkept.cli.command import Run, command, group
from wellkept.cli.times import moment
from wellkept.model.errors import NotFound

app = group("keys", "API keys: kept by their hash, shown once.")


@command(app, "create")
async def create(
    run: Run,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is for")],
    *,
    user: Annotated[str, typer.Option("--user", "-u", metavar="ID", help="The user for whom alone it acts")] = "",
) -> None:
    """Make an API key. It is shown now and never again, alone on the last line."""
    made = await run.ask(lambda on: on.create_key(name, user=user), told="Making the key")
    if run.out.json:
        return run.out.value(made)
    run.out.note(f"The key {made.key.name} ({made.key.id}). Keep it: nobody can show it again.")
    return run.out.line(made.secret)


@command(app, "list")
async def list_keys(run: Run) -> None:
    """List API keys, newest first, without their secrets."""
    answer = await run.ask(lambda on: on.list_keys(), told="Reading keys")
    if run.out.json:
        return run.out.value(answer)
    rows = [
        (
            key.id,
            key.name,
            f"{key.hint}…",
            key.user_id,
            moment(key.created_at),
            f"revoked {moment(key.revoked_at)}" if key.revoked_at else "in use",
        )
        for key in answer.data
    ]
    return run.out.table(["id", "name", "key", "user", "created", "state"], rows)


@command(app, "revoke")
async def revoke(
    run: Run, key: Annotated[str, typer.Argument(metavar="ID", help="The key's id, key_…, or its name")]
) -> None:
    """Make an API key useless, for ever."""
    await run.ask(lambda on: _revoke(on, key), told="Revoking")
    return run.out.value({"revoked": True}) if run.out.json else run.out.line(f"{key} revoked.")


async def _revoke(on: Backend, said: str) -> None:
    try:
        return await on.revoke_key(said)
    except NotFound as error:
        named = [key.id for key in (await on.list_keys()).data if key.name == said and key.revoked_at is None]
        if len(named) != 1:
            error.facts["do"] = "name a key by its id, key_…, or by its name; `wellkept keys list` shows both"
            raise
    return await on.revoke_key(named[0])
