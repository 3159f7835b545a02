"""The program: its commands, put together."""

import sys
from typing import Annotated

import typer

from wellkept.cli.commands import agents, audit, blocks, chat, context, doctor, keys, memories, recall, review, serve

app = typer.Typer(
    name="wellkept",
    help="Durable memory for AI agents: run a server, talk to an agent, look at what it keeps.",
    epilog="Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 conflict, 5 refused, 6 store or server unavailable.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # as the groups
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"wellkept {version('wellkept')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and end", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Durable memory for AI agents: run a server, talk to an agent, look at what it keeps."""


for part in (serve, chat, blocks, memories, recall, agents, keys, context, review, audit, doctor):
    app.add_typer(part.app)


def main() -> None:
    """Run the command line of this process."""
    app(sys.argv[1:], prog_name="wellkept")
