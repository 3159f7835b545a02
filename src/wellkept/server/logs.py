"""Structured logs: one line a request, and never a text, address, key or user of anyone.

Nothing here is global: a server is given its logger.
"""

import sys
import traceback
from collections.abc import Iterator
from typing import Final, Literal, TextIO, cast

import structlog
from structlog.typing import FilteringBoundLogger, Processor

from wellkept.contract.events import FAILURES, Event, Listener
from wellkept.model.errors import Misconfigured, StoreFailed, WellkeptError
from wellkept.server.metrics import Metrics

LogFormat = Literal["auto", "json", "console"]
LogLevel = Literal["debug", "info", "warning", "error"]

_LEVELS: Final[dict[LogLevel, int]] = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def make_logger(
    stream: TextIO | None = None, *, format: LogFormat = "auto", level: LogLevel = "info"
) -> FilteringBoundLogger:
    """Make a logger that writes to `stream` (standard error). `auto`: readable on a terminal, else JSON."""
    to = stream or sys.stderr
    readable = format == "console" or (format == "auto" and to.isatty())
    last: Processor = (
        structlog.dev.ConsoleRenderer(colors=to.isatty()) if readable else structlog.processors.JSONRenderer()
    )
    logger: object = structlog.wrap_logger(
        structlog.PrintLogger(to),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
    )
    return cast(FilteringBoundLogger, logger)


def heard_by(metrics: Metrics, logger: FilteringBoundLogger) -> Listener:
    """Give a listener that counts every event, and logs what went wrong and was got over."""

    def heard(event: Event) -> None:
        metrics.heard(event)
        if event.kind in FAILURES:
            logger.warning(event.kind, tenant=event.tenant, count=event.count, code=event.error or None)

    return heard


def told(error: BaseException) -> dict[str, object]:
    """Say where an error came from, for the log: kinds, files, lines and functions, without its message.

    A message may hold a user's text (a model's error quotes its prompt). Those of stores and set-up do not.
    """
    found: dict[str, object] = {
        "code": error.code if isinstance(error, WellkeptError) else "internal",
        "error": type(error).__qualname__,
        "trace": "\n".join(_trace(error)),
    }
    if isinstance(error, StoreFailed | Misconfigured):
        found |= {f"fact_{name}": str(value) for name, value in error.facts.items()}
    return found


def _trace(error: BaseException) -> Iterator[str]:
    seen: set[int] = set()
    ahead: BaseException | None = error
    while ahead is not None and id(ahead) not in seen:
        seen.add(id(ahead))
        yield f"{type(ahead).__module__}.{type(ahead).__qualname__}"
        for frame in traceback.extract_tb(ahead.__traceback__):
            yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
        ahead = ahead.__cause__ or ahead.__context__
