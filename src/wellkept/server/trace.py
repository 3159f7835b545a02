"""What is known of a request so far: for its log line, its metrics and its errors."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from starlette.types import Scope
from structlog.typing import FilteringBoundLogger

from wellkept.model.errors import InvalidInput, ServerStopping, WellkeptError
from wellkept.server.logs import told
from wellkept.server.metrics import NO_ROUTE
from wellkept.wire.endpoint import Endpoint
from wellkept.wire.problems import STATUS

_KEY: Final = "wellkept.trace"


class Trace:
    """One request's story. `bad_id`: why the caller's own id of it was refused; told once its key was looked at."""

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        self.route = NO_ROUTE
        self.endpoint: Endpoint[object] | None = None
        self.tenant: str | None = None
        self.client_request_id: str | None = None
        self.bad_id: InvalidInput | None = None
        self.location: str | None = None

    def put_on(self, scope: Scope) -> None:
        """Let all who see the request find this."""
        scope[_KEY] = self

    @contextmanager
    def reading(self, location: str) -> Generator[None, None, None]:
        """Remember that what the body finds invalid stands in the path, the query or the body."""
        try:
            yield
        except InvalidInput:
            self.location = location
            raise

    def note(self, error: Exception, logger: FilteringBoundLogger) -> None:
        """Log an error that is the server's: not the caller's, and not that the server is about to stop."""
        if isinstance(error, ServerStopping):
            return
        if not isinstance(error, WellkeptError) or STATUS[type(error)] >= 500:
            logger.error("request_failed", request_id=self.request_id, route=self.route, **told(error))


def trace_of(scope: Scope) -> Trace:
    """Give the trace of a request that came through the boundary."""
    trace: Trace = scope[_KEY]
    return trace
