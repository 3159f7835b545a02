"""Putting the server together."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from structlog.typing import FilteringBoundLogger

from wellkept.compose.assemble import Services
from wellkept.server.boundary import Boundary
from wellkept.server.call import Backend
from wellkept.server.dispatch import Dispatch
from wellkept.server.handlers import HANDLERS
from wellkept.server.lifecycle import Lifecycle
from wellkept.server.logs import make_logger
from wellkept.server.metrics import Metrics
from wellkept.server.openapi.document import document
from wellkept.server.options import Options
from wellkept.server.pages import MetricsPage, OpenApiPage
from wellkept.server.turn_limit import TurnLimit
from wellkept.server.turns import Turns
from wellkept.wire.endpoints import ENDPOINTS

_UNWIND_SECONDS: Final = 5.0  # for requests that were cancelled because the server stops


def create_app(
    services: Services,
    turns: Turns,
    *,
    options: Options = Options(),  # noqa: B008  immutable
    metrics: Metrics | None = None,
    logger: FilteringBoundLogger | None = None,
) -> Starlette:
    """Make the server of `services`, which it closes when it stops. `turns` runs the turns.

    `metrics` are those whose `heard` listens to the services; without, only requests and turns are counted.
    """
    backend = Backend(
        services=services,
        turns=turns,
        options=options,
        metrics=metrics or Metrics(),
        lifecycle=Lifecycle(),
        turn_limit=TurnLimit(options.max_turns),
        logger=logger or make_logger(),
    )

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            backend.lifecycle.drain()
            await backend.lifecycle.idle(within=_UNWIND_SECONDS)
            await services.close()

    pages = (OpenApiPage(document()), MetricsPage())
    targets = [(endpoint, HANDLERS[endpoint.name]) for endpoint in ENDPOINTS]
    app = Starlette(
        routes=[Dispatch([*targets, *pages], backend)],
        middleware=[Middleware(Boundary, backend=backend)],
        lifespan=lifespan,
    )
    app.state.lifecycle = backend.lifecycle
    return app
