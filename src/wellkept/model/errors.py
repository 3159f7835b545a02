"""Everything that can go wrong, as one tree.

    WellkeptError
    ├── Refused              the caller asked for something that is not allowed (4xx)
    │   ├── InvalidInput     a value is not valid; `param` names it
    │   │   └── InvalidCursor
    │   ├── Unauthorized     no key, or a key that is not known
    │   ├── Forbidden        the key is known, and may not do this
    │   │   └── UserMismatch
    │   ├── NotFound         missing, deleted or somebody else's: the same answer
    │   │   ├── AgentVersionNotFound
    │   │   └── EntryNotFound
    │   ├── Conflict         the text changed since it was read; `etag` is the stored one
    │   │   ├── AlreadyExists
    │   │   ├── AgentDisabled
    │   │   ├── SessionBusy
    │   │   ├── SessionUserMismatch
    │   │   ├── SessionVersionMismatch
    │   │   ├── IdempotencyMismatch
    │   │   └── PreconditionFailed  `If-Match` or `If-None-Match` does not hold
    │   ├── OverLimit        the text would be longer than the block may be
    │   ├── EntryAmbiguous   `match` fits more than one entry
    │   ├── WriteClosed      the block's policy is `closed`
    │   ├── TextRejected     the screen says that the text instructs the model
    │   ├── BlockUnavailable the turn has no owner for such a block, or the agent does not declare it
    │   ├── NotSupported     this store does not keep that
    │   ├── MethodNotAllowed
    │   ├── UnsupportedMedia the body is not JSON
    │   ├── TooLarge         the body is larger than the server takes
    │   │   └── HeadTooLarge its address and headers are
    │   └── RateLimited
    ├── Misconfigured        the program is put together wrongly
    │   ├── InvalidSetting   a variable, an option or an address is missing or cannot be one
    │   ├── UnknownStore
    │   ├── NoStore
    │   ├── NoEmbedder       there is nothing to embed with
    │   ├── NoRoute
    │   ├── MissingExtra
    │   └── ProviderRequired
    ├── StoreFailed          the store could not do it (5xx)
    │   ├── StoreUnavailable
    │   ├── StoreFull
    │   ├── StoreReadOnly
    │   ├── StoreCorrupt
    │   ├── SchemaTooNew
    │   └── Closed
    ├── ServerStopping       a server is about to stop, and says so at `/ready`
    ├── ServerFailed         a server answered what no client expects
    │   └── ServerUnreachable
    ├── EmbedderFailed       texts could not be embedded; recall goes on with words alone
    └── ModelFailed          the model's provider failed; what was saved stays saved

The first line of a docstring is the message; `facts` say the rest. Never put
the text of a memory or a block into `facts`: errors get logged.
"""

from collections.abc import Sequence
from typing import ClassVar


class WellkeptError(Exception):
    """Something went wrong in wellkept."""

    code: ClassVar[str] = "error"

    request_id: str | None = None
    """The server's name for the request that failed; None without a server."""
    status: int | None = None
    """The HTTP status that a server answered; None without a server."""

    def __init__(self, **facts: object) -> None:
        self.facts = facts
        told = ", ".join(f"{name}={value!r}" for name, value in facts.items())
        first_line = (type(self).__doc__ or "").strip().splitlines()[0]
        self.message = f"{first_line} ({told})" if told else first_line
        super().__init__(self.message)


class Refused(WellkeptError):
    """That is not allowed."""

    code = "refused"


class InvalidInput(Refused):
    """A value is not valid."""

    code = "validation_failed"

    def __init__(self, *, param: str, problem: str, **facts: object) -> None:
        """Name the parameter (`param`) and say what is wrong and what is allowed (`problem`)."""
        self.param = param
        self.problem = problem
        super().__init__(param=param, problem=problem, **facts)
        self.message = f"{param}: {problem}"
        self.args = (self.message,)


class InvalidCursor(InvalidInput):
    """The cursor is not one that this list gave out; start again without it."""

    code = "invalid_cursor"

    def __init__(self, *, param: str = "cursor", problem: str = "", **facts: object) -> None:
        super().__init__(
            param=param,
            problem=problem or "not a cursor of this list and filter; start again without it",
            **facts,
        )


class Unauthorized(Refused):
    """The API key is missing or not known."""

    code = "unauthorized"


class Forbidden(Refused):
    """This credential may not do that."""

    code = "forbidden"


class UserMismatch(Forbidden):
    """The credential names a user, and the request another one."""

    code = "user_mismatch"


class NotFound(Refused):
    """There is no such thing here."""

    code = "not_found"


class AgentVersionNotFound(NotFound):
    """The agent has no such version."""

    code = "agent_version_not_found"


class EntryNotFound(NotFound):
    """No entry of the block contains that text."""

    code = "entry_not_found"

    def __init__(self, *, candidates: Sequence[str] = (), **facts: object) -> None:
        """Keep the entries there are apart from the facts: they are a user's text, and facts get logged."""
        self.candidates = tuple(candidates)
        super().__init__(**facts)


class Conflict(Refused):
    """The text changed since it was read."""

    code = "conflict"


class AlreadyExists(Conflict):
    """It is there already."""

    code = "already_exists"


class AgentDisabled(Conflict):
    """The agent is disabled; enable it first."""

    code = "agent_disabled"


class SessionBusy(Conflict):
    """Another turn of this session is running; try again when it is done."""

    code = "session_busy"


class SessionUserMismatch(Conflict):
    """The session belongs to another user."""

    code = "session_user_mismatch"


class SessionVersionMismatch(Conflict):
    """The session is pinned to another version of the agent."""

    code = "session_version_mismatch"


class IdempotencyMismatch(Conflict):
    """This idempotency key was used for another request."""

    code = "idempotency_mismatch"


class PreconditionFailed(Conflict):
    """The condition in the request's headers does not hold."""

    code = "precondition_failed"


class OverLimit(Refused):
    """The block would be longer than its limit; consolidate older entries first."""

    code = "over_limit"


class EntryAmbiguous(Refused):
    """More than one entry contains that text; name one of them exactly."""

    code = "entry_ambiguous"

    def __init__(self, *, candidates: Sequence[str] = (), **facts: object) -> None:
        """Keep the entries that fit apart from the facts: they are a user's text, and facts get logged."""
        self.candidates = tuple(candidates)
        super().__init__(**facts)


class WriteClosed(Refused):
    """This block is closed for writing."""

    code = "write_closed"


class TextRejected(Refused):
    """The text reads like an instruction to the model, so it is not stored."""

    code = "text_rejected"


class BlockUnavailable(Refused):
    """This turn cannot use that block."""

    code = "block_unavailable"


class NotSupported(Refused):
    """This store does not keep that."""

    code = "not_supported"


class MethodNotAllowed(Refused):
    """This address does not take that method."""

    code = "method_not_allowed"


class UnsupportedMedia(Refused):
    """The body must be JSON, with `Content-Type: application/json`."""

    code = "unsupported_media"


class TooLarge(Refused):
    """The request is larger than the server takes."""

    code = "too_large"


class HeadTooLarge(TooLarge):
    """The request's address and headers are larger than the server takes."""

    code = "head_too_large"


class RateLimited(Refused):
    """Too many requests; wait and try again."""

    code = "rate_limited"


class Misconfigured(WellkeptError):
    """Wellkept is put together wrongly."""

    code = "misconfigured"


class InvalidSetting(Misconfigured):
    """A setting is not valid.

    The fact `setting` names it, and `problem` goes on with what is wrong and what is allowed: together a sentence.
    """

    code = "invalid_setting"


class UnknownStore(Misconfigured):
    """No store has this URL scheme."""

    code = "unknown_store"


class NoStore(Misconfigured):
    """No block store: set `WorkingMemory(store=…)` or `Runtime(default_block_store=…)`, or import `FileBlockStore`."""

    code = "no_store"


class NoEmbedder(Misconfigured):
    """There is no embedder: set `WELLKEPT_EMBEDDER`, or install `wellkept[recall]`."""

    code = "no_embedder"


class NoRoute(Misconfigured):
    """No store is named for the blocks of this scope."""

    code = "no_route"


class MissingExtra(Misconfigured):
    """A part of wellkept that is needed here is not installed."""

    code = "missing_extra"


class ProviderRequired(Misconfigured):
    """The agent's model cannot be used as it is configured."""

    code = "provider_required"


class StoreFailed(WellkeptError):
    """The store could not do it."""

    code = "store_failed"


class StoreUnavailable(StoreFailed):
    """The store does not answer; try again."""

    code = "store_unavailable"


class StoreFull(StoreFailed):
    """The disk under the store is full; nothing was changed."""

    code = "store_full"


class StoreReadOnly(StoreFailed):
    """The store cannot be written; nothing was changed."""

    code = "store_read_only"


class StoreCorrupt(StoreFailed):
    """The store's data is damaged; nothing was changed."""

    code = "store_corrupt"


class SchemaTooNew(StoreFailed):
    """The store was written by a newer wellkept; upgrade this one."""

    code = "schema_too_new"


class Closed(StoreFailed):
    """It was closed already."""

    code = "closed"


class ServerStopping(WellkeptError):
    """The server is about to stop; ask another."""

    code = "server_stopping"


class ServerFailed(WellkeptError):
    """The server answered something unexpected."""

    code = "server_failed"


class ServerUnreachable(ServerFailed):
    """The server could not be reached or did not answer in time."""

    code = "server_unreachable"


class EmbedderFailed(WellkeptError):
    """The embedder could not embed; recall goes on with words alone."""

    code = "embedder_failed"


class ModelFailed(WellkeptError):
    """The model's provider failed; what was already saved stays saved."""

    code = "model_failed"
