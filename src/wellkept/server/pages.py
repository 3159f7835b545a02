"""Two addresses beside the table of endpoints, for programs that know nothing of wellkept."""

import ipaddress
from abc import ABC, abstractmethod
from typing import ClassVar, Final

from starlette.requests import Request
from starlette.responses import Response

from wellkept.server.answers import JSON
from wellkept.server.call import Backend
from wellkept.server.caller import Caller
from wellkept.server.metrics import CONTENT_TYPE

_FORWARDED: Final = ("forwarded", "x-forwarded-for", "via")


class Page(ABC):
    """An address that is read with GET."""

    path: ClassVar[str]

    @abstractmethod
    def needs_key(self, request: Request, backend: Backend) -> bool:
        """Say whether this request has to come with a key."""

    @abstractmethod
    def answer(self, caller: Caller | None, backend: Backend) -> Response:
        """Give the page. `caller` is None when no key was asked for.

        Raises:
            Forbidden: The caller may not see it.
        """


class OpenApiPage(Page):
    """The description of the interface, which is nobody's secret."""

    path = "/openapi.json"

    def __init__(self, document: bytes) -> None:
        self._document = document

    def needs_key(self, request: Request, backend: Backend) -> bool:
        """No request needs one."""
        return False

    def answer(self, caller: Caller | None, backend: Backend) -> Response:
        """Give the document."""
        return Response(self._document, media_type=JSON)


class MetricsPage(Page):
    """The counters: open to this machine, else to keys that are not limited to a user, unless an option opens them."""

    path = "/metrics"

    def needs_key(self, request: Request, backend: Backend) -> bool:
        """Requests from elsewhere do, also when a proxy on this machine passes them on."""
        if backend.options.open_metrics:
            return False
        passed_on = any(name in request.headers for name in _FORWARDED)
        return passed_on or request.client is None or not _is_loopback(request.client.host)

    def answer(self, caller: Caller | None, backend: Backend) -> Response:
        """Give the counters."""
        if caller is not None:
            caller.must_be_unlimited()
        return Response(backend.metrics.text(), headers={"Content-Type": CONTENT_TYPE})


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
