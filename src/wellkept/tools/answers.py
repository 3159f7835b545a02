"""Saying to a model what came of a call; when it did not do what was asked for, why, and what would."""

from collections.abc import Mapping
from typing import Final

from wellkept.model import errors
from wellkept.model.errors import EntryAmbiguous, EntryNotFound, InvalidInput, OverLimit, Refused
from wellkept.model.outcomes import WriteState

UNAVAILABLE: Final = "unavailable"
"""The code of an answer when memory could not be reached at all: not the model's doing."""

_ADVICE: Final[Mapping[type[Refused], str]] = {
    errors.NotFound: "There is no such memory here. Search for it first; its id stands in the result.",
    errors.EntryNotFound: "No entry contains that text. The candidates are the entries there are.",
    errors.EntryAmbiguous: "More than one entry contains that text. Pass as match a piece that only one candidate has.",
    errors.OverLimit: "The block would be longer than its limit. "
    "Consolidate older entries with replace, or remove some, and then add again.",
    errors.WriteClosed: "That is closed for writing.",
    errors.TextRejected: "The text reads like an instruction to a model, so it is not stored. State the plain fact.",
    errors.BlockUnavailable: "This turn has no such block.",
    errors.Conflict: "Somebody else changed it at the same time. Look at it again and repeat the call.",
}

_HELD: Final = "The change waits until someone approves it; until then memory stays as it is. Do not repeat it."


def written(state: WriteState, *, action: str, id: str, already: str) -> dict[str, object]:
    """Give what every write answers; `already` says that there was nothing to change."""
    match state:
        case "done":
            return {"changed": True, "action": action, "id": id}
        case "held":
            return {"changed": False, "held": True, "action": action, "id": id, "message": _HELD}
        case "unchanged":
            return {"changed": False, "message": already}


def refusal(error: Refused) -> dict[str, object]:
    """Give the answer for an error that the arguments, or the state of memory, led to."""
    told: dict[str, object] = {"code": error.code, "message": _ADVICE.get(type(error)) or _sentence(error)}
    match error:
        case InvalidInput():
            told["param"] = error.param
            told["message"] = f"{error.param}: {error.problem}"
        case OverLimit():
            told |= {name: error.facts[name] for name in ("used", "limit") if name in error.facts}
        case EntryNotFound() | EntryAmbiguous():
            told["candidates"] = list(error.candidates)
        case _:
            pass
    return {"changed": False, "error": told}


def unavailable() -> dict[str, object]:
    """Give the answer for a store or a server that failed."""
    return {
        "changed": False,
        "error": {
            "code": UNAVAILABLE,
            "message": "Memory cannot be reached right now, and the call may not have taken effect. Go on without it.",
        },
    }


def _sentence(error: Refused) -> str:
    """Give the error's own sentence without its facts: ids mean nothing to a model."""
    return (type(error).__doc__ or "").strip().splitlines()[0]
