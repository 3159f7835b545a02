"""HTTP/1.1 as uvicorn speaks it; only what is not HTTP at all is answered in our way too."""

from typing import Final

import h11
import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol

from wellkept.services.new_ids import new_id
from wellkept.wire.problems import Problem, ProblemAnswer

MAX_HEAD_BYTES: Final = 262_144
"""Bytes of a request's line and headers that are read at all. Below, the application says what is too large."""


class Protocol(H11Protocol):
    """One connection."""

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are no request, or too large a head, and hang up."""
        problem = Problem(code="bad_http", message="This is not an HTTP/1.1 request, or its head is too large.")
        body = msgspec.json.encode(ProblemAnswer(error=problem))
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            (b"x-request-id", new_id("req_").encode()),
        ]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
