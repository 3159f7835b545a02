"""Errors on the wire: class <-> code <-> status. The server and the SDK both read this table."""

from collections.abc import Mapping, Sequence
from typing import Final, cast

import msgspec

from wellkept.model import errors
from wellkept.model.errors import EntryAmbiguous, EntryNotFound, InvalidCursor, InvalidInput, WellkeptError

STATUS: Final[Mapping[type[WellkeptError], int]] = {
    errors.Refused: 400,
    errors.InvalidInput: 400,
    errors.InvalidCursor: 400,
    errors.Unauthorized: 401,
    errors.Forbidden: 403,
    errors.UserMismatch: 403,
    errors.NotFound: 404,
    errors.AgentVersionNotFound: 404,
    errors.EntryNotFound: 404,
    errors.Conflict: 409,
    errors.AlreadyExists: 409,
    errors.AgentDisabled: 409,
    errors.SessionBusy: 409,
    errors.SessionUserMismatch: 409,
    errors.SessionVersionMismatch: 409,
    errors.IdempotencyMismatch: 409,
    errors.PreconditionFailed: 412,
    errors.OverLimit: 422,
    errors.EntryAmbiguous: 422,
    errors.WriteClosed: 403,
    errors.TextRejected: 422,
    errors.BlockUnavailable: 422,
    errors.NotSupported: 422,
    errors.MethodNotAllowed: 405,
    errors.TooLarge: 413,
    errors.HeadTooLarge: 431,
    errors.UnsupportedMedia: 415,
    errors.RateLimited: 429,
    errors.Misconfigured: 500,
    errors.InvalidSetting: 500,
    errors.UnknownStore: 500,
    errors.NoStore: 500,
    errors.NoEmbedder: 422,
    errors.NoRoute: 500,
    errors.MissingExtra: 500,
    errors.ProviderRequired: 400,
    errors.StoreFailed: 500,
    errors.StoreUnavailable: 503,
    errors.ServerStopping: 503,
    errors.StoreFull: 507,
    errors.StoreReadOnly: 503,
    errors.StoreCorrupt: 500,
    errors.SchemaTooNew: 503,
    errors.Closed: 503,
    errors.ServerFailed: 502,
    errors.ServerUnreachable: 502,
    errors.EmbedderFailed: 502,
    errors.ModelFailed: 502,
}
"""The HTTP status of every error."""

BY_CODE: Final[Mapping[str, type[WellkeptError]]] = {error.code: error for error in STATUS}
"""The error of every code."""

INTERNAL: Final = "internal"
"""The code of what nobody foresaw."""


Fact = str | int | float | bool | list[str] | None
"""What a fact of an error can be on the wire."""


class Issue(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One thing that is wrong with a request: where it stands (a JSON pointer below `location`), and what."""

    location: str
    path: str
    message: str
    code: str = "invalid"


class Details(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What else there is to say. `candidates`: the entries one may mean. `etag`: the stored one."""

    issues: tuple[Issue, ...] = ()
    candidates: tuple[str, ...] = ()
    etag: str | None = None
    facts: Mapping[str, Fact] = {}


class Problem(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Why a request failed. `code` is stable; `message` is for people."""

    code: str
    message: str
    param: str | None = None
    details: Details | None = None


class ProblemAnswer(msgspec.Struct, frozen=True):
    """The body of every answer that is not a success."""

    error: Problem


_ARGUMENTS: Final = ("self", "param", "candidates")
"""What the errors' own arguments are called: no names for facts that another program sends."""


def problem_of(error: WellkeptError, *, location: str = "body") -> Problem:
    """Say an error on the wire. `location` is where a parameter stands: body, path, query or header.

    A parameter that is named like its location is the whole of it.
    """
    issues: tuple[Issue, ...] = ()
    param: str | None = None
    if isinstance(error, InvalidInput):
        param = error.param
        path = "" if error.param == location else f"/{error.param}"
        issues = (Issue(location=location, path=path, message=error.problem),)
    candidates: Sequence[str] = error.candidates if isinstance(error, EntryNotFound | EntryAmbiguous) else ()
    etag = error.facts.get("etag")
    facts = {
        name: _fact(value)
        for name, value in error.facts.items()
        if not (name in ("param", "problem") and isinstance(error, InvalidInput))
        and not (name == "etag" and isinstance(value, str))
    }
    details = Details(
        issues=issues,
        candidates=tuple(candidates),
        etag=etag if isinstance(etag, str) else None,
        facts=facts,
    )
    return Problem(
        code=error.code, message=error.message, param=param, details=None if details == Details() else details
    )


def _fact(value: object) -> Fact:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple):
        return [str(item) for item in cast("Sequence[object]", value)]
    return str(value)


def error_of(problem: Problem) -> WellkeptError | None:
    """Give the error that a problem says; None for a code that this version does not know."""
    kind = BY_CODE.get(problem.code)
    if kind is None:
        return None
    details = problem.details or Details()
    facts: dict[str, object] = {name: value for name, value in details.facts.items() if name not in _ARGUMENTS}
    if details.etag is not None:
        facts["etag"] = details.etag
    if issubclass(kind, InvalidInput):
        told = details.issues[0].message if details.issues else problem.message
        facts.pop("problem", None)
        if kind is InvalidCursor:
            return InvalidCursor(problem=told)
        return kind(param=problem.param or "request", problem=told, **facts)
    if issubclass(kind, EntryNotFound | EntryAmbiguous):
        return kind(candidates=details.candidates, **facts)
    return kind(**facts)
