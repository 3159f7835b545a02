"""What to do about an error, in one line, where the error does not say it itself."""

from collections.abc import Mapping
from typing import Final

from wellkept.model import errors
from wellkept.model.errors import WellkeptError

_ADVICE: Final[Mapping[type[WellkeptError], str]] = {
    errors.InvalidCursor: "leave --cursor out to begin with the first page",
    errors.Unauthorized: "pass --api-key, or set WELLKEPT_API_KEY; `wellkept keys create NAME` makes a key",
    errors.AgentVersionNotFound: "`wellkept agents show AGENT` says which version is the newest",
    errors.EntryNotFound: "name a piece of an entry, exactly as `wellkept blocks show` prints it",
    errors.AlreadyExists: "choose another name",
    errors.AgentDisabled: "enable the agent first",
    errors.SessionBusy: "try again in a moment",
    errors.SessionUserMismatch: "use another --session, or the --user that it belongs to",
    errors.IdempotencyMismatch: "use another key",
    errors.PreconditionFailed: "read it again, and repeat with the etag it has now, or without --if-match",
    errors.Conflict: "read it again, and repeat",
    errors.OverLimit: "shorten the text, or pass a larger --limit",
    errors.EntryAmbiguous: "name more of the entry that you mean",
    errors.NotSupported: "sqlite:// and inproc:// keep everything, also a history of blocks",
    errors.StoreUnavailable: "try again; `wellkept doctor` looks at the store",
    errors.StoreFull: "make room on the disk, and repeat",
    errors.StoreReadOnly: "see who may write there; `wellkept doctor` looks at the store",
    errors.StoreCorrupt: "`wellkept doctor` says more; go back to a backup of the store",
    errors.ServerUnreachable: "is the server running there? `wellkept serve` starts one",
}


def sentence(error: WellkeptError) -> str:
    """Say what went wrong, in one line for people; what to do about it stands in `advice_for`."""
    if isinstance(error, errors.InvalidInput):
        return error.message
    if isinstance(error, errors.InvalidSetting) and {"setting", "problem"} <= error.facts.keys():
        told = f"{error.facts['setting']} {error.facts['problem']}."
        return told[:1].upper() + told[1:]
    facts = ", ".join(f"{name}: {value}" for name, value in error.facts.items() if name != "do" and value is not None)
    # Here nobody sent headers: what failed is that the text is still the one that was read.
    kind = errors.Conflict if type(error) is errors.PreconditionFailed else type(error)
    told = (kind.__doc__ or error.message).strip().splitlines()[0]
    return f"{told} ({facts})" if facts else told


def advice_for(error: WellkeptError) -> str | None:
    """Say what to do about an error; None when there is nothing to say."""
    if "do" in error.facts:
        return str(error.facts["do"])
    return next((_ADVICE[kind] for kind in type(error).__mro__ if kind in _ADVICE), None)
