"""The options that every command takes."""

from dataclasses import dataclass
from typing import Annotated

import typer

_PANEL = "Where, and how it is told"

Store = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="Store to work on [WELLKEPT_STORE, else a file in ~/.wellkept]",
        rich_help_panel=_PANEL,
    ),
]
BlockStoreUrl = Annotated[
    str | None,
    typer.Option("--blocks", metavar="URL", help="Another store for blocks [WELLKEPT_BLOCKS]", rich_help_panel=_PANEL),
]
PassageStoreUrl = Annotated[
    str | None,
    typer.Option(
        "--passages", metavar="URL", help="Another store for passages [WELLKEPT_PASSAGES]", rich_help_panel=_PANEL
    ),
]
Server = Annotated[
    str | None,
    typer.Option("--server", metavar="URL", help="Server to work on, instead of a store", rich_help_panel=_PANEL),
]
ApiKey = Annotated[
    str | None,
    typer.Option("--api-key", metavar="KEY", help="Key for the server [WELLKEPT_API_KEY]", rich_help_panel=_PANEL),
]
Tenant = Annotated[
    str | None,
    typer.Option("--tenant", metavar="ID", help="Tenant on the store [the one it belongs to]", rich_help_panel=_PANEL),
]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON", rich_help_panel=_PANEL)]
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error comes from", rich_help_panel=_PANEL)]


@dataclass(frozen=True, kw_only=True)
class Options:
    """On what a command works, and how it answers."""

    store: str | None = None
    blocks: str | None = None
    passages: str | None = None
    server: str | None = None
    api_key: str | None = None
    tenant: str | None = None
    json: bool = False
    debug: bool = False


def everywhere(
    store: Store = None,
    blocks: BlockStoreUrl = None,
    passages: PassageStoreUrl = None,
    server: Server = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
    json: Json = False,
    debug: Debug = False,
) -> Options:
    """Take the options of a command that works on a store or on a server."""
    return Options(
        store=store,
        blocks=blocks,
        passages=passages,
        server=server,
        api_key=api_key,
        tenant=tenant,
        json=json,
        debug=debug,
    )


def here(
    store: Store = None,
    blocks: BlockStoreUrl = None,
    passages: PassageStoreUrl = None,
    json: Json = False,
    debug: Debug = False,
) -> Options:
    """Take the options of a command that works on a store alone."""
    return Options(store=store, blocks=blocks, passages=passages, json=json, debug=debug)
