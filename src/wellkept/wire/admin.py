"""Keys, held writes and the state of the server, on the wire."""

from datetime import datetime

import msgspec

from wellkept.model.directory import ApiKey
from wellkept.model.review import HeldAction, HeldWrite, HoldReason
from wellkept.wire.fields import IdOrGeneral


class KeyCreate(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A new key; with `userId` it acts for that user alone."""

    name: str
    user_id: IdOrGeneral = ""


class KeyAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A key without its secret; `hint` is the secret's beginning."""

    id: str
    name: str
    hint: str
    user_id: str
    created_at: datetime
    revoked_at: datetime | None

    @classmethod
    def of(cls, key: ApiKey) -> "KeyAnswer":
        """Say a key on the wire."""
        return cls(
            id=key.id,
            name=key.name,
            hint=key.hint,
            user_id=key.user_id,
            created_at=key.created_at,
            revoked_at=key.revoked_at,
        )


class KeyCreated(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A new key. `secret` is shown this once."""

    key: KeyAnswer
    secret: str


class KeysAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """All keys of the tenant, newest first. There is never a next page."""

    data: tuple[KeyAnswer, ...]
    next_cursor: None = None


class HeldWriteAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A write that waits for approval."""

    id: str
    agent_id: str
    user_id: str
    session_id: str | None
    reason: HoldReason
    findings: tuple[str, ...]
    action: HeldAction
    created_at: datetime

    @classmethod
    def of(cls, write: HeldWrite) -> "HeldWriteAnswer":
        """Say a held write on the wire."""
        return cls(
            id=write.id,
            agent_id=write.agent,
            user_id=write.user,
            session_id=write.session,
            reason=write.reason,
            findings=write.findings,
            action=write.action,
            created_at=write.created_at,
        )


class ReviewPage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Held writes, newest first."""

    data: tuple[HeldWriteAnswer, ...]
    next_cursor: str | None = None


class Alive(msgspec.Struct, frozen=True, kw_only=True):
    """The server runs."""

    status: str


class ReadyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The server can answer: its stores do."""

    status: str
    version: str
