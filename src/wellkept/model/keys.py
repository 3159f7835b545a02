"""The address of a block."""

from typing import Final, Literal, get_args

import msgspec

from wellkept.model.errors import InvalidInput
from wellkept.model.ids import MAX_ID_CHARS, SessionId, TenantId, block_name, tenant_id, user_id
from wellkept.model.text import checked_text

Scope = Literal["user", "agent", "shared"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

_SESSION_OWNER: Final = " session "


def session_owner(session: SessionId) -> str:
    """Name the owner of blocks that belong to one session.

    It begins with a space, which no user id does: a session's owner can never
    be the owner of a user who happens to be called the same.
    """
    return _SESSION_OWNER + session


class BlockKey(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """Where a block is: whose it is, of which kind, and its name. Four parts, never joined.

    Raises:
        InvalidInput: A part is not valid: see `wellkept.model.ids`.
    """

    tenant: TenantId
    scope: Scope
    owner: str
    key: str

    def __post_init__(self) -> None:
        tenant_id(self.tenant)
        checked_scope(self.scope)
        checked_owner(self.owner)
        block_name(self.key)


def checked_scope(value: object, *, param: str = "scope") -> Scope:
    """Return `value` if it is a scope.

    Raises:
        InvalidInput: It is not `user`, `agent` or `shared`.
    """
    for scope in SCOPES:
        if value == scope:
            return scope
    raise InvalidInput(param=param, problem=f"must be one of {', '.join(SCOPES)}")


def checked_owner(value: object, *, param: str = "owner") -> str:
    """Return `value` if it can own blocks: a user's or agent's id, or a session's owner.

    Raises:
        InvalidInput: It is neither.
    """
    text = checked_text(value, param=param)
    if text.startswith(_SESSION_OWNER) and len(text) <= MAX_ID_CHARS + len(_SESSION_OWNER):
        user_id(text.removeprefix(_SESSION_OWNER), param=param)
    else:
        user_id(text, param=param)
    return text
