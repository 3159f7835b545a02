"""What is counted, for Prometheus. Labels name routes, methods, statuses and kinds: never a user, tenant or id."""

from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from wellkept.contract.events import Event
from wellkept.server.disconnects import ClientGone

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
NO_ROUTE: Final = "none"
"""The route of a request that fits none: an address is the caller's to choose, a label is not."""

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


def known_method(method: str) -> str:
    """Give a method that HTTP has, or `other`: this too is the caller's to choose."""
    return method if method in _METHODS else "other"


class Metrics:
    """The counters of one server, in a registry of their own. `heard` is a `Listener` for the services."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "wellkept_http_requests", "Requests answered", ["route", "method", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "wellkept_http_request_seconds",
            "Seconds from a request to the end of its answer",
            ["route", "method"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._running = Gauge("wellkept_http_requests_in_flight", "Requests being answered", registry=self.registry)
        self._events = Counter(
            "wellkept_memory_events",
            "What happened to blocks, memories and held writes, in rows",
            ["kind"],
            registry=self.registry,
        )
        self._turns = Counter("wellkept_turns", "Turns that ended", ["outcome"], registry=self.registry)
        self._turn_seconds = Histogram(
            "wellkept_turn_seconds", "Seconds that turns took", buckets=_SECONDS, registry=self.registry
        )
        self._turns_running = Gauge("wellkept_turns_in_flight", "Turns that run", registry=self.registry)

    def heard(self, event: Event) -> None:
        """Count an event of the services."""
        self._events.labels(event.kind).inc(event.count)

    def begun(self) -> None:
        """Count a request that arrived."""
        self._running.inc()

    def ended(self, *, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that was answered; `method` is a `known_method`."""
        self._running.dec()
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route, method).observe(seconds)

    @contextmanager
    def turn(self) -> Generator[None, None, None]:
        """Count the turn that the body is."""
        begun = perf_counter()
        outcome = "cancelled"
        self._turns_running.inc()
        try:
            yield
            outcome = "done"
        except ClientGone:
            raise
        except Exception:
            outcome = "failed"
            raise
        finally:
            self._turns_running.dec()
            self._turns.labels(outcome).inc()
            self._turn_seconds.observe(perf_counter() - begun)

    def text(self) -> bytes:
        """Give all counters in Prometheus' text format."""
        return generate_latest(self.registry)
