"""Reading what a server answered: a value, or the error that the library would raise itself."""

from dataclasses import dataclass
from typing import TypeVar

import msgspec

from wellkept.client.call import Call
from wellkept.model.errors import InvalidInput, ServerFailed, WellkeptError
from wellkept.wire.problems import Problem, ProblemAnswer, error_of

A = TypeVar("A")
E = TypeVar("E", bound=WellkeptError)

# What decoding can raise: no JSON, other types, a value that the model refuses, nesting without end.
UNREADABLE = (msgspec.MsgspecError, InvalidInput, RecursionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What an answer begins with."""

    status: int
    request_id: str | None

    @property
    def success(self) -> bool:
        """Say whether the server did what was asked."""
        return 200 <= self.status < 300

    def tell(self, error: E) -> E:
        """Let an error say which request it is about."""
        error.status = self.status
        error.request_id = self.request_id
        return error

    def failed(self, problem: str) -> ServerFailed:
        """Give the error of an answer that no client expects; never with a piece of the answer."""
        return self.tell(ServerFailed(problem=problem, status=self.status, request_id=self.request_id))


def read_answer(call: Call[A], head: Head, content: bytes) -> A:
    """Read the whole of an answer.

    Raises:
        WellkeptError: What the server says went wrong.
        ServerFailed: It answered something that is not of this API.
    """
    if not head.success:
        raise read_error(head, content)
    try:
        return call.read(content)
    except UNREADABLE as error:
        raise head.failed("the answer is not what this call is answered with") from error


def read_error(head: Head, content: bytes) -> WellkeptError:
    """Give the error that an answer says."""
    try:
        problem = msgspec.json.decode(content, type=ProblemAnswer).error
    except UNREADABLE:
        return head.failed("the answer is an error, and not one of this API; something else answered for the server?")
    return error_from(head, problem)


def error_from(head: Head, problem: Problem) -> WellkeptError:
    """Give the error that a problem says; `ServerFailed` for a code that this version does not know."""
    error = error_of(problem)
    return head.failed(f"{problem.code}: {problem.message}") if error is None else head.tell(error)
