"""A server for `wellkept serve`: everything put together, and what the operator is told."""

import shlex
from collections.abc import Callable
from importlib.metadata import version

import msgspec

from wellkept.cli.output import Output
from wellkept.cli.own_name import own_name
from wellkept.cli.urls import without_secrets
from wellkept.compose.assemble import assemble
from wellkept.compose.embedder import open_embedder
from wellkept.compose.first_start import Started, start
from wellkept.compose.server_settings import Settings
from wellkept.compose.stores import open_stores
from wellkept.runtime.runtime import Runtime
from wellkept.server import Listening, Metrics, Options, create_app, listen, serve
from wellkept.server.logs import heard_by, make_logger
from wellkept.server.runtime_turns import RuntimeTurns

_EXAMPLE = '{"message": "call me Sam", "sessionId": "s1", "userId": "user-42"}'


class Serving(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Where a server listens and what it keeps. `api_key` is there when it was made just now."""

    url: str
    store: str
    tenant: str
    model: str
    api_key: str | None


async def serve_until_told(settings: Settings, *, out: Output, started: Callable[[], None]) -> None:
    """Serve as the settings say, until the process is told to stop; then finish what runs.

    `started` is called when the first request can be taken, before the operator is told.

    Raises:
        InvalidSetting: No port can be listened on.
        WellkeptError: The store cannot be opened.
    """
    listening = listen(settings.host, settings.port)
    metrics = Metrics()
    logger = make_logger(format=settings.log_format, level=settings.log_level)
    try:
        stores = await open_stores(settings.store, blocks_url=settings.blocks, passages_url=settings.passages)
        services = assemble(stores, listener=heard_by(metrics, logger), embedder=open_embedder(settings.embedder))
    except BaseException:
        listening.socket.close()
        raise
    options = Options(
        max_body_bytes=settings.max_body_bytes,
        turn_seconds=settings.turn_seconds,
        notice_seconds=settings.notice_seconds,
        drain_seconds=settings.drain_seconds,
        open_metrics=settings.open_metrics,
    )
    try:
        found = await start(services)

        def tell() -> None:
            started()
            _tell(listening, settings, found=found, out=out)

        async with Runtime(services=services, default_model=settings.model) as runtime:
            await runtime.prepare()  # the first turn would keep everybody waiting while it loads the agent loop
            app = create_app(
                services,
                RuntimeTurns(runtime),
                options=options,
                metrics=metrics,
                logger=logger,
            )
            await serve(app, listening, options=options, started=tell)
    finally:
        listening.socket.close()
        await services.close()  # the server does it too when it stops; not when it could not start


def _tell(listening: Listening, settings: Settings, *, found: Started, out: Output) -> None:
    told = Serving(
        url=listening.url,
        store=without_secrets(settings.store),
        tenant=found.tenant,
        model=settings.model,
        api_key=found.secret,
    )
    if out.json:
        return out.value(told)
    taken = f" (port {listening.asked} is taken)" if listening.asked not in (0, listening.port) else ""
    out.line(f"Wellkept {version('wellkept')} listens on {told.url}{taken}")
    out.line(f"The data lies in {told.store}")
    if settings.blocks is not None:
        out.line(f"Blocks lie in {without_secrets(settings.blocks)}")
    out.line(f"Agents that name no model use {told.model}")
    out.line()
    if found.secret is None:
        store = "" if settings.is_default_store else f" --store {shlex.quote(told.store)}"
        out.line(f"Another key: {own_name()} keys create NAME{store}")
    else:
        out.line("A key was made. It is shown now and never again:")
        out.line()
        out.line(f"  {found.secret}")
        out.line()
        out.line("Try it:")
        out.line()
        out.line(f"  curl {told.url}/api/chat -H 'Authorization: Bearer {found.secret}' \\")
        out.line(f"    -H 'Content-Type: application/json' -d '{_EXAMPLE}'")
    out.line()
    out.line("Ctrl-C stops it.")
    return out.flush()
