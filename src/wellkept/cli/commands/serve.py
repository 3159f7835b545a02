"""`wellkept serve`: a memory server."""

from contextlib import ExitStack
from typing import Annotated

import typer

from wellkept.cli.command import Run, command, group
from wellkept.cli.options import here
from wellkept.cli.progress import waiting

app = group()


@command(app, "serve", taking=here)
async def serve(
    run: Run,
    *,
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on [WELLKEPT_HOST]")] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", "-p", min=0, max=65_535, help="Port, or the next free one; 0: any [WELLKEPT_PORT]"),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Model of agents that name none [WELLKEPT_MODEL, else offline]")
    ] = None,
    log_level: Annotated[
        str | None, typer.Option("--log-level", help="debug, info, warning or error [WELLKEPT_LOG_LEVEL]")
    ] = None,
    log_format: Annotated[
        str | None, typer.Option("--log-format", help="auto, json or console [WELLKEPT_LOG_FORMAT]")
    ] = None,
) -> None:
    """Serve until Ctrl-C or SIGTERM. The first time, a key is made and shown."""
    with ExitStack() as starting:
        starting.enter_context(waiting("Starting"))
        from wellkept.cli.serving import serve_until_told  # the web framework and the agent loop take their time
        from wellkept.compose.server_settings import load

        settings = load(
            store=run.options.store,
            blocks=run.options.blocks,
            passages=run.options.passages,
            host=host,
            port=port,
            model=model,
            log_level=log_level,
            log_format=log_format,
        )
        await serve_until_told(settings, out=run.out, started=starting.close)
