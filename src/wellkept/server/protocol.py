"""HTTP/1.1 as uvicorn speaks it; only what is not HTTP at all is answered in our way too."""

from typing import Final

import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol

from wellkept.services.new_ids import new_id
from wellkept.wire.problems import Problem, ProblemAnswer

MAX_HEAD_BYTES: Final = 262_144
"""Bytes of a request's line and headers that are read at all. Below, the application says what is too large."""

_BAD_HTTP: Final = Problem(code="bad_http", message="This is not an HTTP/1.1 request, or its head is too large.")


class Protocol(H11Protocol):
    """One connection."""

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are no request, or too large a head, and hang up."""
        body = msgspec.json.encode(ProblemAnswer(error=_BAD_HTTP))
        head = (
            "HTTP/1.1 400 Bad Request",
            "content-type: application/json",
            f"content-length: {len(body)}",
            "connection: close",
            f"x-request-id: {new_id('req_')}",
            "\r\n",
        )
        self.transport.write("\r\n".join(head).encode("ascii") + body)
        self.transport.close()
