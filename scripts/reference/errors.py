"""Every error: code, class, status, meaning, and what to do."""

from http import HTTPStatus

import markdown

from wellkept.model import errors as e
from wellkept.model.errors import WellkeptError
from wellkept.wire.problems import INTERNAL, STATUS

INTRODUCTION = """
One tree of errors serves all doors. In Python an error is a class of `wellkept.model.errors` under `WellkeptError`,
with `code`, `message` and `facts`; over HTTP it is a status and

```
{"error": {"code": "…", "message": "…", "param": "…", "details": {…}}}
```

and the SDK raises the class again, with `status` and `request_id`. On the command line it is a sentence, an advice and
an [exit code](commands.md#exit-codes). Codes are stable; messages are for people and may change. `param` names the
field that is wrong, `details.issues` says where it stands, `details.candidates` lists entries that may be meant, and
`details.etag` is what is stored now. No message or fact holds the text of a memory or block.
"""

ADVICE: dict[type[WellkeptError], str] = {
    e.WellkeptError: "See the server's log by the request's id.",
    e.Refused: "See the more precise code beside it in this table.",
    e.InvalidInput: "Correct what `param` names; the same request never succeeds.",
    e.InvalidCursor: "Begin the list again without a cursor; a cursor belongs to one list and its filters.",
    e.Unauthorized: "Send `Authorization: Bearer wk_…` with a key that lives; `wellkept keys create NAME` makes one.",
    e.Forbidden: "Use a key that is not limited to one user, or leave the user's header out.",
    e.UserMismatch: "Name the user of the credential, or none.",
    e.NotFound: "Check id, agent and tenant. Missing, deleted and somebody else's answer alike.",
    e.AgentVersionNotFound: "Ask for a version that is in the agent's list of versions.",
    e.EntryNotFound: "Pick one of `candidates`, and name a piece of it exactly.",
    e.Conflict: "Read again, decide again, write with the new etag.",
    e.AlreadyExists: "Choose another name or id.",
    e.AgentDisabled: "Enable the agent.",
    e.SessionBusy: "Wait for the session's other turn, then send again.",
    e.SessionUserMismatch: "Use a session of this user, or a new one.",
    e.SessionVersionMismatch: "Leave `version` out, or begin a new session.",
    e.IdempotencyMismatch: "Use a new `Idempotency-Key` for another request.",
    e.PreconditionFailed: "Read again, and send the etag that is stored now.",
    e.OverLimit: "Consolidate older entries, or give the block a larger limit.",
    e.EntryAmbiguous: "Name more of the entry that is meant; `candidates` are those that fit.",
    e.WriteClosed: "Write it as an administrator, or give the block another `write` policy.",
    e.TextRejected: "Rephrase it as a fact. An administrator may write it anyway.",
    e.BlockUnavailable: "Declare the block in the agent's working memory, or name the turn's user.",
    e.NotSupported: "Use a store that keeps it; see the table of stores.",
    e.MethodNotAllowed: "Use one of the methods that the header `Allow` names.",
    e.UnsupportedMedia: "Send JSON with `Content-Type: application/json`.",
    e.TooLarge: "Send less, or raise `WELLKEPT_MAX_BODY_BYTES`.",
    e.HeadTooLarge: "Send fewer or shorter headers and parameters.",
    e.RateLimited: "Wait as long as `Retry-After` says.",
    e.Misconfigured: "Do what `facts` say.",
    e.InvalidSetting: "Set what the message names as the message says.",
    e.UnknownStore: "Use one of the schemes that `known` lists.",
    e.NoStore: "Give one of the three that the message names.",
    e.NoEmbedder: "Set `WELLKEPT_EMBEDDER`, or install `wellkept[recall]`; until then words alone are searched.",
    e.NoRoute: "Give what `do` names.",
    e.MissingExtra: "Install the extra that `do` names.",
    e.ProviderRequired: "Set the provider's key or choose another model; `offline` needs none.",
    e.EmbedderFailed: "See that the embedder answers; recall goes on with words alone, and catches up by itself.",
    e.StoreFailed: "See the server's log; `wellkept doctor` looks at the store.",
    e.StoreUnavailable: "Try again; if it lasts, see who else holds the file.",
    e.ServerStopping: "Ask another server; a balancer that asks `/ready` does so by itself.",
    e.StoreFull: "Make room on the disk.",
    e.StoreReadOnly: "Give the process the right to write there.",
    e.StoreCorrupt: "Run `wellkept doctor`; go back to a backup.",
    e.SchemaTooNew: "Upgrade wellkept on this machine.",
    e.Closed: "Open it again; a server that answers so is about to stop.",
    e.ServerFailed: "See whether a proxy answered in the server's place.",
    e.ServerUnreachable: "See whether the server runs, and `WELLKEPT_BASE_URL`.",
    e.ModelFailed: "Try again; what the turn saved stays saved.",
}


def page() -> str:
    assert set(ADVICE) == set(STATUS) | {WellkeptError}, "every error has an advice, and every advice an error"
    statuses = dict(STATUS) | {WellkeptError: 500}
    rows = [
        [
            markdown.code(kind.code),
            markdown.code(kind.__name__),
            str(statuses[kind]),
            markdown.first_line(kind),
            ADVICE[kind],
        ]
        for kind in sorted(statuses, key=lambda kind: (statuses[kind], kind.code))
    ]
    rows.append(
        [f"`{INTERNAL}`", "", "500", "Nobody foresaw this.", "See the server's log by the request's id, and report it."]
    )
    used = sorted(set(statuses.values()))
    names = ", ".join(f"{status} {HTTPStatus(status).phrase}" for status in used)
    return markdown.page(
        "Errors",
        INTRODUCTION,
        markdown.table(["code", "class", "status", "meaning", "what to do"], rows),
        f"Statuses in use: {names}. The SDK makes `server_failed` and `server_unreachable`; no server sends them.",
    )
